"""One asyncio event loop per process, in a thread of its own, for everything that waits: judges and agents.

pytest is synchronous and its plugins may run a loop of their own in the main thread; connections want to live in one
loop for the whole run. The loop starts with the first coroutine and ends with the process.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

Result = TypeVar("Result")

#: Seconds between looks at the main thread's signals: on Windows, Ctrl-C does not interrupt the wait for a lock.
SIGNAL_INTERVAL = 0.2
#: Seconds that `BackgroundLoop.close` waits for what is still running.
CLOSE_TIMEOUT = 2.0


class BackgroundLoop:
    """An event loop in a daemon thread. All methods may be called from any thread but its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closers: list[Callable[[], Awaitable[object]]] = []

    def submit(self, coroutine: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Start a coroutine and return at once; cancelling the future cancels the coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._running())

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine and return its result, or raise what it raises; Ctrl-C cancels it at once.

        Raises `RuntimeError` inside the loop itself, where waiting would never end.
        """
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("run() waits for the background loop and cannot be called inside it: use await")
        return self.wait_for(self.submit(coroutine))

    @staticmethod
    def wait_for(future: Future[Result], meanwhile: Callable[[], object] = lambda: None) -> Result:
        """Wait for what `submit` returned, and return its result or raise what it raises; Ctrl-C cancels it at once.

        ``meanwhile`` is called at the beginning and several times a second, unless the result is there.
        """
        try:
            while not future.done():
                meanwhile()
                wait([future], timeout=SIGNAL_INTERVAL)
            return future.result()
        finally:
            future.cancel()

    def on_close(self, closer: Callable[[], Awaitable[object]]) -> None:
        """Await ``closer()`` in the loop before it ends; for connections that live as long as the loop."""
        self._closers.append(closer)

    def close(self) -> None:
        """Cancel what is running, close the connections and end the thread; a later coroutine starts a new one."""
        with self._lock:
            if self._thread is not None and self._loop is not None and self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join(CLOSE_TIMEOUT)
            self._thread = self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # Not alive: never started, or this process was forked from the one where it runs.
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                started: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=self._serve, args=(started,), name="agentevals", daemon=True)
                self._thread.start()
                self._loop = started.result()
            return self._loop

    def _serve(self, started: Future[asyncio.AbstractEventLoop]) -> None:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            loop.call_soon(started.set_result, loop)
            loop.run_forever()
            runner.run(self._release())

    async def _release(self) -> None:
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        closers, self._closers = self._closers, []
        await asyncio.gather(*(closer() for closer in closers), return_exceptions=True)


async def gather(coroutines: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Await coroutines together and return their results in order.

    The first exception is raised and cancels the others, which `asyncio.gather` would leave running.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


_shared = BackgroundLoop()
atexit.register(_shared.close)

run = _shared.run
submit = _shared.submit
wait_for = _shared.wait_for
on_close = _shared.on_close
