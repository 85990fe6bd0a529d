"""A line tells how far a run is while it waits, where somebody looks at a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

CONFTEST = """
import asyncio, pytest

@pytest.fixture(scope="session")
def agent_client():
    async def ask(prompt):
        await asyncio.sleep(0.5)
        return prompt

    return ask
"""

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")


@pytest.fixture
def on_a_terminal(pytester, write):
    """Run a few slow items, with a terminal for the output, and return what is written there."""
    pytester.makeconftest(CONFTEST)
    evaluators = {"Contains": {"any": ["p"]}}
    write(*({"prompt": f"p{number}", "evaluators": evaluators} for number in range(12)), default_evaluators={})

    def on_a_terminal(*arguments, **environment):
        master, slave = os.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "no:xdist", *arguments],
            cwd=pytester.path,
            stdout=slave,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
        )
        os.close(slave)
        written = b""
        try:
            while chunk := os.read(master, 4096):
                written += chunk
        except OSError:  # Linux tells of the end in this way
            pass
        os.close(master)
        assert process.wait() == 0
        return written.decode()

    return on_a_terminal


def test_a_line_tells_how_far_agents_and_judges_are(on_a_terminal):
    written = on_a_terminal()
    assert re.search(r"\x1b\[2Kevals: \d+ asked, 0 judged, [1-4] in flight, about [1-9] s left", written)


def test_the_line_is_gone_before_pytest_writes(on_a_terminal):
    written = on_a_terminal()
    # Whatever stands in the line below is removed from it, and the cursor is back in pytest's line.
    lines = re.findall(r"\n\x1b\[2K([^\x1b]*)\x1b\[A\r(?:\x1b\[\d+C)?", written)
    assert lines
    assert lines[-1] == ""
    rest = re.sub(r"\r?\n\x1b\[2K[^\x1b]*\x1b\[A\r(?:\x1b\[\d+C)?", "", written)
    assert "in flight" not in rest
    assert re.sub(r"\x1b\[\d*m", "", rest).count("faq.json ............") == 1


@pytest.mark.parametrize(("arguments", "environment"), [(["-q"], {}), ([], {"CI": "true"})], ids=["quiet", "CI"])
def test_there_is_no_line_where_nobody_looks(on_a_terminal, arguments, environment):
    assert "in flight" not in on_a_terminal(*arguments, **environment)


def test_there_is_no_line_in_a_file(pytester, on_a_terminal):
    result = pytester.runpytest_subprocess("-p", "no:xdist", "-p", "no:hypothesispytest")
    assert "in flight" not in result.stdout.str()
