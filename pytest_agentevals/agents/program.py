"""An agent that is a program: JSON on its standard input, JSON on its standard output."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - pydantic reads the annotation
from typing import TYPE_CHECKING, Any

from pydantic import PrivateAttr

from pytest_agentevals import loop
from pytest_agentevals.agents.client import Client
from pytest_agentevals.agents.process import Process
from pytest_agentevals.agents.reply import described, unusable
from pytest_agentevals.agents.template import DEFAULT, fill

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation


class Program(Client):
    """Starts a program for every prompt, or keeps programs running; never through a shell.

    The request is ``{"prompt": …, "conversation": {"id": …, "messages": […]}}``. A program that is started for one
    prompt reads it up to the end of its input, writes the answer and ends with status 0. One that is kept alive reads
    one line per request and writes one line per answer; as many run as prompts are asked at once, and any of them may
    get the next turn of a conversation.
    """

    command: list[str]
    keep_alive: bool = False
    #: Where the program runs.
    folder: Path

    _idle: list[Process] = PrivateAttr(default_factory=list)

    def model_post_init(self, context: object) -> None:  # noqa: ARG002 - pydantic's signature
        """See to it that programs end with the event loop."""
        if self.keep_alive:
            loop.on_close(self._end)

    async def __call__(self, prompt: str, conversation: Conversation) -> Any:
        """Ask the program. Raises `AgentError`."""
        request = json.dumps(fill(DEFAULT, prompt, conversation)).encode() + b"\n"
        process = await self._process()
        try:
            reply = _read(await (process.exchange(request) if self.keep_alive else process.finish(request)))
        except BaseException:
            # A program that was interrupted or left the protocol would answer the next prompt wrongly.
            await process.end()
            raise
        if self.keep_alive:
            self._idle.append(process)
        else:
            process.close()
        return reply

    async def _process(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.alive:
                return process
            process.close()
        return await Process.start(self.command, self.folder)

    async def _end(self) -> None:
        while self._idle:
            await self._idle.pop().end()


def _read(output: bytes) -> Any:
    try:
        return json.loads(output)
    except ValueError:
        text = output.decode(errors="replace").strip()
        raise unusable(
            f"the agent wrote {described(text)} to standard output; allowed is one JSON value, a string or an object "
            "with the fields of a response"
        ) from None
