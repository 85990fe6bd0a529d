"""Threads for clients that block."""

from __future__ import annotations

import contextvars
import subprocess
import sys
import threading

import pytest

from pytest_agentevals.agents.threads import DaemonThreads


def test_a_thread_is_started_only_when_all_others_are_busy():
    threads = DaemonThreads(8, "test")
    assert {threads.submit(lambda: threading.current_thread().name).result() for _ in range(50)} == {"test-1"}


def test_exceptions_reach_whoever_waits():
    with pytest.raises(KeyError):
        DaemonThreads(1, "test").submit({}.popitem).result()


def test_functions_see_the_context_variables_of_whoever_submitted_them():
    variable = contextvars.ContextVar("variable")
    threads = DaemonThreads(1, "test")
    for value in "ab":
        variable.set(value)
        assert threads.submit(variable.get).result() == value


def test_what_was_cancelled_before_it_began_is_not_run():
    threads = DaemonThreads(1, "test")
    gate = threading.Event()
    ran = []
    busy = threads.submit(gate.wait)
    waiting = threads.submit(lambda: ran.append(1))
    assert waiting.cancel()
    gate.set()
    busy.result()
    threads.submit(lambda: None).result()
    assert ran == []


def test_a_hanging_function_does_not_keep_the_interpreter_from_ending():
    code = (
        "import threading; from pytest_agentevals.agents.threads import DaemonThreads; "
        "DaemonThreads(1, 't').submit(threading.Event().wait)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 0


def test_threads_end_with_their_pool():
    threads = DaemonThreads(2, "short-lived")
    for future in [threads.submit(lambda: None) for _ in range(4)]:
        future.result()
    started = [thread for thread in threading.enumerate() if thread.name.startswith("short-lived")]
    assert started
    del threads
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()
