"""METEOR."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from pytest_agentevals.evaluators.text_metrics.metric import Share, TokenMetric
from pytest_agentevals.evaluators.text_metrics.wordnet import wordnet
from pytest_agentevals.evaluators.words import Overlap

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import Verdict


class MeteorScore(TokenMetric):
    """METEOR (Lavie and Agarwal, 2007), 0-1: words match as they are, by their stem or as synonyms, and order counts.

    NLTK aligns the words. With m matches in c chunks (runs of matches that are adjacent in both texts), precision
    P = m / response words and recall R = m / expected words::

        score = (1 - gamma * (c / m) ** beta) * P * R / (alpha * P + (1 - alpha) * R)
    """

    result_key: ClassVar[str] = "meteorScore"
    prefix: ClassVar[str] = "meteor"

    alpha: Share = Field(default=0.9, description="Weight of recall against precision, 0-1.")
    beta: float = Field(default=3.0, ge=0, description="How sharply the penalty falls with longer runs of matches.")
    gamma: Share = Field(default=0.5, description="The largest penalty for scattered matches, 0-1.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Score the response, 0-1; 0 where no word matches."""
        from nltk.translate.meteor_score import align_words

        synonyms = wordnet()
        response, expected = self.tokens(exchange)
        pairs, extra, missing = align_words(response, expected, wordnet=synonyms)
        matches = len(pairs)
        chunks = sum(here != (before[0] + 1, before[1] + 1) for before, here in pairwise([(-2, -2), *pairs]))
        precision, recall = (matches / max(len(tokens), 1) for tokens in (response, expected))
        mean = precision * recall / (self.alpha * precision + (1 - self.alpha) * recall) if matches else 0.0
        penalty = self.gamma * (chunks / max(matches, 1)) ** self.beta
        return self.verdict(
            (1 - penalty) * mean,
            # By position, because NLTK returns the unmatched words as stems.
            Overlap(
                common=Counter(response[given] for given, _ in pairs),
                missing=Counter(expected[position] for position, _ in missing),
                extra=Counter(response[position] for position, _ in extra),
            ),
            {"precision": precision, "recall": recall, "word order": 1 - penalty},
            precision=precision,
            recall=recall,
            matches=matches,
            chunks=chunks,
            penalty=penalty,
            synonym_data=synonyms.source,
        )
