"""Processes of one run ask nothing twice, and processes on other hosts get along without the others."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from sample_items import item

from pytest_agentevals.testing import Reply, ScriptedServer

#: Writes down each prompt that it is asked, in a file for each process.
CONFTEST = """
import os, pathlib, pytest, time

@pytest.fixture(scope="session")
def agent_client():
    log = pathlib.Path({log!r}) / str(os.getpid())

    def ask(prompt):
        with log.open("a") as file:
            file.write(prompt + "\\n")
        time.sleep(0.02)
        return prompt

    return ask
"""

KILLER = """
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    if item.name == "n12":
        os.kill(os.getpid(), 9)
"""


@pytest.fixture
def log(tmp_path):
    (tmp_path / "log").mkdir()
    return tmp_path / "log"


@pytest.fixture
def judge(pytester):
    def answer(request):
        return Reply(content=json.dumps({"explanation": "Good.", "reason": "Good.", "score": 5}), delay=0.02)

    with ScriptedServer(answer) as server:
        pytester.makeini(f"[pytest]\nevals_judge_url = {server.base_url}\nevals_judge_model = {server.model}")
        yield server


def prompts_of(log):
    return Counter(line for file in log.iterdir() for line in file.read_text().splitlines())


def judgments_of(judge):
    return Counter(json.dumps(request["messages"]) for request in judge.requests)


def documents(write, count=10):
    for name in ("one", "two", "three"):
        many = [
            item(f"n{number}", response=None, evaluators={"Relevance": {}, "Coherence": {}}, prompt=f"{name} {number}?")
            for number in range(count)
        ]
        write(*many, name=f"{name}.json")


@pytest.fixture(autouse=True)
def temporary(monkeypatch, tmp_path):
    """A folder for temporary files that shows what is left in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.glob("agentevals*"))


@pytest.mark.parametrize("dist", ["load", "loadfile", "worksteal"])
def test_workers_ask_nothing_twice(pytester, write, judge, log, dist):
    pytester.makeconftest(CONFTEST.format(log=str(log)))
    documents(write)
    result = pytester.runpytest("-n3", f"--dist={dist}")
    result.assert_outcomes(passed=30)
    assert set(prompts_of(log).values()) == {1}
    assert len(prompts_of(log)) == 30
    assert set(judgments_of(judge).values()) == {1}
    assert len(judgments_of(judge)) == 60
    # What one worker asked ahead and another reported counts as asked.
    result.stdout.fnmatch_lines(["evals: 60 judgments, 7,200 tokens, * s each"])


def test_nothing_that_was_answered_is_asked_again_after_a_worker_was_killed(pytester, write, judge, log):
    pytester.makeconftest(CONFTEST.format(log=str(log)) + KILLER)
    documents(write, count=15)
    result = pytester.runpytest("-n2", "--evals-agent-concurrency=1", "--evals-judge-concurrency=1")
    result.stdout.fnmatch_lines(["*crashed*"])
    # With one question of a kind in flight, the worker takes no more than these two along.
    assert sum(prompts_of(log).values()) - 45 <= 3
    assert len(prompts_of(log)) == 45
    assert sum(judgments_of(judge).values()) - len(judgments_of(judge)) <= 3


def test_each_worker_finds_out_for_itself_where_all_run_everything(pytester, write, log):
    pytester.makeconftest(CONFTEST.format(log=str(log)))
    write(*(item(f"n{number}", response=None, evaluators={"Contains": {"any": ["n"]}}) for number in range(3)))
    pytester.runpytest("--dist=each", "--tx=2*popen").assert_outcomes(passed=6)
    assert set(prompts_of(log).values()) == {2}


def test_a_worker_elsewhere_works_without_the_others(pytester, write, log, tmp_path_factory):
    """A second interpreter in a folder of its own, where the run's folder is not: what another host looks like."""
    here, elsewhere = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("elsewhere")
    pytester.makeini("[pytest]")
    pytester.makeconftest(
        CONFTEST.format(log=str(log))
        + """
@pytest.hookimpl(optionalhook=True, trylast=True)
def pytest_configure_node(node):
    if "elsewhere" in node.gateway.spec.chdir:
        node.workerinput["agentevals_folder"] = "/on/another/host"
"""
    )
    write(*(item(f"n{number}", response=None, evaluators={"Contains": {"any": ["n"]}}) for number in range(12)))
    result = pytester.runpytest(
        "--dist=load",
        "-Wignore:The --rsyncdir:DeprecationWarning",
        *(f"--tx=popen//python={sys.executable}//chdir={folder}" for folder in (here, elsewhere)),
        f"--rsyncdir={pytester.path}",
    )
    result.assert_outcomes(passed=12)
    # Each asks for what it runs, and the one that shares may have asked for more ahead.
    assert len(prompts_of(log)) == 12
    assert max(prompts_of(log).values()) <= 2
    assert len(list(log.iterdir())) == 2
    assert Path(elsewhere, pytester.path.name).is_dir()
