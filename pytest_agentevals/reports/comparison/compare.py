"""Comparing a run with an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.comparison import SIGNIFICANT, Change, Comparison, EvaluatorChange
from pytest_agentevals.reports.comparison.matching import matched, pairs
from pytest_agentevals.reports.comparison.significance import holm, mcnemar, wilcoxon
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.statistics import mean
from pytest_agentevals.results import Outcome, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_agentevals.reports.comparison.matching import Pair, Standing
    from pytest_agentevals.reports.comparison.significance import Shift
    from pytest_agentevals.reports.run import EvaluatedItem, Run

BAD = {Outcome.FAIL, Outcome.ERROR}


def compare(run: Run, baseline: Run, name: str) -> Comparison:
    """Compare a run with its baseline, which is called ``name``.

    For each evaluator, outcomes are compared by McNemar's exact test and scores by Wilcoxon's signed-rank test. The
    p-values of all evaluators are adjusted together by Holm's method.
    """
    items = matched(run, baseline)
    known = {id(item) for both in items for item in both}
    found = [pair for before, after in items for pair in pairs(before, after)]
    evaluators: dict[str, list[Pair]] = {}
    for pair in found:
        evaluators.setdefault(pair.evaluator, []).append(pair)
    return Comparison(
        baseline=name,
        baseline_started=baseline.about.started,
        matched=len(items),
        added=tuple(item.label for item in run.items if id(item) not in known),
        removed=tuple(item.label for item in baseline.items if id(item) not in known),
        regressions=_changes(pair for pair in found if pair.step < 0 and pair.after.outcome in BAD),
        fixed=_changes(pair for pair in found if pair.step > 0 and pair.before.outcome in BAD),
        changed=_changes(pair for pair in found if pair.step == 0 and pair.difference),
        evaluators=tuple(_evaluator_changes(evaluators)),
        remarks=tuple(_remarks(run, baseline, items, evaluators)),
    )


def _changes(found: Iterable[Pair]) -> tuple[Change, ...]:
    return tuple(
        Change(
            item=pair.item.label,
            document=pair.item.document,
            name=pair.name,
            before=pair.before.outcome,
            after=pair.after.outcome,
            before_score=pair.before.score,
            after_score=pair.after.score,
            reason=pair.after.reason,
        )
        for pair in found
    )


class Tested(NamedTuple):
    """What tests say of one evaluator; None where there is nothing to test."""

    outcomes: Shift | None
    scores: Shift | None

    @classmethod
    def of(cls, found: Sequence[Pair]) -> Tested:
        """Test pairs that have a pass or a fail on both sides."""
        steps = [pair.step for pair in found]
        changes = [(pair.difference, pair.step) for pair in found if pair.difference is not None]
        # Scores that change only as their outcomes do would be tested twice.
        telling = any(difference != step for difference, step in changes) and any(change for change, _ in changes)
        return cls(
            mcnemar(steps.count(-1), steps.count(1)) if any(steps) else None,
            wilcoxon([change for change, _ in changes]) if telling else None,
        )


def _evaluator_changes(evaluators: Mapping[str, Sequence[Pair]]) -> Iterator[EvaluatorChange]:
    decided = {name: [pair for pair in found if pair.decided] for name, found in evaluators.items()}
    tests = {name: Tested.of(found) for name, found in decided.items()}
    adjusted = iter(holm([shift.p for both in tests.values() for shift in both if shift]))
    for name, found in decided.items():
        # The test that says more decides.
        p, direction = min(((next(adjusted), shift.direction) for shift in tests[name] if shift), default=(None, 0))
        outcomes, scores = tests[name]
        differences = [pair.difference for pair in found if pair.difference is not None]
        yield EvaluatorChange(
            evaluator=name,
            pairs=len(found),
            worse=sum(pair.step < 0 for pair in found),
            better=sum(pair.step > 0 for pair in found),
            before_pass_rate=_mean([pair.before.outcome is Outcome.PASS for pair in found]),
            after_pass_rate=_mean([pair.after.outcome is Outcome.PASS for pair in found]),
            before_mean=_mean([pair.before.score for pair in found if pair.difference is not None]),
            after_mean=_mean([pair.after.score for pair in found if pair.difference is not None]),
            outcome_p=outcomes.p if outcomes else None,
            score_p=scores.p if scores else None,
            lower=sum(difference < 0 for difference in differences),
            higher=sum(difference > 0 for difference in differences),
            undecided=sum(Outcome.ERROR in {pair.before.outcome, pair.after.outcome} for pair in evaluators[name]),
            p=p,
            direction=direction if p is not None and p < SIGNIFICANT else 0,
        )


def _mean(values: Sequence[float | None]) -> float | None:
    return mean([value for value in values if value is not None]) if values else None


def _remarks(
    run: Run,
    baseline: Run,
    items: Sequence[tuple[EvaluatedItem, EvaluatedItem]],
    evaluators: Mapping[str, Sequence[Pair]],
) -> Iterator[str]:
    """Say what makes the comparison less of one."""
    for about, which in ((baseline.about, "the baseline"), (run.about, "this run")):
        if about.interrupted:
            yield f"{which} ended before all items had run"
    found = [pair for each in evaluators.values() for pair in each]
    before, after = (_names(pair.before for pair in found), _names(pair.after for pair in found))
    if before and after and before != after:
        yield f"the judge differs: {before} in the baseline, {after} now"
    for name, each in evaluators.items():
        moved = [pair for pair in each if pair.decided and pair.before.threshold != pair.after.threshold]
        if moved:
            yield (
                f"{name}: the threshold of {plural(len(moved), 'verdict')} differs: "
                f"{_thresholds(pair.before for pair in moved)} in the baseline, "
                f"{_thresholds(pair.after for pair in moved)} now"
            )
    for side, where in ((0, "the baseline"), (1, "this run")):
        names = {case.evaluator for both in items for case in both[side].cases() if case.evaluator}
        for name in sorted(names - evaluators.keys()):
            yield f"{name} has verdicts in {where} only"


def _names(standings: Iterable[Standing]) -> str:
    return ", ".join(sorted({standing.model for standing in standings if standing.model}))


def _thresholds(standings: Iterable[Standing]) -> str:
    found = sorted({standing.threshold for standing in standings if standing.threshold is not None})
    return ", ".join(map(number, found)) or "none"
