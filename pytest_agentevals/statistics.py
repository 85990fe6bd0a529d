"""Means and rates, for verdicts that sum up others and for reports. Standard library only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Standard normal quantile of a two-sided interval of 95 %.
Z95 = 1.959963984540054


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def wilson(passed: int, total: int, z: float = Z95) -> Interval:
    """Return Wilson's score interval of a rate, ``passed`` of ``total`` (at least 1).

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    """
    rate = passed / total
    spread = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total))
    middle, scale = rate + z * z / (2 * total), 1 + z * z / total
    # The limits of nothing and of everything are exact, which floating point would miss by a bit.
    low = 0.0 if passed == 0 else (middle - spread) / scale
    high = 1.0 if passed == total else (middle + spread) / scale
    return Interval(low, high)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of some values (at least one), exactly summed."""
    return math.fsum(values) / len(values)


def standard_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of a sample (at least two values), with n - 1 in the denominator."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))
