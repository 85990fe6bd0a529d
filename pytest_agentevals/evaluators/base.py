"""What an evaluator is: a small class whose fields are its options in the document, with one method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from pytest_agentevals.errors import MissingInput
from pytest_agentevals.results import JudgeUsage, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pytest_agentevals.judge import Judge
    from pytest_agentevals.responses import AgentResponse


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; ``role`` is ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One prompt and the agent's answer to it, with everything that an evaluator may look at."""

    prompt: str
    response: AgentResponse
    expected_response: str | None = None
    context: str | None = None
    #: The conversation before this prompt; empty for single-turn items and first turns.
    history: tuple[Message, ...] = field(default=())
    #: Whom judged evaluators ask; None where no judge is configured and nothing is recorded.
    judge: Judge | None = None

    def expected(self) -> str:
        """Return ``expected_response``; raise `MissingInput` where the item has none."""
        if self.expected_response is None:
            raise MissingInput('the item has no "expected_response" to compare the response with')
        return self.expected_response


class Evaluator(BaseModel):
    """Base of all evaluators.

    Fields are the options of the document, validated when the document is collected: strictly (``"3"`` is no number)
    and without unknown names. Instances are immutable and may be used for any number of exchanges, concurrently.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    #: Key of this evaluator in the ``scores`` of a results document.
    result_key: ClassVar[str]

    @property
    def judged(self) -> bool:
        """Whether this evaluator, with these options, asks a judge."""
        return False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about these options, which work all the same; a sentence each."""
        return ()

    def doubts(self, model: str) -> str | None:  # noqa: ARG002 - for evaluators that override it
        """Return a sentence on why a model should not judge for these options, or None."""
        return None

    def evaluate(self, exchange: Exchange) -> Verdict | Awaitable[Verdict]:
        """Decide on one exchange.

        Raises `EvaluationError` where nothing can be decided. Whatever is raised becomes an ``error`` verdict, in the
        engine and nowhere else.
        """
        raise NotImplementedError


def decide(
    score: float,
    *,
    threshold: float = 1.0,
    scale: tuple[float, float | None] = (0, 1),
    reason: str,
    passed: bool | None = None,
    notes: tuple[str, ...] = (),
    usage: JudgeUsage | None = None,
    **details: Any,
) -> Verdict:
    """Make the verdict of a scored evaluator: pass from ``threshold`` up, unless ``passed`` says otherwise."""
    if passed is None:
        passed = score >= threshold
    return Verdict(
        outcome=Outcome.PASS if passed else Outcome.FAIL,
        score=score,
        threshold=threshold,
        scale=scale,
        reason=reason,
        notes=notes,
        usage=usage,
        details=details,
    )
