"""Where the responses of one item come from: the document, or an agent that is asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.agents.caller import Caller
    from pytest_agentevals.documents.load import LoadedTurn
    from pytest_agentevals.evaluators.base import Message
    from pytest_agentevals.responses import AgentResponse

NOBODY_TO_ASK = (
    'the item has no recorded "response" and no agent is configured: '
    'add a "response" to the item, or return your agent from an "agent_client" fixture in conftest.py'
)


class RecordedAsker:
    """Answers with what the document recorded."""

    waits = False

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:  # noqa: ARG002
        """Return the recorded response; raises `AgentError` where there is none."""
        if turn.response is None:
            raise AgentError(NOBODY_TO_ASK)
        return turn.response, "recorded"


class ClientAsker:
    """Asks an agent client, in one conversation."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._id = Conversation().id
        self.waits = caller.asynchronous

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Ask the agent; raises `AgentError` where it gives no usable response."""
        messages = [{"role": message.role, "content": message.content} for message in history]
        conversation = Conversation(id=self._id, messages=messages)
        if in_event_loop():
            return await self._caller.ask(turn.prompt, conversation), "asked"
        return self._caller.ask_sync(turn.prompt, conversation), "asked"


def in_event_loop() -> bool:
    """Whether the caller runs in an event loop, where blocking would stop everything else."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
