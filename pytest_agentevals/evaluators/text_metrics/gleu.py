"""GLEU."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_agentevals.evaluators.text_metrics.metric import TokenMetric
from pytest_agentevals.evaluators.words import Overlap

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import Verdict

LONGEST = 4


class GleuScore(TokenMetric):
    """Google-BLEU: the lower of precision and recall over all 1- to 4-grams (Wu et al., 2016), 0-1; NLTK's number."""

    result_key: ClassVar[str] = "gleuScore"
    prefix: ClassVar[str] = "gleu"

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Score the response, 0-1; 0 where it shares no word with the expected response."""
        from nltk.translate.gleu_score import sentence_gleu

        response, expected = self.tokens(exchange)
        score = float(sentence_gleu([expected], response, min_len=1, max_len=LONGEST))
        given, wanted = _ngrams(response), _ngrams(expected)
        # The score is matches / max(given, wanted), so that NLTK's count can be read back from it.
        matches = round(score * max(given, wanted))
        parts = {"precision": matches / given if given else 0.0, "recall": matches / wanted if wanted else 0.0}
        return self.verdict(score, Overlap.of(response, expected), parts, **parts, matches=matches)


def _ngrams(tokens: list[str]) -> int:
    """Count the 1- to 4-grams of a text."""
    return sum(max(0, len(tokens) - n + 1) for n in range(1, LONGEST + 1))
