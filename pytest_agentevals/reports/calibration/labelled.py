"""Verdicts that people labelled, and what their labels say on the scale of the evaluator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from pytest_agentevals.documents.labels import GOOD_FROM, as_number, as_word, unknown
from pytest_agentevals.results import Outcome, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.documents.labels import Label
    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.reports.run import EvaluatedItem
    from pytest_agentevals.results import Verdict

#: The scale on which people and judges give grades.
GRADES = (1, 5)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one person said of one response: whether it should pass, and the grade where one was given."""

    labeller: str
    passed: bool
    grade: float | None


@dataclass(frozen=True, slots=True)
class Labelled:
    """A verdict with the labels that are for it, one of each labeller."""

    item: EvaluatedItem
    case: Case
    #: Of the item in its document, from 0.
    position: int
    labels: tuple[Label, ...]

    @property
    def name(self) -> str:
        """What people call the verdict: ``datasets/hr.json::leave [turn 2: Relevance]``."""
        return f"{self.item.label} [{self.case.name}]"


@dataclass(frozen=True, slots=True)
class Rated:
    """A pass or a fail beside what people said."""

    labelled: Labelled
    verdict: Verdict
    opinions: tuple[Opinion, ...]

    @property
    def passed(self) -> bool:
        """Whether the evaluator let it pass."""
        return self.verdict.outcome is Outcome.PASS

    @property
    def good(self) -> bool | None:
        """Whether most people would let it pass; None where as many would not."""
        balance = sum(1 if opinion.passed else -1 for opinion in self.opinions)
        return None if not balance else balance > 0

    @property
    def grade(self) -> int | None:
        """The median of people's grades, rounded; None where not all gave one."""
        grades = [opinion.grade for opinion in self.opinions if opinion.grade is not None]
        return nearest(median(grades)) if len(grades) == len(self.opinions) else None

    @property
    def length(self) -> int:
        """Characters of the response."""
        turn = self.labelled.case.turn
        return len(turn.response.text) if turn is not None and turn.response is not None else 0


def errors(found: Sequence[Rated]) -> list[float]:
    """Return how much higher an evaluator is than people: in grades, or 1, 0 and -1 where not all have a grade."""
    grades = [
        each.verdict.score - each.grade for each in found if each.grade is not None and each.verdict.score is not None
    ]
    return grades if len(grades) == len(found) else [int(each.passed) - int(bool(each.good)) for each in found]


def nearest(grade: float) -> int:
    """Round a grade, as the mean of several judges is one; a half goes up."""
    return math.floor(grade + 0.5)


def rated(found: Sequence[Labelled], good_from: float | None) -> list[Rated]:
    """Read the labels of verdicts of one evaluator, each of which is a pass or a fail.

    A number on the scale of the evaluator says that a response should pass if the verdict's threshold is reached, or
    ``good_from`` on a scale of 1 to 5. Raises `ConfigurationError` for a label that is none.
    """
    numbers = [value for each in found for label in each.labels if (value := as_number(label)) is not None]
    # 1 is the best of 0 and 1 and the worst of 1 to 5: the other labels say which is meant.
    graded, zeros = any(value > 1 for value in numbers), any(value == 0 for value in numbers)
    return [
        Rated(each, verdict, tuple(_opinion(label, verdict, good_from, graded, zeros) for label in each.labels))
        for each in found
        if (verdict := each.case.verdict) is not None
    ]


def _opinion(label: Label, verdict: Verdict, good_from: float | None, graded: bool, zeros: bool) -> Opinion:
    word = as_word(label)
    if word is not None:
        return Opinion(label.labeller, word, None)
    low, high = verdict.scale
    threshold = verdict.threshold
    if (low, high) == GRADES:
        if zeros and not graded:
            return Opinion(label.labeller, _within(label, (0, 1)) >= 1, None)
        grade = _within(label, GRADES)
        return Opinion(label.labeller, grade >= _first(good_from, threshold, GOOD_FROM), grade)
    if (low, high) == (0, 1) and graded:
        return Opinion(label.labeller, _within(label, GRADES) >= _first(good_from, GOOD_FROM), None)
    return Opinion(label.labeller, _within(label, (low, high)) >= _first(threshold, 1), None)


def _within(label: Label, scale: tuple[float, float | None]) -> float:
    value, (low, high) = as_number(label), scale
    if value is None or not low <= value <= (math.inf if high is None else high):
        limits = f"from {number(low)} up" if high is None else f"from {number(low)} to {number(high)}"
        raise unknown(label, f"1 and 0, and scores {limits}" if low else f"and scores {limits}")
    return value


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)
