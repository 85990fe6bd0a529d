"""A comparison with an earlier run as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.reports.html.wording import OF_OUTCOME, moment
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pytest_agentevals.reports.comparison import Change, Comparison, EvaluatorChange

#: By the direction of an evaluator's difference.
STATES = {-1: "failed", 0: "skipped", 1: "passed"}


@dataclass(frozen=True, slots=True)
class Group:
    """Changes of one kind."""

    title: str
    state: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A comparison, and the labels of the items that can be linked to."""

    comparison: Comparison
    labels: Collection[str]

    @property
    def started(self) -> str:
        """When the baseline ran."""
        return moment(self.comparison.baseline_started)

    @property
    def regressions(self) -> Group:
        """What is told first."""
        return Group("Regressions", "failed", self.comparison.regressions)

    @property
    def others(self) -> Iterator[Group]:
        """The other changes."""
        yield Group("Fixed", "passed", self.comparison.fixed)
        yield Group("Other scores", "skipped", self.comparison.changed)

    @property
    def evaluators(self) -> list[EvaluatorChange]:
        """The evaluators, those that differ least likely by chance first."""
        return sorted(self.comparison.evaluators, key=lambda change: 2.0 if change.p is None else change.p)

    @staticmethod
    def measure(change: Change) -> str:
        """Write both outcomes with their scores: ``passed 4 → failed 2 (-2)``."""
        before, after = (
            OF_OUTCOME[outcome] + ("" if score is None else f" {number(score)}")
            for outcome, score in ((change.before, change.before_score), (change.after, change.after_score))
        )
        difference = change.difference
        shown = f" ({'+' if difference > 0 else ''}{number(difference)})" if difference else ""
        return f"{before} \u2192 {after}{shown}"

    @staticmethod
    def state(direction: int) -> str:
        """Return the state that stands for a direction: up is good."""
        return STATES[direction]
