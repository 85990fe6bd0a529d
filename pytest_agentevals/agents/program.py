"""An agent that is a program: JSON on its standard input, JSON on its standard output."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path  # noqa: TC003 - pydantic reads the annotation
from typing import IO, TYPE_CHECKING, Any

from pydantic import PrivateAttr

from pytest_agentevals import loop
from pytest_agentevals.agents.client import Client
from pytest_agentevals.agents.reply import described, unusable
from pytest_agentevals.agents.template import DEFAULT, fill
from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation

#: Bytes of the longest answer.
LONGEST_ANSWER = 64 * 2**20
#: Bytes of the end of the standard error that are looked at when a program fails.
ERROR_TAIL = 2000


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


class Process:
    """One running program. Its standard error goes to a temporary file, so that it can never block."""

    def __init__(self, process: asyncio.subprocess.Process, errors: IO[bytes], name: str) -> None:
        self._process = process
        self._errors = errors
        self._name = name

    @classmethod
    async def start(cls, command: list[str], folder: Path) -> Process:
        """Start a program; raises `AgentError` where that is not possible."""
        pipe = asyncio.subprocess.PIPE
        with ExitStack() as opened:
            errors = opened.enter_context(tempfile.TemporaryFile())
            try:
                process = await asyncio.create_subprocess_exec(
                    *command,
                    cwd=folder,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=errors,
                    limit=LONGEST_ANSWER,
                    # A group of its own, to end what the program started as well.
                    start_new_session=True,
                )
            except OSError as error:
                raise AgentError(f'the agent "{command[0]}" cannot be started: {error.strerror}') from None
            opened.pop_all()
        return cls(process, errors, command[0])

    @property
    def alive(self) -> bool:
        """Whether the program is still running."""
        return self._process.returncode is None

    async def exchange(self, request: bytes) -> bytes:
        """Write one line and read one line."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - both are pipes
        assert stdout is not None  # noqa: S101 - as above
        with suppress(ConnectionError):  # a program that has ended says why below
            stdin.write(request)
            await stdin.drain()
        try:
            line = await stdout.readline()
        except ValueError:
            raise unusable(f'the agent "{self._name}" wrote a line of more than {LONGEST_ANSWER >> 20} MiB') from None
        if not line.endswith(b"\n"):
            raise self._failed(await self._process.wait())
        return line

    async def finish(self, request: bytes) -> bytes:
        """Write the only request and read all of the output."""
        output, _ = await self._process.communicate(request)
        if status := self._process.returncode:
            raise self._failed(status)
        return output

    async def end(self) -> None:
        """End the program and all that it started, and wait for it."""
        with suppress(ProcessLookupError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        await self._process.wait()
        self.close()

    def close(self) -> None:
        """Forget a program that has ended."""
        self._errors.close()

    def _failed(self, status: int) -> AgentError:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - ERROR_TAIL))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        said = f": {lines[-1].strip()}" if lines else " without a word on standard error"
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return AgentError(f'the agent "{self._name}" {how}{said}')


def _read(output: bytes) -> Any:
    try:
        return json.loads(output)
    except ValueError:
        text = output.decode(errors="replace").strip()
        raise unusable(
            f"the agent wrote {described(text)} to standard output; allowed is one JSON value, a string or an object "
            "with the fields of a response"
        ) from None
