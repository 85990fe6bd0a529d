"""Where things lie in small charts: numbers for the attributes of SVG elements, which need no style of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.html.wording import SIGNS
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from pytest_agentevals.reports.figures import Figures

#: Width and height of a distribution.
WIDTH, HEIGHT = 120, 20


class Bar(NamedTuple):
    """A rectangle of a chart."""

    x: float
    y: float
    width: float
    height: float
    #: Whether all scores in it are below the threshold.
    below: bool


@dataclass(frozen=True, slots=True)
class Distribution:
    """The scores of one evaluator as bars, and where the threshold lies."""

    bars: list[Bar]
    #: From the left; None without a single threshold.
    threshold: float | None
    low: str
    high: str
    #: The same in words.
    words: str


def distribution(figures: Figures) -> Distribution | None:
    """Return the chart of some scores; None without any."""
    counts = figures.distribution()
    if not counts or figures.scale is None:
        return None
    low, high = figures.scale
    high = max(figures.scores) if high is None else high
    whole = figures.scale == (1, 5)
    # On a scale of whole numbers a bar stands for one of them, and the threshold lies at its left edge.
    step = 1 if whole else ((high - low) or 1) / len(counts)
    limit = next(iter(figures.thresholds)) if len(figures.thresholds) == 1 else None
    width, most = WIDTH / len(counts), max(counts)
    # The last bar has the highest score, which reaches every threshold.
    last = len(counts) - 1
    bars = [
        Bar(
            round(position * width + 1, 2),
            round(HEIGHT - height, 2),
            round(width - 2, 2),
            round(height, 2),
            limit is not None
            and position < last
            and low + (position + (not whole)) * step < limit + (not whole) * 1e-9,
        )
        for position, count in enumerate(counts)
        for height in [max(1.5, HEIGHT * count / most) if count else 0.0]
    ]
    edge = None if limit is None else round(max(0.0, min(1.0, (limit - low) / (step * len(counts)))) * WIDTH, 2)
    return Distribution(bars, edge, number(low), number(high), ", ".join(_words(counts, low, step, whole=whole)))


def _words(counts: list[int], low: float, step: float, *, whole: bool) -> Iterator[str]:
    for position, count in enumerate(counts):
        if count:
            start = low + position * step
            yield f"{number(start)}: {count}" if whole else f"{number(start)} to {number(start + step)}: {count}"


class Share(NamedTuple):
    """A part of a bar that is 100 wide."""

    state: str
    x: float
    width: float


def shares(counts: Counter[str]) -> list[Share]:
    """Divide a bar among the states of items, worst first."""
    total = sum(counts.values())
    found: list[Share] = []
    x = 0.0
    for state in SIGNS:
        if counts[state]:
            width = 100 * counts[state] / total
            found.append(Share(state, round(x, 3), round(width, 3)))
            x += width
    return found


class Gauge(NamedTuple):
    """A score on its scale, in percent of the width; the threshold, too, where there is one."""

    score: float
    threshold: float | None


def gauge(score: float, low: float, high: float, threshold: float | None = None) -> Gauge:
    """Return where a score lies between the ends of its scale."""

    def place(value: float) -> float:
        return round(100 * max(0.0, min(1.0, (value - low) / ((high - low) or 1))), 2)

    return Gauge(place(score), None if threshold is None else place(threshold))
