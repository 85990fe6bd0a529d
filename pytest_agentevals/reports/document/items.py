"""Items and turns of a results document."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.results import EXTENSION
from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.reports.document.options import public
from pytest_agentevals.reports.document.scores import entries
from pytest_agentevals.responses import Open
from pytest_agentevals.results import ItemResult, Outcome, TurnError, TurnResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.reports.run import EvaluatedItem
    from pytest_agentevals.responses import AgentResponse

#: Keys that the schema allows in an item or a turn, and in a thread, of those that its dataset fills in.
_TURN = ("prompt", "expected_response", "context")
_THREAD = ("name", "description", "conversation_id")

SKIPPED = TurnError(code="turnSkipped", message="Turn not attempted: preceding turn failed")


def written(item: EvaluatedItem) -> dict[str, Any]:
    """Write one item or thread."""
    result = item.result
    prompts = item.content.get("turns", [item.content])
    turns = _turns(item, result, prompts)
    # Without options a document that cannot be read any more leaves its items.
    options = item.evaluators or ({},) * len(prompts)
    parts = [_turn(content, chosen, turn) for content, chosen, turn in zip(prompts, options, turns, strict=True)]
    ours = _item(item, result)
    if "turns" not in item.content:
        return _extended(parts[0][0], item.content, {**ours, **parts[0][1]})
    fields = {key: value for key, value in item.content.items() if key not in {*_THREAD, "turns", "extensions"}}
    if fields:
        ours["fields"] = fields
    thread: dict[str, Any] = {key: item.content[key] for key in _THREAD if key in item.content}
    thread["turns"] = [_extended(part, content, own) for content, (part, own) in zip(prompts, parts, strict=True)]
    summary = _summary(turns)
    if summary:
        thread["summary"] = summary
    return _extended(thread, item.content, ours)


def _turns(item: EvaluatedItem, result: ItemResult | None, prompts: list[Any]) -> list[TurnResult]:
    """Return the results of the turns; where the evaluation did not end, what that means for each."""
    if result is not None:
        return result.turns
    turns = [TurnResult(prompt=content["prompt"], index=index) for index, content in enumerate(prompts, 1)]
    trouble = next((each for each in item.run.troubles if each.kind is not Kind.SKIPPED), None)
    if trouble is not None:
        for turn in turns:
            turn.error = SKIPPED
        turns[0].error = TurnError(code=trouble.type, message=trouble.message)
    return turns


def _item(item: EvaluatedItem, result: ItemResult | None) -> dict[str, Any]:
    run = item.run
    ours: dict[str, Any] = {"id": item.id, "document": item.document, "line": run.line, "seconds": run.seconds}
    if run.nodeid != f"{item.document}::{item.id}":
        ours["nodeid"] = run.nodeid
    if item.tags:
        ours["tags"] = list(item.tags)
    if result is None:
        ours["evaluated"] = False
    for name in ("of", "xfail"):
        if (value := getattr(run, name)) is not None:
            ours[name] = value
    if run.tolerated:
        ours["tolerated"] = run.tolerated
    if run.troubles:
        ours["troubles"] = [asdict(trouble) for trouble in run.troubles]
    if result is not None and result.repeats:
        ours["repeats"] = [[_answer(turn) for turn in repeat.turns] for repeat in result.repeats]
    return ours


def _turn(
    content: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]], turn: TurnResult
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write one prompt with what became of it, and what the schema has no room for."""
    part = {key: content[key] for key in _TURN if key in content}
    if turn.expected_response is not None:
        part["expected_response"] = turn.expected_response
    expressed = {name: public(name, given) for name, given in options.items()}
    part["evaluators"] = {name: given for name, given in expressed.items() if given is not None}
    part["evaluators_mode"] = "replace"
    found, ours = _found(turn)
    fields = {key: value for key, value in content.items() if key not in {*_TURN, "extensions"}}
    if fields:
        ours["fields"] = fields
    if None in expressed.values():
        ours["options"] = {name: options[name] if given is None else None for name, given in expressed.items()}
    if turn.evaluators != tuple(options):
        ours["evaluators"] = list(turn.evaluators)
    return {**part, **found}, ours


def _answer(turn: TurnResult) -> dict[str, Any]:
    """Write what became of a turn in one of several repeats."""
    found, ours = _found(turn)
    return {**found, "extensions": {EXTENSION: ours}} if ours else found


def _found(turn: TurnResult) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write what a run found out about a turn."""
    part: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    if turn.source is not None:
        ours["source"] = turn.source
    if turn.response is not None:
        _respond(turn.response, part, ours)
    scores, beside = entries(turn.verdicts)
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
    evidence = {name: plain(value) for name, value in response if name != "text" and value is not None}
    citations = evidence.pop("citations", None)
    if citations is not None:
        # The schema wants every citation numbered.
        if all("index" in citation for citation in citations):
            part["citations"] = citations
        else:
            ours["citations"] = citations
    if evidence:
        part["diagnostics"] = evidence


def plain(value: Any) -> Any:
    """Return evidence as JSON; what is not known is left out, not null."""
    if isinstance(value, Open):
        extra = value.model_extra or {}
        return {name: plain(field) for name, field in value if field is not None or name in extra}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def _summary(turns: list[TurnResult]) -> dict[str, Any] | None:
    """Count the turns of a thread that have a status."""
    counts = Counter(turn.status for turn in turns if turn.status is not None)
    status = ItemResult(turns=turns).status
    if status is None:
        return None
    return {
        "turns_total": counts.total(),
        "turns_passed": counts["pass"],
        "turns_failed": counts["fail"],
        "turns_partial": counts["partial"],
        "turns_errored": counts["error"],
        "overall_status": status,
    }


def _extended(part: dict[str, Any], content: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    extensions = {**content.get("extensions", {}), **({EXTENSION: ours} if ours else {})}
    return {**part, "extensions": extensions} if extensions else part
