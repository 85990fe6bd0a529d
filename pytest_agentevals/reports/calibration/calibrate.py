"""Compares the verdicts of a run with people's labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.calibration import Bias, Calibrated, Calibration, Disagreement, Grades
from pytest_agentevals.reports.calibration.ceiling import ceiling
from pytest_agentevals.reports.calibration.correlation import spearman
from pytest_agentevals.reports.calibration.kappa import kappa, linear, quadratic
from pytest_agentevals.reports.calibration.labelled import GRADES, errors, nearest, rated
from pytest_agentevals.reports.calibration.labelling import matched
from pytest_agentevals.reports.calibration.threshold import best
from pytest_agentevals.reports.comparison.significance import holm
from pytest_agentevals.reports.statistics import mean
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_agentevals.documents.labels import Label
    from pytest_agentevals.reports.calibration.correlation import Correlation
    from pytest_agentevals.reports.calibration.labelled import Labelled, Rated
    from pytest_agentevals.reports.calibration.threshold import Best
    from pytest_agentevals.reports.run import Run

#: Of what might make an evaluator milder or stricter, the value for a verdict.
REASONS: dict[str, Callable[[Rated], float]] = {
    "length": lambda each: each.length,
    "position": lambda each: each.labelled.position,
}
DECIDED = {Outcome.PASS, Outcome.FAIL}


def calibrate(run: Run, labels: Iterable[Label], good_from: float | None = None) -> Calibration:
    """Compare the verdicts of a run with labels, the first of which count where they contradict each other.

    ``good_from`` says from which grade of 1 to 5 on people would let a response pass; None for the threshold of the
    verdict. Raises `ConfigurationError` where a label cannot be understood, or none of them is for a verdict.
    """
    labels = list(labels)
    labelling = matched(run, labels)
    if not labelling.found:
        raise ConfigurationError(
            f"none of the labels ({len(labels)}) is for a verdict of these results; the first is {_name(labels[0])}."
            if labels
            else "there are no labels: give a CSV file, or label items in extensions.human."
        )
    verdicts = Counter(case.evaluator for _, case in run.cases())
    by_evaluator: defaultdict[str, list[Labelled]] = defaultdict(list)
    for each in labelling.found:
        by_evaluator[each.case.evaluator].append(each)
    read = {
        name: rated([each for each in found if each.case.outcome in DECIDED], good_from)
        for name, found in by_evaluator.items()
    }
    biases = _biases({name: [each for each in found if each.good is not None] for name, found in read.items()})
    return Calibration(
        evaluators=tuple(
            _calibrated(name, found, read[name], biases[name], verdicts[name] - len(found))
            for name, found in by_evaluator.items()
        ),
        unmatched=tuple(_name(label) for label in labelling.unmatched),
        overruled=tuple(label.place for label in labelling.overruled),
        unlabelled=len(run.items) - len({each.item.label for each in labelling.found}),
    )


def _name(label: Label) -> str:
    turn = "" if label.turn is None else f"turn {label.turn}"
    named = ": ".join(filter(None, (turn, label.evaluator)))
    return f"{label.place} ({label.item}{f' [{named}]' if named else ''})"


def _calibrated(
    name: str, found: Sequence[Labelled], every: Sequence[Rated], biases: dict[str, Bias | None], unlabelled: int
) -> Calibrated:
    clear = [each for each in every if each.good is not None]
    counts = Counter((bool(each.good), each.passed) for each in clear)
    table = (counts[True, True], counts[True, False]), (counts[False, True], counts[False, False])
    outcomes = Counter(each.case.outcome for each in found)
    return Calibrated(
        evaluator=name,
        confusion=table,
        kappa=kappa(table),
        grades=_grades(clear),
        **biases,
        threshold=_threshold(clear),
        ceiling=ceiling(every),
        disagreements=tuple(_disagreement(each) for each in clear if each.good is not each.passed),
        errors=outcomes[Outcome.ERROR],
        not_applicable=outcomes[Outcome.NOT_APPLICABLE],
        tied=len(every) - len(clear),
        unlabelled=unlabelled,
    )


def _grades(found: Sequence[Rated]) -> Grades | None:
    """Compare grades, where people gave some; means of several judgments are rounded."""
    counts = Counter(
        (each.grade, nearest(each.verdict.score))
        for each in found
        if each.grade is not None and each.verdict.score is not None
    )
    if not counts:
        return None
    scale = range(GRADES[0], GRADES[1] + 1)
    table = tuple(tuple(counts[people, own] for own in scale) for people in scale)
    return Grades(
        count=counts.total(),
        agreed=sum(count for (people, own), count in counts.items() if people == own),
        confusion=table,
        linear=kappa(table, linear),
        quadratic=kappa(table, quadratic),
    )


def _threshold(found: Sequence[Rated]) -> Best | None:
    scored = [
        (each, float(score))
        for each in found
        if (score := each.verdict.score) is not None and not isinstance(score, bool)
    ]
    thresholds = {each.verdict.threshold for each, _ in scored}
    return best(
        [score for _, score in scored],
        [bool(each.good) for each, _ in scored],
        [each.passed for each, _ in scored],
        thresholds.pop() if len(thresholds) == 1 else None,
    )


def _biases(found: dict[str, list[Rated]]) -> dict[str, dict[str, Bias | None]]:
    """Look for biases of all evaluators; the more of them, the stronger one must be to be more than chance."""
    seen: dict[tuple[str, str], Correlation] = {}
    for name, rows in found.items():
        for reason, value in REASONS.items():
            correlation = spearman([value(each) for each in rows], errors(rows))
            if correlation is not None:
                seen[name, reason] = correlation
    adjusted = dict(zip(seen, holm([each.p for each in seen.values()]), strict=True))

    def bias(name: str, reason: str) -> Bias | None:
        if (name, reason) not in seen:
            return None
        lower, upper = _halves(found[name], REASONS[reason])
        return Bias(rho=seen[name, reason].rho, p=adjusted[name, reason], lower=lower, upper=upper)

    return {name: {reason: bias(name, reason) for reason in REASONS} for name in found}


def _halves(rows: Sequence[Rated], value: Callable[[Rated], float]) -> tuple[float, float]:
    """Return the mean error of those up to the median, and of those above it; the values are not all the same."""
    values = [value(each) for each in rows]
    # Where more than half have the highest value, the lower half is what is below it.
    middle = min(median(values), max({*values} - {max(values)}))
    found = list(zip(values, errors(rows), strict=True))
    lower, upper = ([error for each, error in found if (each > middle) is above] for above in (False, True))
    return mean(lower), mean(upper)


def _disagreement(each: Rated) -> Disagreement:
    return Disagreement(
        item=each.labelled.item.label,
        name=each.labelled.case.name,
        false_pass=each.passed,
        measure=each.verdict.measure,
        labels=tuple(
            f"{label.labeller}: {label.value}" if label.labeller else str(label.value) for label in each.labelled.labels
        ),
        reason=each.verdict.reason,
    )
