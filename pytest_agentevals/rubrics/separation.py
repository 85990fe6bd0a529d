"""How well scores tell good from bad responses: the area under the ROC curve, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.statistics import Z95, Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Separation:
    """How one score separates: ``auc`` is the probability that a good response scores higher than a bad one.

    A tie counts half: 0.5 is chance, 1 perfect, less than 0.5 worse than chance.
    """

    good: int
    bad: int
    auc: float
    interval: Interval

    @property
    def verdict(self) -> str:
        """What the interval says, as a phrase."""
        if self.interval.low > 0.5:
            return "separates"
        return "higher for bad responses" if self.interval.high < 0.5 else "may be chance"


def separation(good: Sequence[float], bad: Sequence[float]) -> Separation:
    """Compare the scores of good responses with those of bad ones; at least one of each."""
    area = auc(good, bad)
    return Separation(len(good), len(bad), area, interval(area, len(good), len(bad)))


def auc(good: Sequence[float], bad: Sequence[float]) -> float:
    """Return the area under the ROC curve, which is the Mann-Whitney statistic divided by the number of pairs.

    Source: J. A. Hanley and B. J. McNeil, The meaning and use of the area under a ROC curve, Radiology 143 (1982).
    """
    ranked = sorted([(score, True) for score in good] + [(score, False) for score in bad])
    ranks, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        # Equal scores share the mean of their ranks, which count from 1.
        ranks += sum(label for _, label in ranked[start:end]) * (start + 1 + end) / 2
        start = end
    return (ranks - len(good) * (len(good) + 1) / 2) / (len(good) * len(bad))


def interval(area: float, good: int, bad: int, z: float = Z95) -> Interval:
    """Return the score interval of an area under the ROC curve: it stays within 0 and 1, also of a perfect score.

    Its limits are those areas from which the one found lies ``z`` standard errors away, each with the standard error
    that it would have itself. Source: R. G. Newcombe, Confidence intervals for an effect size measure based on the
    Mann-Whitney statistic, part 2, Statistics in Medicine 25 (2006), method 5.
    """
    mean = (good + bad) / 2 - 1

    def variance(true: float) -> float:
        spread = 1 + mean * ((1 - true) / (2 - true) + true / (1 + true))
        return true * (1 - true) / (good * bad) * spread

    def too_far(true: float) -> bool:
        return abs(true - area) > z * math.sqrt(variance(true))

    return Interval(_edge(too_far, 0.0, area), _edge(too_far, 1.0, area))


def _edge(too_far: Callable[[float], bool], outer: float, inner: float) -> float:
    """Find where values stop being too far, between a limit that may be and a value that is not."""
    for _ in range(60):
        middle = (outer + inner) / 2
        if too_far(middle):
            outer = middle
        else:
            inner = middle
    return inner
