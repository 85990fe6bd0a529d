"""Gates: conditions on the figures of a whole run, instead of on every single verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.figures import Figures
from pytest_agentevals.reports.gates.syntax import DECIMALS, ERRORS, QUALITY
from pytest_agentevals.reports.statistics import quantile
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.reports.gates.syntax import Gate
    from pytest_agentevals.reports.run import EvaluatedItem, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate at the end of a run."""

    #: The gate as the user wrote it.
    text: str
    #: What the run has in the place of the limit; None where that is unknown, or nothing was evaluated.
    value: float | None
    #: How many verdicts (for latencies: responses) it is about.
    count: int
    met: bool
    #: Whether the run fails where it is not met; gates of the ini file are only shown when items were selected.
    enforced: bool = True
    #: Why it is not met, where the value does not say: nothing was evaluated, the run was interrupted.
    reason: str = ""
    #: The number after the comparison; None where a results document does not say.
    limit: float | None = None

    def __str__(self) -> str:
        return f"gate {self.text}: {self.outcome}"

    @property
    def outcome(self) -> str:
        """Say how it ended: ``not met: 0.85 (n = 20)``."""
        state = ("met" if self.met else "not met") + ("" if self.enforced else ", only shown")
        found = "; ".join(filter(None, [self.reason, None if self.value is None else self.measure]))
        return f"{state}: {found} (n = {self.count})"

    @property
    def measure(self) -> str:
        """The value as people read it, in percent where the gate is, and never rounded to the limit."""
        if self.value is None:
            return "unknown"
        scale, unit = (100, "%") if self.text.endswith("%") else (1, "")
        value = round(self.value * scale, DECIMALS)
        limit = None if self.limit is None else round(self.limit * scale, DECIMALS)
        texts = (number(value), f"{value:.6g}", f"{value:.12g}")
        return next((text for text in texts if value == limit or float(text) != limit), texts[-1]) + unit


class Found(NamedTuple):
    """The figure that a gate is about."""

    value: float | None
    total: int
    #: Why there is no value.
    reason: str = ""


def answering(gates: Sequence[Gate], document: str, tags: Sequence[str], case: Case) -> Gate | None:
    """Return the first gate that answers for a fail or an error, which then does not fail the run by itself.

    Gates on quality answer for fails, gates on errors for errors; gates that are only shown answer for nothing.
    """
    metrics = {Kind.FAILURE: QUALITY, Kind.ERROR: ERRORS}.get(case.kind, ())
    return next(
        (
            gate
            for gate in gates
            if gate.enforced and gate.metric in metrics and gate.covers(document, tags, case.evaluator)
        ),
        None,
    )


def results(run: Run, gates: Sequence[Gate]) -> tuple[GateResult, ...]:
    """Return how gates ended: over what ran, whatever was selected."""
    found = list(run.cases())
    return tuple(_result(gate, found, interrupted=run.about.interrupted) for gate in gates)


def _result(gate: Gate, cases: Sequence[tuple[EvaluatedItem, Case]], *, interrupted: bool) -> GateResult:
    covered = [(item, case) for item, case in cases if gate.covers(item.document, item.tags, case.evaluator)]
    value, count, reason = _figure(gate, covered)
    if not reason and (value is None or not count):
        value, reason = None, "nothing was evaluated that it is about"
    met = value is not None and gate.holds(value) and not interrupted
    if interrupted:
        reason = "the run ended before all items had run"
    return GateResult(
        text=gate.text,
        value=value,
        count=count,
        met=met,
        enforced=gate.enforced,
        reason=reason,
        limit=gate.limit,
    )


def _figure(gate: Gate, covered: Sequence[tuple[EvaluatedItem, Case]]) -> Found:
    cases = [case for _, case in covered]
    figures = Figures.of(cases)
    if gate.metric == "pass_rate":
        return Found(figures.pass_rate, figures.decided)
    if gate.metric in QUALITY:
        return _score(gate, cases, figures)
    if gate.metric in ERRORS:
        silent = sum(not case.evaluator and (case.kind is Kind.ERROR or case.tolerated) for case in cases)
        errors, count = figures.errors + silent, figures.errors + silent + figures.decided
        return Found(errors / (count or 1) if gate.metric == "error_rate" else errors, count)
    if gate.metric == "cost":
        return _cost(cases, figures)
    latencies = list(_latencies(covered))
    return Found(quantile(latencies, gate.share) if latencies else None, len(latencies))


def _score(gate: Gate, cases: Sequence[Case], figures: Figures) -> Found:
    count = len(figures.scores)
    scales = {case.verdict.scale for case in cases if case.verdict is not None and case.verdict.score is not None}
    if len(scales) > 1:
        return Found(None, count, "scores of different scales cannot be taken together, name one evaluator")
    return Found(figures.mean if gate.metric == "mean" else figures.quantile(gate.share), count)


def _cost(cases: Sequence[Case], figures: Figures) -> Found:
    count = sum(case.verdict is not None for case in cases)
    if unknown := figures.spent.without_cost:
        return Found(None, count, f"the cost of {plural(unknown, 'judgment')} is unknown, see evals_judge_prices")
    return Found(figures.spent.cost, count)


def _latencies(covered: Sequence[tuple[EvaluatedItem, Case]]) -> Iterator[float]:
    """Yield the milliseconds in which the agent answered the turns that were evaluated, in every repeat."""
    turns: dict[str, tuple[EvaluatedItem, set[int]]] = {}
    for item, case in covered:
        if case.turn is not None:
            turns.setdefault(item.label, (item, set()))[1].add(case.turn.index)
    for item, indices in turns.values():
        result = item.result
        for each in (result.repeats or [result]) if result else ():
            for turn in each.turns:
                response = turn.response
                if turn.index in indices and response is not None and response.latency_ms is not None:
                    yield response.latency_ms
