"""How well people agree among themselves: more cannot be asked of an evaluator."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_agentevals.reports.calibration.kappa import kappa
from pytest_agentevals.reports.statistics import mean
from pytest_agentevals.statistics import Z95, Interval, standard_deviation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentevals.reports.calibration.labelled import Rated


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """Agreement of two people, beside that of the evaluator and one person; of responses that several labelled."""

    labellers: int
    responses: int
    #: Shares from 0 to 1, of all pairs of labels of a response, and of all its labels; each response counts the same.
    people: float
    evaluator: float
    #: Cohen's kappa of two labellers, the mean over all pairs of them, weighted by what both labelled; None where it is
    #: undefined. After R. J. Light, Measures of response agreement for qualitative data, Psychological Bulletin 76
    #: (1971).
    kappa: float | None
    #: Of 95 %, of ``evaluator`` - ``people``: the responses are a sample, each with its difference.
    difference: Interval | None


def ceiling(found: Sequence[Rated]) -> Ceiling | None:
    """Compare an evaluator with people who labelled the same responses; None without two labels of any."""
    several = [each for each in found if len(each.opinions) > 1]
    if not several:
        return None
    people = [_share(one.passed is other.passed for one, other in combinations(each.opinions, 2)) for each in several]
    own = [_share(opinion.passed is each.passed for opinion in each.opinions) for each in several]
    return Ceiling(
        labellers=len({opinion.labeller for each in several for opinion in each.opinions}),
        responses=len(several),
        people=mean(people),
        evaluator=mean(own),
        kappa=_kappa(several),
        difference=_interval([one - other for one, other in zip(own, people, strict=True)]),
    )


def _share(agreed: Iterable[bool]) -> float:
    return mean([float(each) for each in agreed])


def _interval(differences: Sequence[float]) -> Interval | None:
    if len(differences) < 2:
        return None
    middle = mean(differences)
    spread = Z95 * standard_deviation(differences) / math.sqrt(len(differences))
    return Interval(middle - spread, middle + spread)


def _kappa(several: Sequence[Rated]) -> float | None:
    tables: defaultdict[tuple[str, str], list[list[int]]] = defaultdict(lambda: [[0, 0], [0, 0]])
    for each in several:
        for one, other in combinations(sorted(each.opinions, key=lambda opinion: opinion.labeller), 2):
            tables[one.labeller, other.labeller][not one.passed][not other.passed] += 1
    weighted = [(found.value, sum(map(sum, table))) for table in tables.values() if (found := kappa(table)) is not None]
    total = sum(count for _, count in weighted)
    return math.fsum(value * count for value, count in weighted) / total if total else None
