"""Whether two things rise and fall together. Standard library only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.statistics import mean

if TYPE_CHECKING:
    from collections.abc import Sequence


class Correlation(NamedTuple):
    """Spearman's rank correlation, from -1 to 1."""

    rho: float
    #: Probability of one at least as far from 0, if nothing were behind it.
    p: float


def spearman(first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    """Correlate the ranks of paired values; equal values share the mean of their ranks.

    None where all values of one of the two are the same. The p-value is from the normal distribution: over all orders
    of the values, with ties too, rho has the mean 0 and the variance 1 / (n - 1).
    Sources: C. Spearman, The proof and measurement of association between two things, American Journal of Psychology
    15 (1904); M. G. Kendall, Rank correlation methods (1948), on the variance.
    """
    one, other = _ranks(first), _ranks(second)
    spread = math.sqrt(math.fsum(rank * rank for rank in one) * math.fsum(rank * rank for rank in other))
    if not spread:
        return None
    rho = max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(one, other, strict=True)) / spread))
    return Correlation(rho, math.erfc(abs(rho) * math.sqrt((len(one) - 1) / 2)))


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks of some values, less their mean."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    middle = (len(values) - 1) / 2
    shared = {value: mean(each) - middle for value, each in places.items()}
    return [shared[value] for value in values]
