"""The answers of agents and judges in one session: every question is asked once, whoever wants to know."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_agentevals.engine.store import Store

#: Seconds between looks at what other processes have answered; one look is for all that this process waits for.
LOOK_INTERVAL = 0.05


class Answer(NamedTuple):
    """A JSON value, and whether it was kept from an earlier run."""

    value: Any
    kept: bool = False


@dataclass(slots=True)
class Counts:
    """What agents and judges were asked by this process, and answered."""

    #: Conversations with an agent.
    asked: int = 0
    judged: int = 0
    errors: int = 0
    #: Of judgments, as far as the judge tells.
    tokens: int = 0

    def add(self, value: Any) -> None:
        """Count an answer: a list of an agent's responses, or a judgment."""
        self.errors += failed(value)
        if isinstance(value, list):
            self.asked += 1
            return
        self.judged += 1
        usage = value.get("usage", {})
        self.tokens += (usage.get("prompt_tokens") or 0) + (usage.get("completion_tokens") or 0)


class Answers:
    """Finds answers in this process, in the ``shared`` store of the run, or among those ``kept``; or asks.

    All methods run in one event loop, that of `pytest_agentevals.loop`.
    """

    def __init__(self, *, shared: Store | None = None, kept: Store | None = None) -> None:
        self.shared = shared
        self.kept = kept
        self.counts = Counts()
        self._found: dict[str, asyncio.Task[Answer]] = {}
        self._asking: set[asyncio.Task[Answer]] = set()
        self._awaited: dict[str, asyncio.Future[Any]] = {}
        self._watcher: asyncio.Task[None] | None = None

    def __bool__(self) -> bool:
        """Whether anything was asked."""
        return bool(self._found)

    @property
    def in_flight(self) -> int:
        """How many questions are asked and not answered."""
        return len(self._asking)

    async def get(
        self, key: str, ask: Callable[[], Awaitable[Any]], slots: asyncio.Semaphore, *, keep: str | None = None
    ) -> Answer:
        """Return the answer to the question ``key``.

        ``ask`` is called where nobody has asked it in this session, when one of ``slots`` is free; what it returns is a
        JSON value, and what it raises, everybody gets who waits in this process. ``keep`` is the key under which the
        answer is kept from run to run; None: it is neither looked up there nor kept.
        """
        task = self._found.get(key)
        if task is None:
            task = self._found[key] = asyncio.create_task(self._find(key, ask, slots, keep))
        # Whoever does not want it any more leaves it to others that do.
        return await asyncio.shield(task)

    def recall(self, keep: str | None) -> Any:
        """Return the value kept from an earlier run, or None."""
        return None if keep is None or self.kept is None else self.kept.look([keep]).get(keep)

    def remember(self, keep: str | None, value: Any) -> None:
        """Keep a value for later runs, unless it tells of a failure."""
        if keep is not None and self.kept is not None and not failed(value):
            self.kept.put(keep, value)

    async def finish(self) -> None:
        """End: no more questions are asked, and the answers to those that are asked already are waited for."""
        for task in set(self._found.values()) - self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def stop(self) -> None:
        """End at once."""
        for task in self._found.values():
            task.cancel()
        await asyncio.gather(*self._found.values(), return_exceptions=True)

    async def _find(
        self, key: str, ask: Callable[[], Awaitable[Any]], slots: asyncio.Semaphore, keep: str | None
    ) -> Answer:
        while True:
            if self.shared is not None and (value := await self._from_others(self.shared, key)) is not None:
                return Answer(value)
            if (value := self.recall(keep)) is not None:
                return Answer(value, kept=True)
            async with slots:
                if self.shared is None or self.shared.claim(key):
                    return Answer(await self._ask(key, ask, keep))

    async def _ask(self, key: str, ask: Callable[[], Awaitable[Any]], keep: str | None) -> Any:
        task: Any = asyncio.current_task()
        self._asking.add(task)
        try:
            value = await ask()
        except BaseException:
            if self.shared is not None:
                self.shared.release(key)
            raise
        finally:
            self._asking.discard(task)
        self.counts.add(value)
        if self.shared is not None:
            self.shared.put(key, value)
        self.remember(keep, value)
        return value

    async def _from_others(self, shared: Store, key: str) -> Any:
        """Return the answer that another process has or is waiting for; None where nobody is asking."""
        known = shared.look([key])
        if key not in known:
            return None
        if known[key] is not None:
            return known[key]
        future = self._awaited[key] = asyncio.get_running_loop().create_future()
        if self._watcher is None or self._watcher.done():
            self._watcher = asyncio.create_task(self._watch(shared))
        return await future

    async def _watch(self, shared: Store) -> None:
        """Look for all that other processes were asking, until nothing is awaited any more."""
        try:
            while self._awaited:
                await asyncio.sleep(LOOK_INTERVAL)
                known = shared.look(self._awaited.keys())
                for key in [key for key in self._awaited if key not in known or known[key] is not None]:
                    future = self._awaited.pop(key)
                    if not future.done():
                        future.set_result(known.get(key))
        except ConfigurationError as error:
            for future in self._awaited.values():
                future.set_exception(error)
            self._awaited.clear()


def failed(value: Any) -> bool:
    """Whether an answer tells of a failure: one of the things that were answered is an error."""
    return any("error" in part for part in (value if isinstance(value, list) else [value]))
