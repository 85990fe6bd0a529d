"""One running program."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from contextlib import ExitStack, suppress
from typing import IO, TYPE_CHECKING

from pytest_agentevals.agents.reply import unusable
from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes of the longest answer in one line.
LONGEST_ANSWER = 64 * 2**20
#: Bytes of the end of the standard error that are looked at when a program fails.
ERROR_TAIL = 2000


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
