"""Token F1."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_agentevals.evaluators.text_metrics.metric import TextMetric
from pytest_agentevals.evaluators.words import Overlap, words

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import Verdict


class F1Score(TextMetric):
    """Harmonic mean of precision and recall of the words, 0-1; order does not count."""

    result_key: ClassVar[str] = "f1Score"
    prefix: ClassVar[str] = "f1"

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Score the overlap of the words, 0-1; 0 where a text has none."""
        overlap = Overlap.of(words(exchange.response.text), words(exchange.expected()))
        parts = {"precision": overlap.precision, "recall": overlap.recall}
        return self.verdict(overlap.f1, overlap, parts, **parts, matches=overlap.common.total())
