"""What an evaluation found: verdicts, and the results of turns and items. Plain values that know how to become JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from pytest_agentevals.responses import AgentResponse


class Outcome(StrEnum):
    """How one evaluator decided. ``ERROR`` (it could not decide) is neither a pass nor a fail."""

    PASS = "pass"  # noqa: S105 - the eval-document format's word for it, not a password
    FAIL = "fail"
    ERROR = "error"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUsage:
    """What one judgment took. None where the server did not say: unknown is not zero."""

    model: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    #: Requests sent, re-asking and retries included.
    requests: int = 1
    #: Seconds from the first request to the usable answer; of the original call where it was replayed.
    seconds: float = 0.0
    #: In the currency of the configured prices.
    cost: float | None = None
    #: Whether the answer comes from a recording.
    replayed: bool = False

    def __add__(self, other: JudgeUsage) -> JudgeUsage:
        """Add what a later judgment took; what is unknown of one is unknown of both."""
        return JudgeUsage(
            model=other.model,
            prompt_tokens=_plus(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=_plus(self.completion_tokens, other.completion_tokens),
            requests=self.requests + other.requests,
            seconds=self.seconds + other.seconds,
            cost=_plus(self.cost, other.cost),
            replayed=self.replayed and other.replayed,
        )


Number = TypeVar("Number", int, float)


def _plus(first: Number | None, second: Number | None) -> Number | None:
    return None if first is None or second is None else first + second


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One evaluator's decision on one response, with everything needed to understand it without a rerun."""

    outcome: Outcome
    #: The evaluator's name as the document writes it; filled in by the engine.
    evaluator: str = ""
    #: ``turn``, or ``conversation`` for a verdict on a whole thread; filled in by the engine.
    level: str = "turn"
    #: On ``scale``; a bool for ExactMatch, which has no threshold; None for errors and where nothing applied.
    score: bool | int | float | None = None
    #: The score needed to pass, on ``scale``; None where the evaluator has none.
    threshold: int | float | None = None
    #: Lowest and highest possible score; None for an open end.
    scale: tuple[int | float, int | float | None] = (0, 1)
    #: Why, in sentences; for errors the message.
    reason: str = ""
    #: The error code of the eval-document format; only for errors.
    code: str | None = None
    #: What else the results document says of this evaluator, under the format's own keys. JSON types only.
    details: Mapping[str, Any] = field(default_factory=dict)
    #: Lines for people: a table of dimensions, what was missing, which options were not understood.
    notes: tuple[str, ...] = ()
    #: What the judge took; None for evaluators without one.
    usage: JudgeUsage | None = None
    #: Wall time in seconds; filled in by the engine.
    seconds: float = 0.0
    #: The verdicts that this one sums up, where several judges or repeats decided.
    parts: tuple[Verdict, ...] = ()
    #: Which of several parts this is, for people: ``gpt-4o``, ``answer 2``, ``repeat 3``; empty for a whole.
    part: str = ""

    def __str__(self) -> str:
        if self.outcome is Outcome.ERROR:
            return f"{self.evaluator}: {self.code}: {self.reason}"
        return f"{self.evaluator}: {self.measure}"

    @property
    def measure(self) -> str:
        """The score against its threshold, as people read it: ``2/5 < 3``, ``0.67 < 1``, ``1 >= 1``, ``no match``."""
        if self.outcome in {Outcome.ERROR, Outcome.NOT_APPLICABLE} or self.score is None:
            return self.outcome.value.replace("_", " ")
        if isinstance(self.score, bool):
            return "match" if self.score else "no match"
        low, high = self.scale
        shown = number(self.score) + ("/5" if low == 1 and high == 5 else "")
        if self.threshold is None:
            return shown
        reached = self.score >= self.threshold
        if reached is not (self.outcome is Outcome.PASS):
            # Another condition decided, or the score is a mean of several; the reason says which.
            return f"{shown}, {'passed' if self.outcome is Outcome.PASS else 'failed'}"
        return f"{shown} {'>=' if reached else '<'} {number(self.threshold)}"

    @property
    def leaves(self) -> Iterator[Verdict]:
        """The single decisions that this one sums up; itself where it sums up none."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves


def number(value: float | None) -> str:
    """Write a score for people: whole numbers without a point, others with two decimals, never rounded up to a limit.

    0.999 is ``0.999``, not ``1.00``: a failed score must not look like the threshold it missed.
    """
    if value is None:
        return "-"
    if value == int(value):
        return str(int(value))
    text = f"{value:.2f}"
    return text if float(text) != int(float(text)) else f"{value:.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnError:
    """Why a turn has no response: an item error code of the eval-document format, and a sentence."""

    code: str
    message: str


@dataclass(slots=True, kw_only=True)
class TurnResult:
    """One turn after its evaluation. ``index`` counts from 1 in a thread and is 0 for a single-turn item."""

    prompt: str
    index: int = 0
    expected_response: str | None = None
    #: Names of the evaluators configured for this turn, in the order of the document.
    evaluators: tuple[str, ...] = ()
    response: AgentResponse | None = None
    #: ``asked``, ``recorded`` or ``cached``: where the response comes from.
    source: str | None = None
    error: TurnError | None = None
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def status(self) -> str | None:
        """``error``, ``partial``, ``fail``, ``pass``, or None where no evaluator gave a verdict that counts."""
        if self.response is None:
            return "error" if self.error else None
        outcomes = {verdict.outcome for verdict in self.verdicts}
        for outcome, status in ((Outcome.ERROR, "partial"), (Outcome.FAIL, "fail"), (Outcome.PASS, "pass")):
            if outcome in outcomes:
                return status
        return None


@dataclass(slots=True, kw_only=True)
class ItemResult:
    """One item or thread after its evaluation."""

    turns: list[TurnResult] = field(default_factory=list)
    #: The results of all repeats, in order, where the item was evaluated several times; the turns sum them up.
    repeats: list[ItemResult] = field(default_factory=list)

    @property
    def verdicts(self) -> list[Verdict]:
        """All verdicts, in turn order."""
        return [verdict for turn in self.turns for verdict in turn.verdicts]

    @property
    def status(self) -> str | None:
        """The worst status of the turns: error before partial before fail before pass; None where nothing counts."""
        found = {turn.status for turn in self.turns}
        return next((status for status in ("error", "partial", "fail", "pass") if status in found), None)


@cache
def _adapter() -> TypeAdapter[ItemResult]:
    # Made when the first result is packed: it then finds the models of the response built.
    return TypeAdapter(ItemResult)


def packed(result: ItemResult) -> str:
    """Write a result as JSON, for another process."""
    return _adapter().dump_json(result).decode()


def unpacked(text: str) -> ItemResult:
    """Read what `packed` wrote."""
    return _adapter().validate_json(text)
