"""Whether the agent's retrieval brought back what it had to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.options import Part, Text
from pytest_agentevals.evaluators.retrieval import executions_of, not_executed
from pytest_agentevals.evaluators.wording import counted, listed
from pytest_agentevals.evaluators.words import contains

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.responses import RetrievalExecution, RetrievalHit
    from pytest_agentevals.results import Verdict


class ExpectedItem(Part):
    """Something that retrieval must bring back."""

    retrievalExtract_contains: Text = Field(  # noqa: N815 - the format's name
        description="Text that an extract of a retrieval hit must have, in any case."
    )


class RetrievalResult(Evaluator):
    """Whether expected texts are in the extracts of the best-ranked hits, and whether there are enough hits.

    Score: matched / expected items, 0-1; 1.0 or 0.0 where only a count is configured. A pass needs every expected item
    and the count.
    """

    result_key: ClassVar[str] = "retrievalResult"

    expected_items: Annotated[tuple[ExpectedItem, ...], Field(min_length=1)] | None = Field(
        default=None, description="What the hits must have."
    )
    min_expected_count: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many hits with a rank up to max_rank there must be at least."
    )
    max_rank: int = Field(default=10, ge=1, description="The last rank that counts; the best hit has rank 1.")
    capability: Text | None = Field(
        default=None, description="The retrieval capability whose hits count, exactly as it is recorded; all without."
    )
    method: Literal["substring"] = Field(default="substring", description="How an expected text is looked for.")

    @model_validator(mode="after")
    def _checks_something(self) -> RetrievalResult:
        if self.expected_items is None and self.min_expected_count is None:
            raise ValueError('give "expected_items", "min_expected_count" or both')
        return self

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Look for the expected items; raises `MissingInput` without retrieval evidence."""
        hits = ranked(executions_of(exchange.response, self.capability))
        within = [hit for hit in hits if hit.rank <= self.max_rank]
        expected = [item.retrievalExtract_contains for item in self.expected_items or ()]
        matches = {text: next((hit for hit in within if hit.has(text)), None) for text in expected}
        missing = [text for text in expected if matches[text] is None]
        elsewhere = {text: next((hit for hit in hits if hit.has(text)), None) for text in missing}
        enough = len(within) >= (self.min_expected_count or 0)
        code = "not_retrieved" if missing else "pass" if enough else "count_below_minimum"
        misses = {text: _miss(elsewhere[text], len(within), self.max_rank) for text in missing}
        return decide(
            (len(expected) - len(missing)) / len(expected) if expected else float(enough),
            passed=code == "pass",
            reason=self._reason(missing, len(within)) if hits else not_executed(exchange.response, self.capability),
            notes=tuple(f"missing: {listed([text])}: {reason}" for text, reason in misses.items()),
            diagnostic_code=code,
            results_evaluated=len(within),
            matched_items=[_matched(text, hit) for text in expected if (hit := matches[text])],
            missing_items=[{"extractMatch": text, "reason": misses[text]} for text in missing],
            extract_failures=[
                {"extractMatch": text, "reason": misses[text]} for text in missing if hits and not elsewhere[text]
            ],
        )

    def _reason(self, missing: list[str], count: int) -> str:
        sentences = []
        if self.expected_items:
            found = len(self.expected_items) - len(missing)
            sentences.append(f"{found} of {counted(len(self.expected_items), 'expected item')} found")
        if self.min_expected_count:
            sentences.append(f"{counted(count, 'hit')} of at least {self.min_expected_count}")
        return f"{' and '.join(sentences)} within rank {self.max_rank}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit and its rank."""

    rank: int
    hit: RetrievalHit

    def has(self, text: str) -> bool:
        """Tell whether an extract has a text, in any case."""
        return any(contains(extract.text or "", text) for extract in self.hit.extracts)


def ranked(executions: Iterable[RetrievalExecution]) -> list[Ranked]:
    """Return the hits of executions, best first; a hit without a rank takes its position in its execution."""
    return sorted(
        (
            Ranked(position if hit.rank is None else hit.rank, hit)
            for execution in executions
            for position, hit in enumerate(execution.retrievalHits, 1)
        ),
        key=lambda each: each.rank,
    )


def _matched(text: str, found: Ranked) -> dict[str, Any]:
    url = {} if found.hit.webUrl is None else {"matchedHitUrl": found.hit.webUrl}
    return {"extractMatch": text, **url, "matchedHitRank": found.rank}


def _miss(elsewhere: Ranked | None, evaluated: int, max_rank: int) -> str:
    """Say why an expected text was not found."""
    if elsewhere:
        return f"only in a hit of rank {elsewhere.rank}, beyond max_rank {max_rank}"
    return f"in no extract of {counted(evaluated, 'hit')} within rank {max_rank}" if evaluated else "no hits"
