"""A run beside an earlier one: what is new, what is fixed, and whether the difference is more than noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_agentevals.results import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One evaluator's verdicts on one item, before and after."""

    #: The item as people call it, its document, and the name of the verdict within it (``turn 2: Relevance``).
    item: str
    document: str
    name: str
    before: Outcome
    after: Outcome
    before_score: float | None = None
    after_score: float | None = None
    #: Why the later verdict is what it is.
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """How much the score went up; None where one of the two has none."""
        if self.before_score is None or self.after_score is None:
            return None
        return self.after_score - self.before_score


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorChange:
    """All pairs of one evaluator's verdicts."""

    evaluator: str
    #: Verdicts of pass or fail on both sides, and those that turned from pass to fail and from fail to pass.
    pairs: int
    worse: int
    better: int
    before_pass_rate: float | None
    after_pass_rate: float | None
    before_mean: float | None
    after_mean: float | None
    #: Probability of a difference at least as large if nothing had changed, of outcomes and of scores; None without
    #: pairs that differ.
    outcome_p: float | None
    score_p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run beside its baseline. Items match by id, then by prompt."""

    #: What the baseline is called: its path.
    baseline: str
    #: When the baseline was run; ISO 8601.
    baseline_started: str
    matched: int
    #: Items on one side only, as people call them.
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    #: Fail or error where the baseline has a pass.
    regressions: tuple[Change, ...] = ()
    #: Pass where the baseline has a fail or an error.
    fixed: tuple[Change, ...] = ()
    #: Other verdicts whose score differs.
    changed: tuple[Change, ...] = ()
    evaluators: tuple[EvaluatorChange, ...] = ()
