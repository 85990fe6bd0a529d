"""A run beside an earlier one: what is new, what is fixed, and whether the difference is more than noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.visible import one_line

if TYPE_CHECKING:
    from pytest_agentevals.results import Outcome

#: A change is more than noise where it would come about by chance in fewer runs than this share.
SIGNIFICANT = 0.05


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
    #: Of these pairs.
    before_pass_rate: float | None
    after_pass_rate: float | None
    before_mean: float | None
    after_mean: float | None
    #: Probability of a difference at least as large if nothing had changed, of outcomes and of scores; None without
    #: pairs that differ.
    outcome_p: float | None
    score_p: float | None
    #: Pairs whose scores went down and up.
    lower: int = 0
    higher: int = 0
    #: Pairs with an error on one side or on both: nothing is known of their difference.
    undecided: int = 0
    #: The smaller of the two probabilities, adjusted for the number of all tests of the comparison (Holm).
    p: float | None = None
    #: Where ``p`` says that it is more than noise: -1 for worse, 1 for better; else 0.
    direction: int = 0

    @property
    def sentence(self) -> str:
        """Say whether anything changed: ``could be noise (p = 0.34, 3 of 40 verdicts differ)``."""
        undecided = f"; {plural(self.undecided, 'pair')} with an error on either side" if self.undecided else ""
        if not self.pairs:
            return f"nothing to compare{undecided}"
        if self.p is None:
            return f"no difference in {plural(self.pairs, 'verdict')}{undecided}"
        facts = [f"p {probability(self.p)}", f"{self.worse + self.better} of {plural(self.pairs, 'verdict')} differ"]
        if self.score_p is not None:
            facts.append(f"{plural(self.lower, 'score')} lower, {self.higher} higher")
        found = {-1: "worse, by more than noise", 1: "better, by more than noise", 0: "could be noise"}
        return f"{found[self.direction]} ({', '.join(facts)}){undecided}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run beside its baseline. Items match by document and id, then by id, then by their prompts."""

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
    #: What else differs and makes the comparison less of one: the judge, thresholds, an interrupted run. Sentences.
    remarks: tuple[str, ...] = ()

    def regression(self, which: str) -> str | None:
        """Say in what the run is worse than its baseline, None where it is not.

        ``which`` is ``any`` for every regression, or ``significant`` for evaluators that got worse by more than noise.
        """
        if not self.matched:
            return "no item is in the baseline, too"
        if which == "any":
            return plural(len(self.regressions), "regression") if self.regressions else None
        names = ", ".join(one_line(each.evaluator) for each in self.evaluators if each.direction < 0)
        return f"worse than the baseline by more than noise: {names}" if names else None


def probability(value: float) -> str:
    """Write a p-value with its sign: ``= 0.34``, ``< 0.0001``; never rounded to the limit of 0.05."""
    if value < 0.0001:
        return "< 0.0001"
    text = f"{value:.2g}"
    return f"= {text if float(text) != SIGNIFICANT else format(value, '.4g')}"
