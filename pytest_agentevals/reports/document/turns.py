"""What became of the turns of a results document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentevals.reports.document.scores import entries
from pytest_agentevals.responses import Open
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentevals.responses import AgentResponse
    from pytest_agentevals.results import TurnResult, Verdict


def found(
    turn: TurnResult, is_repeats: Callable[[Verdict], bool] = lambda _: False, *, respond: bool = True
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write what a run found out about a turn, and what stands in its extension.

    ``is_repeats`` says whether the parts of a verdict are those of the item's repeats, which are written elsewhere;
    ``respond`` whether the response is to be written.
    """
    part: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    if turn.source is not None:
        ours["source"] = turn.source
    if turn.response is not None and respond:
        _respond(turn.response, part, ours)
    scores, beside = entries(turn.verdicts, is_repeats)
    if scores:
        part["scores"] = scores
    if beside:
        ours["verdicts"] = beside
    if turn.status is not None:
        part["status"] = turn.status
    if turn.error is not None:
        part["error"] = {"code": turn.error.code, "message": turn.error.message or turn.error.code}
    elif turn.status == "partial":
        failed = sum(verdict.outcome is Outcome.ERROR for verdict in turn.verdicts)
        message = f"Agent response obtained. {failed} of {len(scores)} evaluators failed to run."
        part["error"] = {"code": "evaluatorsFailed", "message": message}
    return part, ours


def _respond(response: AgentResponse, part: dict[str, Any], ours: dict[str, Any]) -> None:
    part["response"] = response.text
    evidence = {name: _plain(value) for name, value in response if name != "text" and value is not None}
    citations = evidence.pop("citations", None)
    if citations is not None:
        # The schema wants every citation numbered.
        numbered = all("index" in citation for citation in citations)
        (part if numbered else ours)["citations"] = citations
    if evidence:
        part["diagnostics"] = evidence


def _plain(value: Any) -> Any:
    """Return evidence as JSON; what is not known is left out, not null."""
    if isinstance(value, Open):
        extra = value.model_extra or {}
        return {name: _plain(field) for name, field in value if field is not None or name in extra}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
