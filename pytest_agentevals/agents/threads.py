"""Threads for clients that block."""

from __future__ import annotations

from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class DaemonThreads:
    """Up to ``limit`` threads, started as they are needed and kept.

    Unlike those of `concurrent.futures.ThreadPoolExecutor` they do not keep the interpreter from ending: a client that
    hangs must not hang the test run after Ctrl-C or after its time is over.
    """

    def __init__(self, limit: int, name: str) -> None:
        self._limit = limit
        self._name = name
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = Lock()
        self._started = 0
        self._unfinished = 0

    def submit(self, function: Callable[[], Result]) -> Future[Result]:
        """Run a function in one of the threads, in the caller's context variables."""
        future: Future[Result] = Future()
        context = copy_context()

        def task() -> None:
            if not future.set_running_or_notify_cancel():
                self._finished()
                return
            # Finished before the result is there, so that whoever waits for it finds the thread free.
            try:
                result = context.run(function)
            except BaseException as error:
                self._finished()
                future.set_exception(error)
            else:
                self._finished()
                future.set_result(result)

        with self._lock:
            self._unfinished += 1
            if self._unfinished > self._started and self._started < self._limit:
                self._started += 1
                name = f"{self._name}-{self._started}"
                Thread(target=_work, args=(self._tasks,), name=name, daemon=True).start()
        self._tasks.put(task)
        return future

    def _finished(self) -> None:
        with self._lock:
            self._unfinished -= 1

    def __del__(self) -> None:
        """End the threads, which do not hold on to this object: there may be one for each of thousands of clients."""
        for _ in range(self._started):
            self._tasks.put(None)


def _work(tasks: SimpleQueue[Callable[[], None] | None]) -> None:
    while _do(tasks.get()):
        pass


def _do(task: Callable[[], None] | None) -> bool:
    """Run a task; whether there was one. No reference to it outlives the call."""
    if task is not None:
        task()
    return task is not None
