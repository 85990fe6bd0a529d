"""Is the answer any good: relevance, coherence, groundedness, similarity, fluency, completeness, retrieval."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_agentevals.errors import MissingInput
from pytest_agentevals.evaluators.judged.base import Likert
from pytest_agentevals.evaluators.judged.conversation import message_list, simplified, transcript

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.evaluators.base import Exchange


class Relevance(Likert):
    """Does the response answer what was asked."""

    result_key = "relevance"
    key = "relevance"
    prompt = "_relevance/relevance.prompty"
    gpt_alias = True

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation as numbered turns, and the response."""
        return {"query": transcript(exchange), "response": exchange.response.text}


class Coherence(Likert):
    """Is the response well ordered and easy to follow."""

    result_key = "coherence"
    key = "coherence"
    prompt = "_coherence/coherence.prompty"
    gpt_alias = True

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation as messages, and the response."""
        return {"query": message_list(exchange), "response": exchange.response.text}


class Groundedness(Likert):
    """Is everything the response says supported by its context.

    The context is the item's ``context``, else what the agent retrieved, else ``expected_response``; the verdict says
    which, as ``context_source``.
    """

    result_key = "groundedness"
    key = "groundedness"
    prompt = "_groundedness/groundedness_with_query.prompty"
    gpt_alias = True

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the context, the conversation and the response."""
        context, _ = grounding(exchange)
        return {"context": context, "query": simplified(exchange), "response": exchange.response.text}

    def remarks(self, exchange: Exchange) -> dict[str, str]:
        """Name the source of the context."""
        return {"context_source": grounding(exchange)[1]}


class Similarity(Likert):
    """Does the response say the same as ``expected_response``."""

    result_key = "similarity"
    key = "similarity"
    prompt = "_similarity/similarity.prompty"
    gpt_alias = True

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation, the expected and the actual response."""
        return {
            "query": message_list(exchange),
            "ground_truth": exchange.expected(),
            "response": exchange.response.text,
        }


class Fluency(Likert):
    """Is the response well written."""

    result_key = "fluency"
    key = "fluency"
    prompt = "_fluency/fluency.prompty"

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the response alone."""
        return {"response": exchange.response.text}


class ResponseCompleteness(Likert):
    """Does the response contain everything that ``expected_response`` says."""

    result_key = "responseCompleteness"
    key = "response_completeness"
    prompt = "_response_completeness/response_completeness.prompty"

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the expected and the actual response."""
        return {"ground_truth": exchange.expected(), "response": exchange.response.text}


class Retrieval(Likert):
    """Is what the agent retrieved relevant to the prompt, the most relevant first.

    Without a record of retrievals the item's ``context`` counts as retrieved.
    """

    result_key = "retrieval"
    key = "retrieval"
    prompt = "_retrieval/retrieval.prompty"

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation and the extracts, as a list in the order of their ranks."""
        return {"query": message_list(exchange), "context": self._context(exchange)}

    def _context(self, exchange: Exchange) -> str:
        if found := extracts(exchange):
            return json.dumps(found, ensure_ascii=False)
        if exchange.response.retrieval_executions is None and exchange.context and exchange.context.strip():
            return exchange.context
        raise MissingInput('there is nothing retrieved to judge: no extracts in the response and no "context"')


def grounding(exchange: Exchange) -> tuple[str, str]:
    """Return the text that a response must be grounded in, and where it comes from.

    Raises `MissingInput` where there is none.
    """
    sources = {
        "context": exchange.context,
        "retrieved extracts": "\n\n".join(extracts(exchange)),
        "expected_response": exchange.expected_response,
    }
    for source, text in sources.items():
        if text and text.strip():
            return text, source
    raise MissingInput(
        'there is nothing to ground the response in: no "context", no retrieved extracts and no "expected_response"'
    )


def extracts(exchange: Exchange) -> list[str]:
    """Return the texts that the agent retrieved, by execution and rank; a hit without a rank takes its position."""
    return [
        extract.text
        for execution in exchange.response.retrieval_executions or ()
        for _, hit in sorted(enumerate(execution.retrievalHits, start=1), key=lambda at: at[1].rank or at[0])
        for extract in hit.extracts
        if extract.text and extract.text.strip()
    ]
