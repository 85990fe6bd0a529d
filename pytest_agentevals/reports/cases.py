"""What one item contributes to counts and to JUnit XML: a case for each evaluator, or one for the item."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_agentevals.reports.failure import item_lines, item_summary, name_of, summary, verdict_lines
from pytest_agentevals.results import Outcome, number, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.results import ItemResult, JudgeUsage, TurnResult, Verdict


#: The type of a skipped case that stands for a fail or an error which a gate covers.
TOLERATED = "gate"


class Kind(StrEnum):
    """How a case ended; the values are the element names of JUnit XML."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(slots=True)
class Trouble:
    """A phase of an item that ended without the item's own verdicts: a broken fixture, a skip, a dead worker."""

    kind: Kind
    type: str
    message: str
    text: str = ""


@dataclass(slots=True)
class ItemRun:
    """One item as its reports tell of it; the latest attempt where it ran more than once."""

    nodeid: str
    line: int
    #: The packed `ItemResult`; None until the item was torn down, and for ever where a worker died.
    result: str | None = None
    troubles: list[Trouble] = field(default_factory=list)
    #: Reason of an ``xfail`` mark under which the item failed.
    xfail: str | None = None
    #: Wall time of set-up, call and teardown.
    seconds: float = 0.0
    #: Number of items in its document; unknown until it was torn down.
    of: int | None = None
    #: Keys of the recording's entries that it needed.
    used: list[str] = field(default_factory=list)
    #: Fails and errors that a gate answers for, by the name of their case, with the gate's text.
    tolerated: dict[str, str] = field(default_factory=dict)
    #: The worker of pytest-xdist that ran it, where each of them runs all items; else empty.
    worker: str = ""

    @property
    def place(self) -> str:
        """File and line of the item."""
        return f"{self.nodeid.partition('::')[0]}:{self.line}"


@dataclass(slots=True)
class Case:
    """One countable outcome."""

    #: The verdict's name within its item (``Relevance``, ``turn 2: Relevance``); empty for the item itself.
    name: str
    kind: Kind
    type: str = ""
    message: str = ""
    text: str = ""
    seconds: float = 0.0
    properties: list[tuple[str, str]] = field(default_factory=list)
    #: The evaluator's name; empty for the item itself.
    evaluator: str = ""
    #: What it is a case of: None for the item itself and for an evaluator of a turn that was never answered.
    verdict: Verdict | None = None
    turn: TurnResult | None = None

    @property
    def outcome(self) -> Outcome | None:
        """What the evaluator decided, whatever that means for the run; None for the item itself."""
        if self.verdict is not None:
            return self.verdict.outcome
        return Outcome.ERROR if self.evaluator else None

    @property
    def tolerated(self) -> bool:
        """Whether it is a fail or an error that a gate covers."""
        return self.type == TOLERATED

    @property
    def usage(self) -> JudgeUsage | None:
        """What the judge took; all judgments together where there were several."""
        return self.verdict.usage if self.verdict else None

    @property
    def usages(self) -> Iterator[JudgeUsage]:
        """What each judgment took."""
        if self.verdict is not None and self.verdict.usage is not None:
            yield from (leaf.usage for leaf in self.verdict.leaves if leaf.usage is not None)


def cases(run: ItemRun, result: ItemResult | None = None, *, texts: bool = True) -> Iterator[Case]:
    """Yield the cases of an item; ``result`` is its result, where the caller has unpacked it.

    Every verdict is one. A turn without a response adds its evaluators as errors, unless the item has no verdict at
    all: then the item itself is the one error. Whatever else went wrong in the item is a case of the item itself.
    """
    if result is None and run.result is not None:
        result = unpacked(run.result)
    if result is not None:
        yield from result_cases(result, run, texts=texts)
    yield from (
        Case("", trouble.kind, trouble.type, trouble.message, trouble.text, run.seconds)
        for trouble in _told(run, result)
    )


