"""ROUGE."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, decide
from pytest_agentevals.evaluators.text_metrics.lcs import lcs_length
from pytest_agentevals.evaluators.text_metrics.metric import Part, Share, explain, unshared
from pytest_agentevals.evaluators.text_metrics.tokens import alphanumeric_words
from pytest_agentevals.evaluators.words import Overlap

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import Verdict

#: The largest product of word counts that rougeL compares: 200,000 words with 200,000, about ten seconds.
LARGEST = 200_000**2


def _common_threshold(options: dict[str, Any]) -> Any:
    """Take ``threshold`` where a part has no threshold of its own."""
    return options.get("threshold", 0.5)


class RougeScore(Evaluator):
    """ROUGE-N or ROUGE-L (Lin, 2004): precision, recall and F1, 0-1; passes when all three reach their thresholds.

    Words are lower-cased, without stemming. ROUGE-N counts the n-grams that both texts have; ROUGE-L counts the words
    of the longest common subsequence: words in the same order, others may lie between them.
    """

    result_key: ClassVar[str] = "rougeScore"

    rouge_type: Literal["rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rougeL"] = Field(
        default="rougeL", description="What is counted: words, n-grams of up to five words, or words in the same order."
    )
    threshold: Share = Field(default=0.5, description="Sets the three thresholds that are not set themselves, 0-1.")
    precision_threshold: Share = Field(
        default_factory=_common_threshold, description="The precision, 0-1, needed to pass."
    )
    recall_threshold: Share = Field(default_factory=_common_threshold, description="The recall, 0-1, needed to pass.")
    f1_score_threshold: Share = Field(default_factory=_common_threshold, description="The F1, 0-1, needed to pass.")
    tokenizer: Literal["unicode", "ascii"] = Field(
        default="unicode",
        description='"unicode" keeps words of all scripts whole, "ascii" sees only a-z and 0-9, as the SDK does.',
    )

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Score the response; precision, recall and F1 are 0 where nothing is shared.

        Raises `EvaluationError` for texts that are too long for ROUGE-L.
        """
        response = alphanumeric_words(exchange.response.text, self.tokenizer)
        expected = alphanumeric_words(exchange.expected(), self.tokenizer)
        matches, given, wanted = self._count(response, expected)
        parts = [
            Part("precision", matches / given if matches else 0.0, self.precision_threshold),
            Part("recall", matches / wanted if matches else 0.0, self.recall_threshold),
            Part("f1_score", 2 * matches / (given + wanted) if matches else 0.0, self.f1_score_threshold),
        ]
        passed = all(part.value >= part.needed for part in parts)
        overlap = Overlap.of(response, expected)
        details: dict[str, Any] = {}
        for part in parts:
            details[f"rouge_{part.name}"] = part.value
            details[f"rouge_{part.name}_result"] = "pass" if part.value >= part.needed else "fail"
            details[f"rouge_{part.name}_threshold"] = part.needed
        return decide(
            parts[-1].value,
            threshold=self.f1_score_threshold,
            passed=passed,
            reason=explain(parts, overlap, passed=passed),
            notes=unshared(overlap),
            **details,
            rouge_type=self.rouge_type,
            matches=matches,
            tokenizer=self.tokenizer,
        )

    def _count(self, response: list[str], expected: list[str]) -> tuple[int, int, int]:
        """Count what is shared, what the response has and what was expected: n-grams, for ROUGE-L words."""
        if self.rouge_type == "rougeL":
            if len(response) * len(expected) > LARGEST:
                raise EvaluationError(
                    f"rougeL cannot compare {len(response):,} words with {len(expected):,}: their product must be at "
                    f'most {LARGEST:,}; use "rouge1" to "rouge5" for longer texts'
                )
            return lcs_length(response, expected), len(response), len(expected)
        size = int(self.rouge_type.removeprefix("rouge"))
        given, wanted = _ngrams(response, size), _ngrams(expected, size)
        return (given & wanted).total(), given.total(), wanted.total()


def _ngrams(words: list[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))
