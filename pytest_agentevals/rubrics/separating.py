"""How well a rubric and each of its dimensions tell good from bad responses, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.documents.wording import plain
from pytest_agentevals.rubrics.separation import separation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentevals.rubrics.definition import Definition
    from pytest_agentevals.rubrics.labelled import Labelled
    from pytest_agentevals.rubrics.separation import Separation

#: Responses on either side below which an interval says little.
FEW = 10


@dataclass(frozen=True, slots=True)
class Report:
    """The lines of a table, and what should be looked at."""

    lines: tuple[str, ...]
    warnings: tuple[str, ...]


def report(rubric: Definition, found: Sequence[Labelled], good: Sequence[bool]) -> Report:
    """Compare the scores of good and bad responses: those of the rubric, and of each of its dimensions.

    ``good`` says of each response what people said; there is at least one of either.
    """
    total = _separated((one.total for one in found), good)
    rows = [
        (dimension.id, _separated((one.scores[dimension.id] for one in found), good)) for dimension in rubric.dimensions
    ]
    table = _table([("all together", total), *rows])
    return Report((*table, _threshold(rubric, found, good)), tuple(_warnings(total, rows)))


def _separated(scores: Iterable[float | None], good: Sequence[bool]) -> Separation | None:
    """Return the separation of scores; None where all that apply are of one kind."""
    pairs = [(score, label) for score, label in zip(scores, good, strict=True) if score is not None]
    best = [score for score, label in pairs if label]
    worst = [score for score, label in pairs if not label]
    return separation(best, worst) if best and worst else None


def _table(rows: Sequence[tuple[str, Separation | None]]) -> Iterator[str]:
    width = max(len("dimension"), *(len(plain(name)) for name, _ in rows))
    yield f"  {'dimension':<{width}}  good  bad   AUC  95 % interval"
    for name, found in rows:
        if found is None:
            yield f"  {plain(name):<{width}}  applies to good or to bad responses only"
        else:
            between = f"{found.interval.low:.2f} to {found.interval.high:.2f}"
            counts = f"{found.good:>4}  {found.bad:>3}"
            yield f"  {plain(name):<{width}}  {counts}  {found.auc:.2f}  {between}  {found.verdict}"


def _threshold(rubric: Definition, found: Sequence[Labelled], good: Sequence[bool]) -> str:
    passing = [one.total >= rubric.cut for one in found]
    kept = sum(passed for passed, label in zip(passing, good, strict=True) if label)
    stopped = sum(not passed for passed, label in zip(passing, good, strict=True) if not label)
    count = sum(good)
    return (
        f"  at the threshold {rubric.cut:g}, {kept} of {count} good responses pass "
        f"and {stopped} of {len(good) - count} bad ones fail"
    )


def _warnings(total: Separation | None, rows: Sequence[tuple[str, Separation | None]]) -> Iterator[str]:
    if total is not None and min(total.good, total.bad) < FEW:
        yield f"fewer than {FEW} good or bad responses: label more before you rely on this"
    if total is not None and total.interval.low <= 0.5:
        yield "the rubric as a whole may tell good from bad by chance only"
    for name, found in rows:
        if found is not None and found.interval.high < 0.5:
            yield f"{plain(name)} scores bad responses higher than good ones"
