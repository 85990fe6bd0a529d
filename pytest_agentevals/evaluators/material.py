"""An exchange as the parts that a judge may look at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentevals.evaluators.base import Exchange


def material(exchange: Exchange, *, include_expected: bool) -> Iterator[tuple[str, str]]:
    """Yield title and text of everything that the judge may look at, the response last.

    What is not known is left out; what is known to be empty is there, as an empty list.
    """
    response = exchange.response
    for number, message in enumerate(exchange.history, 1):
        yield f"earlier message {number}, from the {message.role}", message.content
    yield "the user's prompt", exchange.prompt
    if exchange.context is not None:
        yield "context the response should agree with", exchange.context
    if response.retrieval_executions is not None:
        yield (
            "what the agent retrieved",
            as_json(item.model_dump(mode="json") for item in response.retrieval_executions),
        )
    if response.tool_definitions is not None:
        yield "tools the agent could call", as_json(response.tool_definitions)
    if response.tool_calls is not None:
        yield "tool calls and their results", as_json([response.tool_calls.model_dump(mode="json", exclude_none=True)])
    if response.citations is not None:
        yield (
            "citations given beside the response",
            as_json(item.model_dump(mode="json") for item in response.citations),
        )
    if include_expected:
        yield "an expected response", exchange.expected()
    yield "the agent's response", response.text


def as_json(values: Iterable[Any]) -> str:
    """Write values as JSON that reads well in any script."""
    return json.dumps(list(values), ensure_ascii=False, indent=1, default=str)
