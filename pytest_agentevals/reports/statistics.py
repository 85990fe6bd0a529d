"""The arithmetic of reports. Standard library only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_agentevals.statistics import Interval, mean, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Interval", "mean", "quantile", "wilson"]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile of some values (at least one; any order), ``share`` between 0 and 1.

    Linear between the two nearest values, as type 7 of Hyndman and Fan (The American Statistician 50, 1996).
    """
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
