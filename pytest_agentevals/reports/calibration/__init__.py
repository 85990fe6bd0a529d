"""Verdicts beside people's labels: how far an evaluator can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.reports.overview import percent
from pytest_agentevals.reports.statistics import wilson

if TYPE_CHECKING:
    from pytest_agentevals.reports.calibration.ceiling import Ceiling
    from pytest_agentevals.reports.calibration.kappa import Kappa
    from pytest_agentevals.reports.calibration.threshold import Best
    from pytest_agentevals.statistics import Interval

#: Labels below which nothing is said, and those that have to be of either kind.
FEW = 20
FEWEST = 5
#: How much less than two people an evaluator may agree with one, to agree as well.
MARGIN = 0.1
#: From which kappa on agreement has which name: J. R. Landis and G. G. Koch, The measurement of observer agreement for
#: categorical data, Biometrics 33 (1977).
WORDS = {0.8: "almost perfect", 0.6: "substantial", 0.4: "moderate", 0.2: "fair"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """Agreement on grades from 1 to 5."""

    count: int
    #: The same grade.
    agreed: int
    #: A row for each grade of people, a column for each of the evaluator.
    confusion: tuple[tuple[int, ...], ...]
    linear: Kappa | None
    quadratic: Kappa | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """Whether the evaluator is milder than people, or stricter, for a reason that should not matter."""

    #: Spearman's correlation of the error (evaluator less people) with the reason.
    rho: float
    #: Probability of at least such a correlation by chance, adjusted for all those of the calibration (Holm).
    p: float
    #: Mean error in the lower and in the upper half.
    lower: float
    upper: float

    @property
    def direction(self) -> int:
        """1 for milder and -1 for stricter towards the upper end, by more than chance; else 0."""
        return 0 if self.p >= 0.05 else 1 if self.rho > 0 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A verdict that people would not have given."""

    #: The item as people call it, and the name of the verdict within it.
    item: str
    name: str
    #: Whether the evaluator let pass what people would not; else it is the other way round.
    false_pass: bool
    #: The score against its threshold, what people said, and why the evaluator decided so.
    measure: str
    labels: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """One evaluator beside people. Shares are of labelled passes and fails on which people do not tie."""

    evaluator: str
    #: People's pass and the evaluator's pass, pass and fail, fail and pass, fail and fail.
    confusion: tuple[tuple[int, int], tuple[int, int]]
    #: Of pass and fail.
    kappa: Kappa | None
    grades: Grades | None
    #: By the characters of the response, and by the position of the item in its document.
    length: Bias | None
    position: Bias | None
    threshold: Best | None
    ceiling: Ceiling | None
    disagreements: tuple[Disagreement, ...]
    #: Labelled verdicts that are left out: errors, what did not apply, and those on which people tie.
    errors: int
    not_applicable: int
    tied: int
    #: Verdicts without a label.
    unlabelled: int

    @property
    def count(self) -> int:
        """The verdicts that are compared."""
        return sum(map(sum, self.confusion))

    @property
    def agreed(self) -> int:
        """The verdicts that people would have given."""
        return self.confusion[0][0] + self.confusion[1][1]

    @property
    def agreement(self) -> float | None:
        """The share of verdicts that people would have given; None without labels."""
        return self.agreed / self.count if self.count else None

    @property
    def agreement_interval(self) -> Interval | None:
        """Wilson's interval of 95 % for the agreement."""
        return wilson(self.agreed, self.count) if self.count else None

    @property
    def false_passes(self) -> int:
        """Passes that people would not let pass."""
        return self.confusion[1][0]

    @property
    def false_fails(self) -> int:
        """Fails that people would let pass."""
        return self.confusion[0][1]

    @property
    def good(self) -> int:
        """Responses that people would let pass."""
        return sum(self.confusion[0])

    @property
    def sentence(self) -> str:
        """Say for people whether the evaluator can be trusted."""
        if self.count < FEW:
            return f"too few labels (n = {self.count}) to say"
        bad = self.count - self.good
        if min(self.good, bad) < FEWEST:
            word = "fail" if bad < self.good else "pass"
            return f"too few labels of {word} ({min(self.good, bad)} of {self.count}) to say"
        if self.kappa is None or self.kappa.interval is None:
            word = "passes" if self.confusion[0][0] else "fails"
            return f"not better than chance: it {word} whatever people say"
        if self.kappa.interval.low <= 0:
            return f"not better than chance, as far as these labels tell ({kappa_text(self.kappa)})"
        return self._beside_people or f"{self._word} agreement beyond chance ({kappa_text(self.kappa)})"

    @property
    def _word(self) -> str:
        value = self.kappa.value if self.kappa else 0.0
        return next((word for least, word in WORDS.items() if value > least), "slight")

    @property
    def _beside_people(self) -> str:
        if self.ceiling is None or self.ceiling.difference is None or self.ceiling.responses < FEW:
            return ""
        shares = f"({percent(self.ceiling.evaluator)} against {percent(self.ceiling.people)})"
        if self.ceiling.difference.low > -MARGIN:
            return f"agrees with people as well as two people do {shares}"
        if self.ceiling.difference.high < 0:
            return f"better than chance, but agrees with people less than two people do {shares}"
        return f"better than chance; too few labels to say whether it agrees as well as two people do {shares}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """All evaluators of a run that people labelled."""

    evaluators: tuple[Calibrated, ...]
    #: Labels for which the run has no verdict: the place of the label, and what it is for.
    unmatched: tuple[str, ...]
    #: Labels that another one of the same labeller contradicts, which counts: their places.
    overruled: tuple[str, ...]
    #: Items of the run without any label.
    unlabelled: int


def kappa_text(kappa: Kappa | None) -> str:
    """Write a kappa for people: ``kappa 0.62, 0.41 to 0.83``."""
    if kappa is None:
        return "kappa undefined"
    limits = kappa.interval
    between = "no interval" if limits is None else f"{limits.low:.2f} to {limits.high:.2f}"
    return f"kappa {kappa.value:.2f}, {between}"
