"""Where the responses of one item come from: the document, its recording, or an agent that is asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.errors import AgentError
from pytest_agentevals.judge.recording import Sample, response_key
from pytest_agentevals.responses import AgentResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.agents.caller import Caller
    from pytest_agentevals.documents.load import LoadedItem, LoadedTurn
    from pytest_agentevals.engine.answers import Answer, Answers
    from pytest_agentevals.evaluators.base import Message
    from pytest_agentevals.judge.recording import Entry, Recording

NOBODY_TO_ASK = (
    'the item has no recorded "response" and no agent is configured: '
    'add a "response" to the item, or return your agent from an "agent_client" fixture in conftest.py'
)


@dataclass(frozen=True, slots=True)
class Tape:
    """The recording of an item's document, and what this item uses of it."""

    recording: Recording
    used: set[str]
    item: LoadedItem
    #: Whether responses of the agent are recorded.
    writes: bool = False


class RecordedAsker:
    """Answers with what the document or its recording has; ``missing`` is the error where neither has it."""

    waits = False

    def __init__(self, tape: Tape, *, missing: str = NOBODY_TO_ASK, repeat: int = 0) -> None:
        self._tape = tape
        self._missing = missing
        self._repeat = repeat

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Return the recorded response; raises `AgentError` where there is none."""
        if turn.response is not None:
            return turn.response, "recorded"
        key = response_key(prompts(turn, history), self._repeat)
        entry = self._tape.recording.responses.get(key)
        if entry is None:
            raise AgentError(self._missing)
        self._tape.used.add(key)
        return AgentResponse.model_validate(entry["response"]), "recorded"


@dataclass(frozen=True, eq=False, slots=True)
class Agent:
    """An agent client, ready to be asked by any number of items."""

    caller: Caller
    #: Tells it from other agents, in this run and in later ones.
    identity: str
    #: Whether it outlives an item, so that items may be asked at once and a response may stand for another.
    shared: bool
    #: As many as conversations may be under way at once.
    slots: asyncio.Semaphore

    @classmethod
    def of(cls, caller: Caller, identity: str, *, shared: bool) -> Agent:
        """Make one; its slots are those of the caller."""
        return cls(caller, identity, shared, asyncio.Semaphore(caller.concurrency))


class ClientAsker:
    """Asks an agent client, in one conversation.

    ``attempt`` counts from 0 how often the item has run, and ``repeat`` says which of its repeats this is. A
    conversation is asked by one process from its first turn to its last, because the client may remember it.
    """

    def __init__(self, agent: Agent, tape: Tape, answers: Answers, *, attempt: int = 0, repeat: int = 0) -> None:
        self._agent = agent
        self._tape = tape
        self._answers = answers
        self._conversation = Conversation()
        self._repeat = repeat
        said = [agent.identity, *(turn.prompt for turn in tape.item.turns)]
        self._key = response_key([*said, str(attempt)], repeat)
        #: An item that runs again asks anew.
        self._keep = None if attempt else response_key(said, repeat)
        #: Replies to the turns; where this asker asks for others too, they are there before the whole is.
        self._replies: list[Entry] = []
        self._heard: list[asyncio.Future[Entry]] = []
        self._whole: asyncio.Task[Answer] | None = None
        self._kept = False
        #: An agent that is shared may be answering somebody else.
        self.waits = agent.caller.asynchronous or agent.shared

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Return the agent's response; raises `AgentError` where it gives no usable one."""
        position = len(history) // 2
        entry, kept = await self._reply(position)
        if "error" in entry:
            raise AgentError(entry["error"], code=entry["code"])
        key = response_key(prompts(turn, history), self._repeat)
        self._tape.used.add(key)
        response = recordable(entry["response"])
        if self._tape.writes and self._tape.recording.responses.get(key, {}).get("response") != response:
            about = {"key": key, "item": self._tape.item.id, "turn": turn.index, "prompt": turn.prompt}
            about |= Sample(self._repeat).named
            self._tape.recording.append("responses", {**about, "response": response})
        return AgentResponse.model_validate(entry["response"]), "cached" if kept else "asked"

    async def _reply(self, position: int) -> tuple[Entry, bool]:
        """Return what the agent says to one turn, and whether that was kept from an earlier run."""
        if not self._agent.shared:
            return await self._reply_to_this_item(position)
        if self._whole is None:
            loop = asyncio.get_running_loop()
            self._heard = [loop.create_future() for _ in self._tape.item.turns]
            asking = self._answers.get(self._key, self._converse, self._agent.slots, keep=self._keep)
            self._whole = asyncio.create_task(asking)
        await asyncio.wait((self._whole, self._heard[position]), return_when=asyncio.FIRST_COMPLETED)
        if self._heard[position].done():
            return self._heard[position].result(), False
        whole = self._whole.result()
        return whole.value[position], whole.kept

    async def _reply_to_this_item(self, position: int) -> tuple[Entry, bool]:
        """Do the same for an agent that other items do not ask, with or without an event loop."""
        if position == 0 and (kept := self._answers.recall(self._keep)) is not None:
            self._replies, self._kept = kept, True
        if not self._kept:
            # Repeats of the item may be asking, too.
            async with self._agent.slots:
                self._replies.append(await self._ask(position))
            if len(self._replies) == len(self._tape.item.turns):
                self._answers.remember(self._keep, self._replies)
        return self._replies[position], self._kept

    async def _converse(self) -> list[Entry]:
        """Ask all turns, up to the first that fails."""
        for position, heard in enumerate(self._heard):
            reply = await self._ask(position)
            self._replies.append(reply)
            heard.set_result(reply)
            if "error" in reply:
                break
        return self._replies

    async def _ask(self, position: int) -> Entry:
        prompt, caller = self._tape.item.turns[position].prompt, self._agent.caller
        try:
            if in_event_loop():
                response = await caller.ask(prompt, self._conversation)
            else:
                response = caller.ask_sync(prompt, self._conversation)
        except AgentError as error:
            return {"error": str(error), "code": error.code}
        self._conversation = self._conversation.after(prompt, response.text)
        return {"response": response.model_dump(mode="json", exclude_none=True)}


def recordable(response: Entry) -> Entry:
    """Return a response with its time to a tenth of a millisecond: more digits would be noise in a recording."""
    taken = response.get("latency_ms")
    return response if taken is None else {**response, "latency_ms": round(taken, 1)}


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
