"""How many requests a server gets at once."""

from __future__ import annotations

import asyncio
from typing import Self

#: Requests in flight before the first answer: a wrong key is found out with as many.
PROBES = 3


class Limiter:
    """Lets requests start: a few until the first answer, then up to ``maximum``, fewer when the server asks for less.

    Additive increase, multiplicative decrease: "too many requests" halves the number of requests in flight, a round of
    answers raises it by one. Use as an async context manager, inside one event loop.
    """

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self.limit: float = min(PROBES, maximum)
        self._running = 0
        self._answered = False
        #: Answers and refusals still to come for requests that were in flight when the limit was last halved.
        self._ignored = 0
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < int(self.limit))
            self._running += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        async with self._changed:
            self._running -= 1
            self._changed.notify(max(1, int(self.limit) - self._running))

    def answered(self) -> None:
        """Count an answer: the server keeps up."""
        self._ignored = max(0, self._ignored - 1)
        self.limit = min(self.maximum, self.limit + 1 / self.limit) if self._answered else self.maximum
        self._answered = True

    def refused(self) -> None:
        """Count a refusal for too many requests; those of one burst halve the limit once."""
        if self._ignored:
            self._ignored -= 1
            return
        self._answered = True
        self.limit = max(1.0, min(self.limit, self._running) / 2)
        self._ignored = self._running - 1
