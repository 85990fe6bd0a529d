"""Responses kept from run to run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from sample_items import item

CONFTEST = """
import pathlib, pytest, time

@pytest.fixture{scope}
def agent_client():
    def ask(prompt):
        with open("asked.txt", "a") as file:
            file.write(prompt + "\\n")
        if "broken" in prompt:
            raise OSError("down")
        time.sleep({seconds})
        return "yes"

    ask.version = {version!r}
    return ask
"""


@pytest.fixture
def client(pytester):
    def client(*, version="1", scope='(scope="session")', seconds=0):
        pytester.makeconftest(CONFTEST.format(version=version, scope=scope, seconds=seconds))

    client()
    return client


def asked(pytester):
    path = pytester.path / "asked.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return sorted(lines)


def test_a_response_is_asked_once_and_evaluated_anew(run_everywhere, pytester, write, client):
    write(item("one", response=None), item("two", response=None))
    result = run_everywhere("--evals-agent-cache")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["evals: agent responses are kept in .pytest_cache*responses.sqlite (0 conver* so far)"]
    )
    assert asked(pytester) == ["Is one right?", "Is two right?"]
    write(item("one", response=None, expected="no"), item("two", response=None), item("three", response=None))
    result = run_everywhere("--evals-agent-cache", "--junitxml=out.xml")
    result.assert_outcomes(passed=2, failed=2)
    assert asked(pytester) == ["Is three right?"]
    written = (pytester.path / "out.xml").read_text()
    assert (written.count('"cached"'), written.count('"asked"')) == (2, 1)


@pytest.mark.parametrize("scope", ['(scope="session")', ""], ids=["session", "function"])
def test_another_version_of_the_agent_is_asked_anew(run, pytester, write, client, scope):
    write(item("one", response=None))
    for version in ("1", "1", "2"):
        client(version=version, scope=scope)
        run("--evals-agent-cache=kept.sqlite").assert_outcomes(passed=1)
    assert len(asked(pytester)) == 2


def test_what_failed_is_asked_again(run, pytester, write, client):
    write(item("broken", response=None), item("one", response=None))
    for _ in range(2):
        run("--evals-agent-cache").assert_outcomes(errors=1, passed=1)
    assert asked(pytester) == ["Is broken right?", "Is broken right?", "Is one right?"]


def test_a_thread_is_kept_as_a_whole(run, pytester, write, client):
    def thread(*prompts):
        return {
            "name": "talk",
            "turns": [{"prompt": prompt, "evaluators": {"Contains": {"any": ["y"]}}} for prompt in prompts],
        }

    write(thread("a", "b"), default_evaluators={})
    run("--evals-agent-cache").assert_outcomes(passed=1)
    run("--evals-agent-cache").assert_outcomes(passed=1)
    assert asked(pytester) == ["a", "b"]
    write(thread("a", "c"), default_evaluators={})
    run("--evals-agent-cache").assert_outcomes(passed=1)
    assert asked(pytester) == ["a", "c"]


def test_the_kept_responses_can_be_forgotten_and_the_setting_switched_off(run, pytester, write, client):
    pytester.makeini("[pytest]\nevals_agent_cache = kept/responses.sqlite")
    write(item("one", response=None))
    for arguments in ((), (), ("--evals-agent-cache-clear", "-q"), ("--evals-agent-cache=off",)):
        run(*arguments).assert_outcomes(passed=1)
    assert len(asked(pytester)) == 3
    assert (pytester.path / "kept/responses.sqlite").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--evals-agent-cache", "faq.json"], "'faq.json' is no file of kept responses"),
        (["--evals-agent-cache", "faq.json::one"], "'faq.json::one' is no file of kept responses"),
        (["--evals-agent-cache", "."], "'.' is no file of kept responses"),
        (["--evals-agent-cache", "-p", "no:cacheprovider"], "needs pytest's cache, which is switched off"),
    ],
)
def test_a_place_that_cannot_be_used_is_one_sentence(run, pytester, write, client, arguments, message):
    before = write(item("one", response=None)).read_bytes()
    result = run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --evals-agent-cache*{message}*"])
    assert (pytester.path / "faq.json").read_bytes() == before


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_what_was_answered_before_an_interruption_is_used_by_the_next_run(pytester, write, client, how):
    client(seconds=0.3)
    write(*(item(f"n{number}", response=None) for number in range(20)))
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "--evals-agent-cache"]
    process = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL, env={**os.environ, "CI": ""})
    while (
        len((pytester.path / "asked.txt").read_text().splitlines() if (pytester.path / "asked.txt").exists() else [])
        < 9
    ):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(how)
    process.wait(timeout=60)
    first = asked(pytester)
    assert 9 <= len(first) < 20
    client(seconds=0)
    pytester.runpytest("-p", "no:xdist", "--evals-agent-cache").assert_outcomes(passed=20)
    again = asked(pytester)
    assert set(first) | set(again) == {f"Is n{number} right?" for number in range(20)}
    # At most what was in flight is asked again.
    assert len(set(first) & set(again)) <= 4