def result_cases(result: ItemResult, run: ItemRun, *, texts: bool) -> Iterator[Case]:
    """Yield the cases that the result of an item makes."""
    for turn in result.turns:
        if turn.error is None:
            yield from (_of_verdict(verdict, turn, run, texts=texts) for verdict in turn.verdicts)
        elif not result.verdicts and turn.error.code != "turnSkipped":
            text = "\n".join(line.text for line in item_lines(result, run.place))
            yield _tolerated(Case("", Kind.ERROR, turn.error.code, item_summary(result), text, run.seconds), run)
        else:
            for name in turn.evaluators:
                label = f"turn {turn.index}: {name}" if turn.index else name
                case = Case(label, Kind.ERROR, turn.error.code, turn.error.message, evaluator=name, turn=turn)
                yield _tolerated(case, run)


def _of_verdict(verdict: Verdict, turn: TurnResult, run: ItemRun, *, texts: bool) -> Case:
    case = Case(
        name_of(verdict, turn),
        Kind.PASSED,
        seconds=verdict.seconds,
        evaluator=verdict.evaluator,
        verdict=verdict,
        turn=turn,
    )
    tolerated = run.tolerated.get(case.name)
    failed = verdict.outcome in {Outcome.FAIL, Outcome.ERROR}
    if verdict.outcome is Outcome.NOT_APPLICABLE:
        case.kind, case.type = Kind.SKIPPED, "notApplicable"
    elif failed and run.xfail is not None:
        case.kind, case.type = Kind.SKIPPED, "pytest.xfail"
    elif tolerated is not None:
        case.kind, case.type = Kind.SKIPPED, TOLERATED
    elif failed:
        undecided = verdict.outcome is Outcome.ERROR
        case.kind, case.type = (Kind.ERROR, verdict.code or "") if undecided else (Kind.FAILURE, "belowThreshold")
    if case.kind is not Kind.PASSED:
        case.message = run.xfail if failed and run.xfail is not None else summary(verdict)
        if tolerated is not None:
            case.message = f"tolerated by gate {tolerated}: {case.message}"
    if texts:
        case.properties = _properties(verdict, turn)
        if case.kind in {Kind.FAILURE, Kind.ERROR}:
            case.text = "\n".join(line.text for line in verdict_lines(verdict, turn, run.place))
    return case


def _tolerated(case: Case, run: ItemRun) -> Case:
    """Make an error a skip where a gate answers for it."""
    gate = run.tolerated.get(case.name)
    if gate is not None:
        case.kind, case.type, case.text = Kind.SKIPPED, TOLERATED, ""
        case.message = f"tolerated by gate {gate}: {case.message}"
    return case


def _told(run: ItemRun, result: ItemResult | None) -> Iterator[Trouble]:
    """Yield the troubles that no verdict tells of: an item with verdicts that is skipped needs no case for that."""
    for trouble in run.troubles:
        if trouble.kind is not Kind.SKIPPED or result is None or not result.verdicts:
            yield trouble


def _properties(verdict: Verdict, turn: TurnResult) -> list[tuple[str, str]]:
    found = {
        "score": verdict.score,
        "threshold": verdict.threshold,
        "reason": verdict.reason or None,
        "response": turn.source,
        "diagnostic_code": verdict.details.get("diagnostic_code"),
    }
    if verdict.usage is not None:
        found |= {
            "judge_model": verdict.usage.model,
            "prompt_tokens": verdict.usage.prompt_tokens,
            "completion_tokens": verdict.usage.completion_tokens,
            "cost": verdict.usage.cost,
            "replayed": verdict.usage.replayed,
        }
    found |= {f"part.{part.part}": part.measure for part in verdict.parts}
    if "repeats" in verdict.details:
        repeats = verdict.details["repeats"]
        found |= {"repeats": repeats["count"], "passes": repeats["passed"], "passes_needed": repeats["needed"]}
        if "mean" in repeats:
            found |= {"mean": repeats["mean"], "spread": f"{number(repeats['lowest'])} to {number(repeats['highest'])}"}
    properties = verdict.details.get("properties")
    for dimension in properties.get("dimension_scores", ()) if isinstance(properties, dict) else ():
        found[f"dimension.{dimension['id']}"] = dimension["score"] if dimension["applicable"] else "not applicable"
    return [(name, _written(value)) for name, value in found.items() if value is not None]


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
