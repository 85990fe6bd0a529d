"""BLEU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytest_agentevals.evaluators.text_metrics.metric import TokenMetric
from pytest_agentevals.evaluators.words import Overlap

if TYPE_CHECKING:
    from fractions import Fraction

    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import Verdict


class BleuScore(TokenMetric):
    """Sentence BLEU over 1- to 4-grams (Papineni et al., 2002), 0-1.

    Computed by NLTK with smoothing method 4 of Chen and Cherry (2014), which gives sentences without a matching 4-gram
    a score above 0.
    """

    result_key: ClassVar[str] = "bleuScore"
    prefix: ClassVar[str] = "bleu"

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Score the response, 0-1; 0 where it shares no word with the expected response."""
        from nltk.translate.bleu_score import SmoothingFunction, brevity_penalty, sentence_bleu

        response, expected = self.tokens(exchange)
        precisions = [0.0] * 4

        def smooth(fractions: list[Fraction], **context: Any) -> list[float]:
            # NLTK shows the n-gram precisions nowhere else, and counting them again would double the time.
            precisions[:] = map(float, fractions)
            return SmoothingFunction().method4(fractions, **context)  # type: ignore[no-any-return]  # NLTK is untyped

        score = float(sentence_bleu([expected], response, smoothing_function=smooth))
        brevity = float(brevity_penalty(len(expected), len(response)))
        return self.verdict(
            score,
            Overlap.of(response, expected),
            {f"{n}-gram precision": value for n, value in enumerate(precisions, 1)} | {"brevity penalty": brevity},
            precisions=precisions,
            brevity_penalty=brevity,
        )
