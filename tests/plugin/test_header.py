"""The line that says, before a run, whom it asks."""

from __future__ import annotations

import json

import pytest
from sample_items import GOOD

KEY = "sk-planted-key-0123456789"


@pytest.fixture(autouse=True)
def no_judge(monkeypatch):
    for name in ("AZURE_AI_OPENAI_ENDPOINT", "AZURE_ENDPOINT", "AZURE_AI_PROJECT_ENDPOINT", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def header(pytester, write):
    """Run pytest over one document and return the line."""
    write(GOOD)
    pytester.makepyfile(helpdesk="def ask(prompt):\n    return prompt")

    def run(*arguments):
        result = pytester.runpytest("-p", "no:xdist", "--collect-only", *arguments)
        return next(line for line in result.stdout.lines if line.startswith("evals: judge "))

    return run


def test_it_names_judge_mode_and_agent_and_what_configures_the_judge(header, monkeypatch):
    monkeypatch.setenv("OPENAI_MODEL", "gpt-4o")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    line = header("--evals-judge=live", "--evals-agent=helpdesk:ask")

    assert line == "evals: judge gpt-4o live, agent helpdesk:ask (judge at api.openai.com, from OPENAI_MODEL)"


def test_without_a_judge_and_an_agent_it_says_so(header):
    assert header() == "evals: judge not configured, agent recorded"
    assert header("--evals-judge=none") == "evals: judge none, agent recorded"


def test_half_a_configuration_does_not_stop_a_run_that_may_need_none(header, monkeypatch):
    monkeypatch.setenv("AZURE_ENDPOINT", "https://x.invalid")

    assert header() == "evals: judge configured incompletely, agent recorded"


def test_what_a_replay_replays_is_named(header, pytester):
    assert header("--evals-judge=replay") == "evals: judge replay (nothing recorded), agent recorded"
    mark = {"extensions": {"pytest-agentevals": {"kind": "recording", "version": 1}}}
    content = {"metadata": mark, "judge": "scripted-sample", "responses": [], "judgments": []}
    pytester.mkdir("recordings").joinpath("faq.json").write_text(json.dumps(content))

    assert header("--evals-judge=replay") == "evals: judge replay (scripted-sample), agent recorded"
    assert header() == "evals: judge not configured (scripted-sample recorded), agent recorded"


def test_fixtures_of_the_project_are_named_where_they_decide(header, pytester, monkeypatch):
    monkeypatch.setenv("OPENAI_MODEL", "gpt-4o")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    fixture = "@pytest.fixture\ndef {}():\n    raise RuntimeError('made for a header')\n"
    pytester.makeconftest("import pytest\n" + fixture.format("model_config") + fixture.format("agent_client"))

    assert header() == "evals: judge of the fixture model_config auto, agent of the fixture agent_client"
    named = header("--evals-judge-model=m", "--evals-judge-url=http://127.0.0.1:9/v1", "--evals-agent=recorded")
    assert named == "evals: judge m auto, agent recorded (judge at 127.0.0.1, from evals_judge_model)"


def test_fixtures_of_other_folders_are_not_meant(header, pytester):
    folder = pytester.mkdir("elsewhere")
    folder.joinpath("conftest.py").write_text("def agent_client(): ...")
    folder.joinpath("test_other.py").write_text("def test_other(): ...")

    assert header() == "evals: judge not configured, agent recorded"


def test_keys_are_no_part_of_it(header):
    line = header("--evals-agent", f"https://127.0.0.1/ask?key={KEY}")

    assert line == "evals: judge not configured, agent https://127.0.0.1/ask"


def test_it_is_printed_once_by_any_number_of_processes(run_everywhere, write):
    write(GOOD)

    assert run_everywhere().stdout.str().count("evals: judge ") == 1


def test_a_quiet_run_and_one_without_eval_items_have_none(run, write, pytester):
    pytester.makepyfile("def test_one(): ...")
    assert "evals: " not in run().stdout.str()
    write(GOOD)

    assert "evals: judge " not in run("-q").stdout.str()
