"""What is to be said of a set of verdicts: of one evaluator, of one tag, of one document, or of a whole run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentevals.reports.statistics import Interval, mean, quantile, wilson
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.results import JudgeUsage

#: Bars of a distribution.
BARS = 10


@dataclass(slots=True)
class Spent:
    """What judgments took. What a server did not say is counted beside the sums: unknown is not zero."""

    #: Judgments made in this run, and judgments taken from recordings, or from another turn that asked the same.
    asked: int = 0
    replayed: int = 0
    #: Of the judgments made in this run.
    tokens: int = 0
    without_tokens: int = 0
    cost: float = 0.0
    without_cost: int = 0
    #: From the first request to the usable answer, summed over judgments, many of which may be made at once.
    seconds: float = 0.0

    def add(self, usage: JudgeUsage) -> None:
        """Count one judgment."""
        if usage.replayed:
            self.replayed += 1
            return
        self.asked += 1
        self.seconds += usage.seconds
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            self.without_tokens += 1
        else:
            self.tokens += usage.prompt_tokens + usage.completion_tokens
        if usage.cost is None:
            self.without_cost += 1
        else:
            self.cost += usage.cost


@dataclass(slots=True)
class Figures:
    """Counts and scores of a set of verdicts."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    #: Fails and errors that a gate covers; they are among the outcomes, too.
    tolerated: int = 0
    #: Of passes and fails, matches as 1 and 0.
    scores: list[float] = field(default_factory=list)
    thresholds: set[float] = field(default_factory=set)
    #: Of the first verdict with a score; None for an open end.
    scale: tuple[float, float | None] | None = None
    #: Seconds of the evaluators.
    seconds: float = 0.0
    spent: Spent = field(default_factory=Spent)

    @classmethod
    def of(cls, cases: Iterable[Case]) -> Figures:
        """Count some cases."""
        figures = cls()
        for case in cases:
            figures.add(case)
        return figures

    def add(self, case: Case) -> None:
        """Count one case; that of an item itself, which has no evaluator, counts nothing."""
        if case.outcome is None:
            return
        self.outcomes[case.outcome] += 1
        self.tolerated += case.tolerated
        self.seconds += case.seconds
        for usage in case.usages:
            self.spent.add(usage)
        verdict = case.verdict
        if verdict is None or verdict.score is None or case.outcome not in {Outcome.PASS, Outcome.FAIL}:
            return
        self.scores.append(float(verdict.score))
        if verdict.threshold is not None:
            self.thresholds.add(verdict.threshold)
        self.scale = self.scale or verdict.scale

    @property
    def passed(self) -> int:
        """Verdicts of pass."""
        return self.outcomes[Outcome.PASS]

    @property
    def failed(self) -> int:
        """Verdicts of fail."""
        return self.outcomes[Outcome.FAIL]

    @property
    def errors(self) -> int:
        """Verdicts of error, and evaluators of turns that were never answered."""
        return self.outcomes[Outcome.ERROR]

    @property
    def not_applicable(self) -> int:
        """Verdicts of not_applicable."""
        return self.outcomes[Outcome.NOT_APPLICABLE]

    @property
    def decided(self) -> int:
        """Passes and fails: what rates and means are about."""
        return self.passed + self.failed

    @property
    def pass_rate(self) -> float | None:
        """The share of passes in what was decided, from 0 to 1; None where nothing was."""
        return self.passed / self.decided if self.decided else None

    @property
    def pass_rate_interval(self) -> Interval | None:
        """Wilson's interval of 95 % for the pass rate."""
        return wilson(self.passed, self.decided) if self.decided else None

    @property
    def mean(self) -> float | None:
        """The mean score; None without scores."""
        return mean(self.scores) if self.scores else None

    def quantile(self, share: float) -> float | None:
        """Return a quantile of the scores; None without scores."""
        return quantile(self.scores, share) if self.scores else None

    def distribution(self) -> list[int]:
        """Count scores in `BARS` equal parts of the scale, or one part for each whole number of a 1 to 5 scale.

        Where the scale has an open end, its end is the highest score.
        """
        if not self.scores or self.scale is None:
            return []
        low, high = self.scale
        if (low, high) == (1, 5):
            return [sum(round(score) == whole for score in self.scores) for whole in range(1, 6)]
        high = max(self.scores) if high is None else high
        width = (high - low) or 1
        bars = [0] * BARS
        for score in self.scores:
            bars[max(0, min(BARS - 1, int((score - low) / width * BARS)))] += 1
        return bars


def by_evaluator(cases: Iterable[Case]) -> dict[str, Figures]:
    """Count cases by evaluator, in the order in which the evaluators appear."""
    found: dict[str, Figures] = {}
    for case in cases:
        if case.evaluator:
            found.setdefault(case.evaluator, Figures()).add(case)
    return found
