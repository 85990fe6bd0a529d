"""Evaluators that compare the response with the expected response as text."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.wording import counted, listed, quoted
from pytest_agentevals.evaluators.words import Overlap, words
from pytest_agentevals.results import Outcome, Verdict


class ExactMatch(Evaluator):
    """Whether the response equals the expected response, white space around both left out."""

    result_key: ClassVar[str] = "exactMatch"

    case_sensitive: bool = Field(default=True, description="Whether upper and lower case must be the same.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Compare the trimmed texts; there is no threshold."""
        given, wanted = exchange.response.text.strip(), exchange.expected().strip()
        folded = given.casefold() == wanted.casefold()
        match = given == wanted or (folded and not self.case_sensitive)
        if match:
            reason = "the response equals the expected response"
        elif folded:
            reason = "the response differs from the expected response only in upper and lower case"
        else:
            reason = _difference(given, wanted, case_sensitive=self.case_sensitive)
        return Verdict(
            outcome=Outcome.PASS if match else Outcome.FAIL, score=match, reason=reason, details={"match": match}
        )


def _difference(given: str, wanted: str, *, case_sensitive: bool) -> str:
    """Say where two texts begin to differ."""
    pairs = enumerate(zip(given, wanted, strict=False))
    differ = (at for at, (a, b) in pairs if (a != b if case_sensitive else a.casefold() != b.casefold()))
    start = next(differ, min(len(given), len(wanted)))
    found, expected = (quoted(text[start:], 40) if text[start:] else "its end" for text in (given, wanted))
    return f"the response differs from the expected response at character {start + 1}: {found} instead of {expected}"


class PartialMatch(Evaluator):
    """How many words the response shares with the expected response: token F1.

    Words count without ASCII punctuation and English articles, and without case unless it matters, as in F1Score.

    A text that has no word after normalisation ("A" is an article, "+" is punctuation) counts as one word, itself, so
    that "A" matches "A" and "+" does not match "-". Two empty texts match.
    """

    result_key: ClassVar[str] = "partialMatch"

    threshold: float = Field(default=0.5, ge=0, le=1, description="The F1 of the words, 0-1, needed to pass.")
    case_sensitive: bool = Field(default=False, description="Whether upper and lower case must be the same.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Score the overlap of the words, 0-1."""
        given, wanted = (self._words(text) for text in (exchange.response.text, exchange.expected()))
        overlap = Overlap.of(given, wanted)
        sides = (("not in the response", overlap.missing), ("not expected", overlap.extra))
        return decide(
            overlap.f1 if given or wanted else 1.0,
            threshold=self.threshold,
            reason=(
                f"the response has {overlap.common.total()} of {counted(len(wanted), 'expected word')} "
                f"among its {counted(len(given), 'word')}"
            ),
            notes=tuple(f"{side}: {listed(rest.elements())}" for side, rest in sides if rest),
            precision=overlap.precision,
            recall=overlap.recall,
        )

    def _words(self, text: str) -> list[str]:
        bare = text.strip() if self.case_sensitive else text.strip().lower()
        return words(text, case_sensitive=self.case_sensitive) or ([bare] if bare else [])
