"""Where the responses of one item come from: the document, its recording, or an agent that is asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.errors import AgentError
from pytest_agentevals.judge.recording import response_key
from pytest_agentevals.responses import AgentResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.agents.caller import Caller
    from pytest_agentevals.documents.load import LoadedTurn
    from pytest_agentevals.evaluators.base import Message
    from pytest_agentevals.judge.recording import Recording

NOBODY_TO_ASK = (
    'the item has no recorded "response" and no agent is configured: '
    'add a "response" to the item, or return your agent from an "agent_client" fixture in conftest.py'
)


@dataclass(frozen=True, slots=True)
class Tape:
    """The recording of an item's document, and what this item uses of it."""

    recording: Recording
    used: set[str]
    item: str
    #: Whether responses of the agent are recorded.
    writes: bool = False


class RecordedAsker:
    """Answers with what the document or its recording has; ``missing`` is the error where neither has it."""

    waits = False

    def __init__(self, tape: Tape, *, missing: str = NOBODY_TO_ASK) -> None:
        self._tape = tape
        self._missing = missing

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Return the recorded response; raises `AgentError` where there is none."""
        if turn.response is not None:
            return turn.response, "recorded"
        key = response_key(prompts(turn, history))
        entry = self._tape.recording.responses.get(key)
        if entry is None:
            raise AgentError(self._missing)
        self._tape.used.add(key)
        return AgentResponse.model_validate(entry["response"]), "recorded"


class ClientAsker:
    """Asks an agent client, in one conversation."""

    def __init__(self, caller: Caller, tape: Tape) -> None:
        self._caller = caller
        self._tape = tape
        self._id = Conversation().id
        self.waits = caller.asynchronous

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Ask the agent; raises `AgentError` where it gives no usable response."""
        messages = [{"role": message.role, "content": message.content} for message in history]
        conversation = Conversation(id=self._id, messages=messages)
        if in_event_loop():
            response = await self._caller.ask(turn.prompt, conversation)
        else:
            response = self._caller.ask_sync(turn.prompt, conversation)
        said = prompts(turn, history)
        key = response_key(said)
        self._tape.used.add(key)
        if self._tape.writes:
            entry = {
                "key": key,
                "item": self._tape.item,
                "turn": turn.index,
                "prompt": turn.prompt,
                "response": response.model_dump(mode="json", exclude_none=True),
            }
            self._tape.recording.append("responses", entry)
        return response, "asked"


def prompts(turn: LoadedTurn, history: Sequence[Message]) -> list[str]:
    """Return all that the user said, up to the prompt of a turn."""
    return [*(message.content for message in history if message.role == "user"), turn.prompt]


def in_event_loop() -> bool:
    """Whether this code runs in an event loop, where blocking would stop everything else."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
