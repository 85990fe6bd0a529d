"""Whether the agent asked its retrieval capability the right thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.options import Text, Texts
from pytest_agentevals.evaluators.retrieval import executions_of, not_executed
from pytest_agentevals.evaluators.wording import counted, listed, quoted
from pytest_agentevals.evaluators.words import contains

if TYPE_CHECKING:
    from pytest_agentevals.results import Verdict

#: By whether included terms are missing and whether excluded terms were found.
_CODES = {
    (False, False): "pass",
    (True, False): "required_terms_missing",
    (False, True): "excluded_terms_found",
    (True, True): "mixed_term_failure",
}


class RetrievalQuery(Evaluator):
    """Whether the queries to a capability say what they must and nothing that they must not.

    All comparisons are for case-insensitive parts of ``queryString``; ``filterExpression`` is not looked at. Where
    several queries have the selector, an included term must be in at least one of them and an excluded term in none.
    Score 1.0 or 0.0.
    """

    result_key: ClassVar[str] = "retrievalQuery"

    capability: Text = Field(description="The retrieval capability whose queries count, exactly as it is recorded.")
    selector: Text = Field(description="Text that tells which of the queries are meant, in any case.")
    includes: Texts = Field(default=(), description="Texts that the selected queries must have, in any case.")
    excludes: Texts = Field(default=(), description="Texts that no selected query may have, in any case.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Check the queries of the capability.

        Terms are looked for only where a query was selected: ``includes_missing`` is empty beside the codes
        ``no_matching_query`` and ``retrieval_failure``. Raises `MissingInput` without retrieval evidence.
        """
        executions = executions_of(exchange.response, self.capability)
        queries = [query.queryString for execution in executions for query in execution.queries if query.queryString]
        selected = [query for query in queries if contains(query, self.selector)]
        missing = [term for term in self.includes if selected and not any(contains(query, term) for query in selected)]
        found = [term for term in self.excludes if any(contains(query, term) for query in selected)]
        if not executions:
            code, reason = "retrieval_failure", not_executed(exchange.response, self.capability)
        elif not selected:
            code, reason = "no_matching_query", self._unselected(len(queries))
        else:
            code, reason = _CODES[bool(missing), bool(found)], self._terms(selected, missing, found)
        return decide(
            1.0 if code == "pass" else 0.0,
            reason=reason,
            notes=tuple(f"query: {quoted(query, 200)}" for query in selected or queries),
            diagnostic_code=code,
            matched_queries=selected,
            includes_missing=missing,
            excludes_found=found,
        )

    def _unselected(self, queries: int) -> str:
        return f"none of {counted(queries, 'query', 'queries')} has the selector {quoted(self.selector)}"

    def _terms(self, selected: list[str], missing: list[str], found: list[str]) -> str:
        failures = []
        if missing:
            failures.append(f"no selected query has {listed(missing)}")
        if found:
            failures.append(f"a selected query has {listed(found)}, which is excluded")
        if failures:
            return " and ".join(failures)
        sentence = f"{counted(len(selected), 'query has', 'queries have')} the selector {quoted(self.selector)}"
        if self.includes:
            sentence += f" and all of {listed(self.includes)}"
        return f"{sentence}, and none of {listed(self.excludes)}" if self.excludes else sentence
