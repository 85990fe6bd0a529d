"""HTTP connections to agents: pooled, patient with busy servers, closed with the event loop."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

import httpx

from pytest_agentevals import loop
from pytest_agentevals.agents.failures import code_of_status, one_line
from pytest_agentevals.errors import AgentError
from pytest_agentevals.retry_after import retry_after

#: Seconds until a host that does not react counts as not reachable.
CONNECT_TIMEOUT = 10.0
#: Seconds of the longest pause that the server did not ask for.
LONGEST_PAUSE = 20.0


class Connection(httpx.AsyncClient):
    """A pool of connections that repeats a request when the agent cannot have acted on it.

    That is: no connection was made, or the server refused with 429 (too many requests) or 503 (not available). Others
    may have changed something already and are not repeated. ``patience`` is in seconds: what would have to wait longer
    fails at once. Redirects are not followed, so that keys go nowhere but to the configured address.
    """

    def __init__(self, *, retries: int, patience: float, headers: dict[str, str]) -> None:
        # Without limits of its own: how much is asked at once is decided where it is asked.
        super().__init__(headers=headers, timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT), limits=httpx.Limits())
        self._retries = retries
        self._patience = patience
        loop.on_close(self.aclose)

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request as `httpx.AsyncClient.send` does, again where that is safe."""
        until = time.monotonic() + self._patience
        for attempt in range(self._retries):
            wait = random.uniform(0.5, 1) * min(0.5 * 2**attempt, LONGEST_PAUSE)  # noqa: S311 - no secret
            try:
                response = await super().send(request, **options)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if time.monotonic() + wait > until:
                    raise
            else:
                asked = retry_after(response.headers)
                wait = wait if asked is None else asked
                if response.status_code not in {429, 503} or time.monotonic() + wait > until:
                    return response
                await response.aclose()
            await asyncio.sleep(wait)
        return await super().send(request, **options)


def refused(status: int, said: str, where: str) -> AgentError:
    """Make the error of an answer whose HTTP status is no success."""
    message = f"{where} answered HTTP {status}" + (f": {one_line(said)}" if said else "")
    return AgentError(message, code=code_of_status(status))
