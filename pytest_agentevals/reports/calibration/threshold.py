"""The threshold that would have agreed best with people, and how far that can be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from pytest_agentevals.reports.comparison.significance import mcnemar
from pytest_agentevals.reports.statistics import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.statistics import Interval

    #: Agreement in whole numbers, and what decides between equal ones: closeness to the present threshold.
    Rank = tuple[int, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The threshold that agrees with the most labels, beside the present one."""

    value: float
    #: None where the verdicts had several thresholds.
    present: float | None
    count: int
    #: Verdicts that the best threshold lets pass.
    passing: int
    #: Agreeing verdicts now, and with the best threshold: these labels chose it, so that it looks better than it is.
    agreed_now: int
    agreed: int
    #: Agreeing verdicts where each is decided by the threshold that is best for all others (leave-one-out).
    held_out: int
    #: Probability that ``held_out`` differs from ``agreed_now`` by chance at least as much; None without difference.
    p: float | None

    @property
    def interval(self) -> Interval:
        """Wilson's interval of 95 % for the agreement that is to be expected of it."""
        return wilson(self.held_out, self.count)


def best(scores: Sequence[float], good: Sequence[bool], passed: Sequence[bool], present: float | None) -> Best | None:
    """Find the threshold from which on scores agree best with what people found good.

    ``passed`` says how each was decided with the present threshold. Of equally good thresholds that next to the
    present one is taken. None where there is nothing to choose: all scores are the same, or all are good or bad.
    """
    if len(set(scores)) < 2 or len(set(good)) < 2:
        return None
    values = sorted({*scores} | ({present} if present is not None else set()))
    places = {value: place for place, value in enumerate(values)}
    # Raising the threshold above a score turns it into a fail: right where it is bad, wrong where it is good.
    steps = [0] * len(values)
    for score, fine in zip(scores, good, strict=True):
        steps[places[score]] += -1 if fine else 1
    agreed = list(accumulate(steps[:-1], initial=sum(good)))
    near = [0.0 if present is None else -abs(value - present) for value in values]
    ranks: list[Rank] = [(count, close, -value) for count, close, value in zip(agreed, near, values, strict=True)]
    chosen = max(ranks)
    up_to, above = list(accumulate(ranks, max)), list(accumulate(reversed(ranks), max))[::-1]

    def decided(score: float, fine: bool) -> bool:
        """Decide a score by the threshold that is best for all others: those that are right of it lose one."""
        place = places[score]
        low = up_to[place]
        high = above[place + 1] if place + 1 < len(values) else (-1, 0.0, 0.0)
        if fine:
            low = (low[0] - 1, *low[1:])
        else:
            high = (high[0] - 1, *high[1:])
        return low > high

    alone = [decided(score, fine) is fine for score, fine in zip(scores, good, strict=True)]
    now = [decision is fine for decision, fine in zip(passed, good, strict=True)]
    worse = sum(a < b for a, b in zip(alone, now, strict=True))
    better = sum(a > b for a, b in zip(alone, now, strict=True))
    return Best(
        value=-chosen[2],
        present=present,
        count=len(scores),
        passing=sum(score >= -chosen[2] for score in scores),
        agreed_now=sum(now),
        agreed=chosen[0],
        held_out=sum(alone),
        p=mcnemar(worse, better).p if worse or better else None,
    )
