"""Whether the agent's retrieval brought back what it had to."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.entailment import question, read_entailment
from pytest_agentevals.evaluators.options import Part, Text
from pytest_agentevals.evaluators.retrieval import executions_of, not_executed
from pytest_agentevals.evaluators.retrieval_hits import Finding, Ranked, ranked
from pytest_agentevals.evaluators.wording import counted, listed
from pytest_agentevals.judge.named import JudgeName

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pytest_agentevals.results import JudgeUsage, Verdict


class ExpectedItem(Part):
    """Something that retrieval must bring back."""

    retrievalExtract_contains: Text = Field(  # noqa: N815 - the format's name
        description="Text that an extract of a retrieval hit must have, in any case."
    )


class RetrievalResult(Evaluator):
    """Whether expected texts are in the extracts of the best-ranked hits, and whether there are enough hits.

    By the method ``entailment`` an expected text is a claim, and a judge says whether the extracts support it.

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
    method: Literal["substring", "entailment"] = Field(
        default="substring",
        description="substring: an extract has the text itself; entailment: a judge finds that extracts support it.",
    )
    model: JudgeName = None

    @model_validator(mode="after")
    def _checks_something(self) -> RetrievalResult:
        if self.expected_items is None and self.min_expected_count is None:
            raise ValueError('give "expected_items", "min_expected_count" or both')
        if self.model is not None and not self.judged:
            raise ValueError('"model" names a judge: that needs "method": "entailment" and "expected_items"')
        return self

    @property
    def judged(self) -> bool:
        """Whether there are expected texts that a judge is to find supported."""
        return self.method == "entailment" and self.expected_items is not None

    def evaluate(self, exchange: Exchange) -> Verdict | Awaitable[Verdict]:
        """Look for the expected items; raises `MissingInput` without retrieval evidence.

        With the method ``entailment`` also ``evaluatorConfigurationError`` without a judge, and whatever it raises.
        """
        hits = ranked(executions_of(exchange.response, self.capability))
        if self.judged:
            return self._entailed(exchange, hits)
        return self._decide(exchange, hits, [self._look_for(text, hits) for text in self._expected])

    @property
    def _expected(self) -> list[str]:
        return [item.retrievalExtract_contains for item in self.expected_items or ()]

    def _within(self, hits: list[Ranked]) -> list[Ranked]:
        return [hit for hit in hits if hit.rank <= self.max_rank]

    def _look_for(self, text: str, hits: list[Ranked]) -> Finding:
        best = next((hit for hit in hits if hit.has(text)), None)
        within = self._within(hits)
        if best in within:
            return Finding(text=text, found=True, hit=best)
        return Finding(text=text, found=False, reason=_miss(best, len(within), self.max_rank), hit=best)

    async def _entailed(self, exchange: Exchange, hits: list[Ranked]) -> Verdict:
        extracts = [part for hit in self._within(hits) for part in hit.extracts()]
        if not extracts:
            return self._decide(
                exchange, hits, [Finding(text=text, found=False, reason="no extracts") for text in self._expected]
            )
        if exchange.judge is None:
            raise EvaluationError(
                f"{type(self).__name__} asks a judge, and no judge is configured", code="evaluatorConfigurationError"
            )
        findings, usages = [], []
        for text in self._expected:
            judgment = await exchange.judge.ask(question(type(self).__name__, text, extracts), read_entailment)
            findings.append(Finding(text=text, found=judgment.answer.supported, reason=judgment.answer.reason))
            usages.append(judgment.usage)
        return self._decide(exchange, hits, findings, usage=reduce(add, usages))

    def _decide(
        self, exchange: Exchange, hits: list[Ranked], findings: list[Finding], *, usage: JudgeUsage | None = None
    ) -> Verdict:
        count = len(self._within(hits))
        missing = [finding for finding in findings if not finding.found]
        enough = count >= (self.min_expected_count or 0)
        code = "not_retrieved" if missing else "pass" if enough else "count_below_minimum"
        return decide(
            (len(findings) - len(missing)) / len(findings) if findings else float(enough),
            passed=code == "pass",
            reason=self._reason(len(missing), count) if hits else not_executed(exchange.response, self.capability),
            notes=tuple(f"missing: {listed([finding.text])}: {finding.reason}" for finding in missing),
            usage=usage,
            diagnostic_code=code,
            results_evaluated=count,
            matched_items=[finding.as_json() for finding in findings if finding.found],
            missing_items=[finding.as_json() for finding in missing],
            extract_failures=[finding.as_json() for finding in missing if hits and finding.hit is None],
        )

    def _reason(self, missing: int, count: int) -> str:
        sentences = []
        if self.expected_items:
            found = len(self.expected_items) - missing
            sentences.append(f"{found} of {counted(len(self.expected_items), 'expected item')} found")
        if self.min_expected_count:
            sentences.append(f"{counted(count, 'hit')} of at least {self.min_expected_count}")
        return f"{' and '.join(sentences)} within rank {self.max_rank}"


def _miss(elsewhere: Ranked | None, evaluated: int, max_rank: int) -> str:
    """Say why an expected text was not found."""
    if elsewhere:
        return f"only in a hit of rank {elsewhere.rank}, beyond max_rank {max_rank}"
    return f"in no extract of {counted(evaluated, 'hit')} within rank {max_rank}" if evaluated else "no hits"
