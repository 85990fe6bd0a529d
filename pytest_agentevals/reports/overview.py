"""What terminals and Markdown show alike: the table of evaluators, and how verdicts ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.reports.figures import Figures
    from pytest_agentevals.results import Outcome


class Column(NamedTuple):
    """A column with a cell for each evaluator; those with a higher ``rank`` go first where there is no room."""

    title: str
    cells: list[str]
    rank: int = 0


def columns(evaluators: Iterable[Figures]) -> list[Column]:
    """Return the columns beside the evaluators' names. What hardly occurs has one only where it occurs."""
    rows = list(evaluators)
    found = [
        Column("n", [str(row.outcomes.total()) for row in rows]),
        Column("passed", [str(row.passed) for row in rows]),
        Column("failed", [str(row.failed) for row in rows]),
        Column("errors", [str(row.errors) for row in rows]),
    ]
    if any(row.not_applicable for row in rows):
        found.append(Column("n/a", [str(row.not_applicable) for row in rows], 1))
    if any(row.tolerated for row in rows):
        found.append(Column("tolerated", [str(row.tolerated) for row in rows], 1))
    return [
        *found,
        Column("pass rate", [percent(row.pass_rate) for row in rows], 2),
        Column("mean", [number(row.mean) for row in rows], 3),
        Column("threshold", [thresholds(row) for row in rows], 4),
    ]


def percent(rate: float | None) -> str:
    """Write a rate from 0 to 1 for people: ``92.50%``; 100% and 0% are exact."""
    return "-" if rate is None else f"{number(100 * rate)}%"


def thresholds(figures: Figures) -> str:
    """Write the thresholds that verdicts had: ``3``, or ``3 to 4`` where they differ."""
    if not figures.thresholds:
        return "-"
    lowest, highest = min(figures.thresholds), max(figures.thresholds)
    return number(lowest) if lowest == highest else f"{number(lowest)} to {number(highest)}"


def ended(outcome: Outcome, score: float | None) -> str:
    """Write how a verdict ended: ``pass (4)``, ``error``."""
    return outcome.replace("_", " ") + ("" if score is None else f" ({number(score)})")
