"""Tests of whether paired differences are more than noise. Standard library only."""

from __future__ import annotations

import math
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Differences up to which Wilcoxon's test is exact.
EXACT = 100


class Shift(NamedTuple):
    """What a test says of a difference."""

    #: Probability of one at least as large, in either direction, if nothing had changed.
    p: float
    #: 1 for up, -1 for down, 0 for neither.
    direction: int


def mcnemar(worse: int, better: int) -> Shift:
    """Make McNemar's exact test of the pairs that changed one way and the other (at least one did).

    If nothing is behind the changes, each goes either way like a coin, so that their counts are binomial.
    Source: Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
    Psychometrika 12 (1947).
    """
    total = worse + better
    tail, ways = 0, 1
    for count in range(min(worse, better) + 1):
        tail += ways
        ways = ways * (total - count) // (count + 1)
    return Shift(min(1.0, 2 * tail / 2**total), _sign(better - worse))


def wilcoxon(differences: Sequence[float]) -> Shift:
    """Make Wilcoxon's signed-rank test of some differences (at least one is not 0).

    Differences of 0 are left out, as Wilcoxon did; equal sizes share the mean of their ranks. Up to `EXACT` differences
    the p-value is exact for these very ranks, beyond that from the normal distribution with corrections for ties and
    for continuity.
    Source: F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945).
    """
    changes = [difference for difference in differences if difference]
    # Twice the ranks, because these are whole numbers: those from n + 1 to n + t share (2 n + t + 1) / 2.
    ties = dict(sorted(Counter(map(abs, changes)).items()))
    doubled = {
        size: 2 * (up_to - count) + count + 1
        for (size, count), up_to in zip(ties.items(), accumulate(ties.values()), strict=True)
    }
    ranks = [doubled[abs(change)] for change in changes]
    up = sum(rank for rank, change in zip(ranks, changes, strict=True) if change > 0)
    down = sum(ranks) - up
    if len(changes) <= EXACT:
        p = 2 * _ways(ranks, min(up, down)) / 2 ** len(changes)
    else:
        # Each rank is in the sum or not, so its variance is a quarter of its square; that includes the ties.
        deviation = math.sqrt(sum(rank * rank for rank in ranks)) / 4
        distance = max(0.0, abs(up - down) / 4 - 0.5)
        p = math.erfc(distance / deviation / math.sqrt(2))
    return Shift(min(1.0, p), _sign(up - down))


def _ways(numbers: Sequence[int], limit: int) -> int:
    """Count the subsets of some numbers whose sum is at most ``limit``."""
    ways = [1] + [0] * limit
    for each in numbers:
        for total in range(limit, each - 1, -1):
            ways[total] += ways[total - each]
    return sum(ways)


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number: where nothing changed, one of all of them is below 0.05 in 5 % of runs at most.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6 (1979).
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    steps = accumulate((values[index] * (len(values) - place) for place, index in enumerate(order)), max)
    adjusted = dict(zip(order, steps, strict=True))
    return [min(1.0, adjusted[index]) for index in range(len(values))]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
