"""The background event loop: one thread, usable from anywhere, gone at once when it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from pytest_agentevals import loop


@pytest.fixture
def background():
    """A loop of the test's own."""
    background = loop.BackgroundLoop()
    yield background
    background.close()


async def where_am_i():
    return threading.current_thread()


async def sleep_and_note(seconds, notes):
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        notes.append("cancelled")
        raise


def test_coroutines_of_all_threads_run_in_one_thread_that_is_not_theirs(background):
    with ThreadPoolExecutor(8) as pool:
        threads = set(pool.map(lambda _: background.run(where_am_i()), range(16)))

    assert len(threads) == 1
    assert threads.isdisjoint({threading.main_thread()})


def test_nothing_starts_before_the_first_coroutine():
    before = threading.active_count()

    loop.BackgroundLoop()

    assert threading.active_count() == before


def test_the_caller_gets_the_exception_of_the_coroutine(background):
    async def fail():
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        background.run(fail())


def test_a_caller_with_a_running_loop_of_its_own_is_served(background):
    async def main():
        return background.run(where_am_i())

    assert asyncio.run(main()) is not threading.main_thread()


def test_waiting_inside_the_loop_is_refused_instead_of_hanging(background):
    async def nested():
        background.run(where_am_i())

    with pytest.raises(RuntimeError, match="use await"):
        background.run(nested())


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C on Windows")
def test_ctrl_c_cancels_at_once(background):
    notes = []
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()

    with pytest.raises(KeyboardInterrupt):
        background.run(sleep_and_note(30, notes))
    background.close()

    assert time.perf_counter() - start < 2
    assert notes == ["cancelled"]


def test_close_cancels_what_runs_then_closes_connections_and_a_new_coroutine_starts_again(background):
    notes = []

    async def close_connections():
        notes.append("closed")

    future = background.submit(sleep_and_note(30, notes))
    background.run(asyncio.sleep(0))
    background.on_close(close_connections)
    background.close()

    assert notes == ["cancelled", "closed"]
    with pytest.raises(CancelledError):
        future.result()
    assert background.run(where_am_i()).is_alive()


def test_gather_keeps_the_order_and_runs_together(background):
    async def main():
        together = asyncio.Barrier(3)

        async def after(seconds):
            await together.wait()
            await asyncio.sleep(seconds)
            return seconds

        return await loop.gather(after(seconds) for seconds in (0.03, 0.01, 0.02))

    assert background.run(main()) == [0.03, 0.01, 0.02]


def test_gather_cancels_the_others_when_one_fails(background):
    notes = []

    async def fail():
        await asyncio.sleep(0)
        raise ValueError("first")

    with pytest.raises(ValueError, match="first"):
        background.run(loop.gather([sleep_and_note(30, notes), fail()]))
    background.run(asyncio.sleep(0))

    assert notes == ["cancelled"]


def test_a_process_ends_while_a_coroutine_waits():
    code = "import asyncio; from pytest_agentevals import loop; loop.submit(asyncio.sleep(60)); print('end')"

    result = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code], check=False, capture_output=True, text=True, timeout=20
    )

    assert (result.returncode, result.stdout, result.stderr) == (0, "end\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_gets_a_loop_of_its_own(background):
    background.run(where_am_i())
    child = os.fork()
    if child == 0:
        os._exit(0 if background.run(where_am_i()).is_alive() else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
