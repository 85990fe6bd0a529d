"""Connects the help desk to pytest-agentevals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpdesk.agent import HelpDesk

from pytest_agentevals import AgentResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from helpdesk.agent import Answer

    from pytest_agentevals import Conversation


@pytest.fixture(scope="session")
def agent_client() -> Callable[[str, Conversation], AgentResponse]:
    desk = HelpDesk()

    def ask(prompt: str, conversation: Conversation) -> AgentResponse:
        earlier = [message["content"] for message in conversation.messages if message["role"] == "user"]
        return response_of(desk.answer(prompt, earlier))

    return ask


def response_of(answer: Answer) -> AgentResponse:
    """Write an answer of the help desk in the terms of eval documents."""
    return AgentResponse.model_validate(
        {
            "text": answer.text,
            "citations": [{"text": source.title, "source": source.url} for source in answer.sources],
            "retrieval_executions": [
                {
                    "capability": "policies",
                    "queries": [{"queryString": search.query}],
                    "retrievalHits": [
                        {"rank": rank, "webUrl": hit.passage.url, "extracts": [{"text": hit.passage.text}]}
                        for rank, hit in enumerate(search.hits, 1)
                    ],
                }
                for search in answer.searches
            ],
            "tool_calls": [
                {"plugin_name": call.plugin, "function_name": call.function, "response_status": call.status}
                for call in answer.tool_calls
            ],
        }
    )
