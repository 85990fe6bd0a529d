"""A calibration as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.reports.calibration.text import facts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pytest_agentevals.reports.calibration import Calibrated, Calibration, Disagreement


@dataclass(frozen=True, slots=True)
class CalibrationView:
    """A calibration, and the labels of the items that can be linked to."""

    calibration: Calibration
    labels: Collection[str]

    @staticmethod
    def facts(each: Calibrated) -> Iterator[tuple[str, str]]:
        """Yield what is known of an evaluator, as terminals show it."""
        return facts(each)

    @staticmethod
    def tables(each: Calibrated) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[int]]]]:
        """Yield the tables of counts, each with its title and the names of its rows and columns."""
        if each.count:
            yield "Passes and fails", ("pass", "fail"), each.confusion
        if each.grades is not None:
            yield "Grades", ("1", "2", "3", "4", "5"), each.grades.confusion

    @staticmethod
    def groups(each: Calibrated) -> Iterator[tuple[str, Sequence[Disagreement]]]:
        """Yield the verdicts that people would not have given."""
        yield "False passes", [one for one in each.disagreements if one.false_pass]
        yield "False fails", [one for one in each.disagreements if not one.false_pass]
