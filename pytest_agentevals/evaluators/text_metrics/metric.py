"""What the text metrics have in common: their options, their verdict and how they explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from pytest_agentevals.evaluators.base import Evaluator, decide
from pytest_agentevals.evaluators.text_metrics.sentences import english
from pytest_agentevals.evaluators.text_metrics.tokens import Tokenizer, tokens
from pytest_agentevals.evaluators.wording import listed
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.evaluators.words import Overlap
    from pytest_agentevals.results import Verdict

#: A share of something, 0-1.
Share = Annotated[float, Field(ge=0, le=1)]


class Part(NamedTuple):
    """A component of a metric, higher is better, and what it is measured against; both 0-1."""

    name: str
    value: float
    needed: float

    def __str__(self) -> str:
        return f"{self.name} {number(self.value)}"


class TextMetric(Evaluator):
    """Base of the metrics that give one score."""

    #: What the metric's own keys in a results document begin with.
    prefix: ClassVar[str]

    threshold: Share = Field(default=0.5, description="The score, 0-1, needed to pass.")

    def verdict(self, score: float, overlap: Overlap, parts: dict[str, float], **details: Any) -> Verdict:
        """Make the verdict; ``parts`` are the components that a reader of a low score should look at, by name."""
        passed = score >= self.threshold
        own: dict[str, Any] = {
            f"{self.prefix}_score": score,
            f"{self.prefix}_result": "pass" if passed else "fail",
            f"{self.prefix}_threshold": self.threshold,
        }
        return decide(
            score,
            threshold=self.threshold,
            reason=explain([Part(*part, self.threshold) for part in parts.items()], overlap, passed=passed),
            notes=unshared(overlap),
            **own,
            **details,
        )


class TokenMetric(TextMetric):
    """Base of the metrics that NLTK computes from tokens."""

    tokenizer: Tokenizer = Field(
        default="unicode",
        description='How text that is not ASCII is split: "unicode" keeps words whole, "nist" splits as the SDK does.',
    )

    def tokens(self, exchange: Exchange) -> tuple[list[str], list[str]]:
        """Return the tokens of the response and of the expected response."""
        return tokens(exchange.response.text, self.tokenizer), tokens(exchange.expected(), self.tokenizer)

    def verdict(self, score: float, overlap: Overlap, parts: dict[str, float], **details: Any) -> Verdict:
        """Make the verdict, which also says how the texts were split and with which sentence data."""
        return super().verdict(
            score, overlap, parts, **details, tokenizer=self.tokenizer, sentence_data=english().source
        )


def explain(parts: Sequence[Part], overlap: Overlap, *, passed: bool) -> str:
    """Say in one sentence what the score is made of and, where it failed, which parts fell short."""
    if not overlap.common and not overlap.missing:
        return "the expected response has no words"
    if not overlap.common and not overlap.extra:
        return "the response has no words"
    if passed:
        return ", ".join(map(str, parts))
    # A product of parts can miss a threshold that every one of them reaches.
    low = [part for part in parts if part.value < part.needed] or [min(parts, key=lambda part: part.value)]
    rest = [part for part in parts if part not in low]
    text = f"{', '.join(map(str, low))} fell short" + (f" ({', '.join(map(str, rest))})" if rest else "")
    if len({part.needed for part in parts}) > 1:
        text += f"; needed: {', '.join(f'{part.name} {number(part.needed)}' for part in parts)}"
    return text


def unshared(overlap: Overlap) -> tuple[str, ...]:
    """List the words that only one of the texts has."""
    sides = (("not in the response", overlap.missing), ("not expected", overlap.extra))
    return tuple(f"{side}: {listed(words.elements())}" for side, words in sides if words)
