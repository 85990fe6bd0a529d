"""What an agent did for its answer, with the texts marked that evaluators looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.reports.html.texts import Span, marked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_agentevals.responses import AgentResponse, Open, RetrievalExecution
    from pytest_agentevals.results import Verdict


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a retrieval; a hit without a rank takes its position."""

    rank: int
    url: str | None
    extracts: list[list[Span]]
    rest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One use of a retrieval capability."""

    execution: RetrievalExecution
    queries: list[list[Span]]
    filters: list[str]
    hits: list[Hit]
    rest: Mapping[str, Any]


def retrievals(response: AgentResponse, verdicts: Iterable[Verdict], options: Mapping[str, Any]) -> list[Retrieval]:
    """Return the retrievals of a response; texts that evaluators looked for are marked."""
    if not response.retrieval_executions:
        return []
    expected = [text for verdict in verdicts for text in _expected(verdict)]
    terms = list(_terms(options))
    return [_retrieval(execution, expected, terms) for execution in response.retrieval_executions]


def _retrieval(execution: RetrievalExecution, expected: list[str], terms: list[str]) -> Retrieval:
    hits = [
        Hit(
            rank=position if hit.rank is None else hit.rank,
            url=hit.webUrl,
            extracts=[marked(extract.text, expected) for extract in hit.extracts if extract.text],
            rest=extra(hit),
        )
        for position, hit in enumerate(execution.retrievalHits, 1)
    ]
    return Retrieval(
        execution,
        [marked(query.queryString, terms) for query in execution.queries if query.queryString],
        [query.filterExpression for query in execution.queries if query.filterExpression],
        sorted(hits, key=lambda hit: hit.rank),
        extra(execution),
    )


def _expected(verdict: Verdict) -> Iterator[str]:
    """Yield the texts that a verdict of RetrievalResult names."""
    for key in ("matched_items", "missing_items"):
        items = verdict.details.get(key)
        for item in items if isinstance(items, list | tuple) else ():
            if isinstance(item, dict) and isinstance(item.get("extractMatch"), str):
                yield item["extractMatch"]


def _terms(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that RetrievalQuery looks for in queries."""
    asked = options.get("RetrievalQuery")
    if not asked:
        return
    for value in (asked.get("selector"), *(asked.get("includes") or ()), *(asked.get("excludes") or ())):
        if isinstance(value, str):
            yield value


def extra(value: Open) -> Mapping[str, Any]:
    """Return the fields that the format does not name."""
    return value.model_extra or {}
