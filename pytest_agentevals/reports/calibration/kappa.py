"""Agreement beyond chance of two who judge the same things. Standard library only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.statistics import Z95, Interval, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: Counts of pairs: a row for each category of the one, a column for each of the other, in the same order.
    Table = Sequence[Sequence[int]]
    #: How much the categories of two indices disagree: 0 where they are the same, else more.
    Distance = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa: 1 for perfect agreement, 0 for what chance would give, below 0 for less than that."""

    value: float
    #: Of 95 %; None where one of the two said the same of everything, which tells nothing of agreement.
    interval: Interval | None


def plain(one: int, other: int) -> int:
    """Count every disagreement as one."""
    return int(one != other)


def linear(one: int, other: int) -> int:
    """Count a disagreement by how many categories lie between."""
    return abs(one - other)


def quadratic(one: int, other: int) -> int:
    """Count a disagreement by the square of how many categories lie between."""
    return (one - other) ** 2


def kappa(table: Table, distance: Distance = plain) -> Kappa | None:
    """Return Cohen's kappa of some pairs; None where both said one and the same of everything, or there are none.

    The interval is that of the large-sample variance, cut to what is possible. Without any disagreement this variance
    is 0, whatever the number of pairs; then the lower limit is the kappa that Wilson's lower limit of the agreement
    would give, every disagreement being one of the largest.

    Sources: J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20
    (1960), and for weights Psychological Bulletin 70 (1968); the variance from J. L. Fleiss, J. Cohen and B. S.
    Everitt, Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72 (1969), formula 8.
    """
    size = range(len(table))
    rows = [sum(row) for row in table]
    columns = [sum(row[place] for row in table) for place in size]
    total = sum(rows)
    found = sum(distance(one, other) * table[one][other] for one in size for other in size)
    expected = sum(distance(one, other) * rows[one] * columns[other] for one in size for other in size)
    if not expected:
        return None
    value = 1 - total * found / expected
    if max(rows) == total or max(columns) == total:
        return Kappa(value, None)
    if not found:
        low = 1 - (1 - wilson(total, total).low) * total**2 * _largest(distance, len(table)) / expected
        return Kappa(value, Interval(max(-1.0, low), 1.0))
    spread = Z95 * _standard_error(table, rows, columns, distance)
    return Kappa(value, Interval(max(-1.0, value - spread), min(1.0, value + spread)))


def _largest(distance: Distance, size: int) -> int:
    return distance(0, size - 1)


def _standard_error(table: Table, rows: Sequence[int], columns: Sequence[int], distance: Distance) -> float:
    size, total = range(len(table)), sum(rows)
    most = _largest(distance, len(table))
    weights = [[1 - distance(one, other) / most for other in size] for one in size]
    by_row = [sum(weights[one][other] * columns[other] for other in size) / total for one in size]
    by_column = [sum(weights[one][other] * rows[one] for one in size) / total for other in size]
    observed = sum(weights[one][other] * table[one][other] for one in size for other in size) / total
    chance = sum(by_row[one] * rows[one] for one in size) / total
    squares = math.fsum(
        table[one][other]
        * (weights[one][other] * (1 - chance) - (by_row[one] + by_column[other]) * (1 - observed)) ** 2
        for one in size
        for other in size
    )
    variance = squares / total - (observed * chance - 2 * chance + observed) ** 2
    return math.sqrt(max(0.0, variance) / total) / (1 - chance) ** 2
