"""Judged evaluators in a run: a live judge, recordings, and what happens where there is neither."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from sample_items import GOOD, item

from pytest_agentevals.testing import ScriptedServer

KEY = "sk-planted-key-0123456789"
JUDGED = item("judged", evaluators={"Relevance": {}, "Coherence": {}})


def answer(request):
    text = json.dumps(request["messages"])
    if "Remembers." in text:
        return {"dimensions": {"memory": {"reason": "It does.", "score": 5}}, "summary": "It remembers."}
    return {
        "explanation": "It answers the question.",
        "reason": "It answers the question.",
        "score": 2 if "Is poor right" in text else 5,
    }


@pytest.fixture
def server(monkeypatch):
    with ScriptedServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_MODEL", server.model)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


@pytest.fixture(autouse=True)
def no_judge(monkeypatch):
    for name in (
        "AZURE_AI_OPENAI_ENDPOINT",
        "AZURE_ENDPOINT",
        "AZURE_AI_PROJECT_ENDPOINT",
        "OPENAI_BASE_URL",
        "OPENAI_MODEL",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)


def recording(pytester, name="faq"):
    return json.loads((pytester.path / f"recordings/{name}.json").read_text(encoding="utf-8"))


def test_a_judge_from_the_environment_scores_items(run, write, server):
    write(JUDGED, item("poor", evaluators={"Relevance": {}}))
    result = run()
    result.stdout.fnmatch_lines(["SUBFAILED?Relevance? faq.json::poor - 2/5 < 3: It answers the question."])
    result.stdout.fnmatch_lines(["evals: 3 judgments, 360 tokens, * s each"])
    assert result.stdout.lines[-1] == "evals: 1 failed, 2 passed"
    assert len(server.requests) == 3


def test_a_judge_from_a_fixture_wins_over_the_environment(run, write, pytester, server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    pytester.makeconftest(
        f"import pytest\n@pytest.fixture(scope='session')\ndef model_config():\n"
        f"    return {{'model': 'mine', 'base_url': {server.base_url!r}}}"
    )
    write(JUDGED)
    run().assert_outcomes(passed=1)
    assert {request["model"] for request in server.requests} == {"mine"}


def test_options_and_ini_name_a_judge(pytester, write, server, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_MODEL")
    pytester.makeini(f"[pytest]\nevals_judge_url = {server.base_url}\nevals_judge_model = from-ini")
    write(JUDGED)
    pytester.runpytest("-p", "no:xdist").assert_outcomes(passed=1)
    pytester.runpytest("-p", "no:xdist", "--evals-judge-model=from-option").assert_outcomes(passed=1)
    assert [request["model"] for request in server.requests] == ["from-ini"] * 2 + ["from-option"] * 2


def test_a_run_without_a_judge_says_once_where_the_evaluator_comes_from(run_everywhere, write):
    write(item("one", evaluators=None) | {"evaluators_mode": "extend"}, item("two") | {"evaluators_mode": "extend"})
    result = run_everywhere()
    text = result.stdout.str()
    assert text.count("has no default_evaluators and no judge is configured") == 1
    result.stdout.fnmatch_lines(["evals: Relevance runs because faq.json has no default_evaluators*--evals-judge=none"])
    assert result.stdout.lines[-1] == "evals: 4 could not be evaluated, 2 passed"


def test_judged_evaluators_can_be_skipped(run, write):
    write(JUDGED, item("both", evaluators={"ExactMatch": {}, "Relevance": {}}))
    result = run("--evals-judge=none")
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == 0
    assert result.stdout.lines[-1] == "evals: 1 passed, 3 skipped"


def test_skipping_all_that_there_is_is_no_failure(run, write):
    write(JUDGED)
    assert run("--evals-judge=none").ret == 0


def test_half_a_configuration_ends_the_run_before_the_agent_is_asked(run_everywhere, write, pytester, monkeypatch):
    monkeypatch.setenv("AZURE_AI_OPENAI_ENDPOINT", "https://example.invalid")
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef agent_client():\n    raise RuntimeError('agent made')")
    write(JUDGED)
    result = run_everywhere()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stdout.str() + result.stderr.str()
    assert "AZURE_AI_OPENAI_ENDPOINT is set, but not AZURE_AI_MODEL_NAME" in " ".join(text.split())
    assert "agent made" not in text
    assert "INTERNALERROR" not in text


def test_half_a_configuration_does_not_matter_where_nothing_is_judged(run, write, monkeypatch):
    monkeypatch.setenv("AZURE_AI_OPENAI_ENDPOINT", "https://example.invalid")
    write(GOOD)
    run().assert_outcomes(passed=1)


def test_what_is_recorded_is_replayed_without_a_judge_or_an_agent(run_in_process, write, pytester, server, monkeypatch):
    pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef agent_client():\n    return lambda prompt: 'yes, ' + prompt"
    )
    asked = [item(name, response=None, evaluators={"Relevance": {}}) for name in ("one", "two", "poor")]
    write(*asked)
    run_in_process("--evals-judge=record").stdout.fnmatch_lines(["evals: recorded in recordings/faq.json"])
    assert len(server.requests) == 3
    monkeypatch.delenv("OPENAI_BASE_URL")
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef agent_client():\n    raise RuntimeError('agent made')")
    result = run_in_process("--evals-judge=replay")
    result.stdout.fnmatch_lines(["evals: 3 replayed"])
    assert result.stdout.lines[-1] == "evals: 1 failed, 2 passed"
    assert len(server.requests) == 3


def test_a_recording_is_sorted_and_names_its_judge(run_in_process, write, pytester, server):
    write(JUDGED, item("another", evaluators={"Relevance": {}}))
    run_in_process("--evals-judge=record")
    content = recording(pytester)
    assert content["judge"] == "scripted"
    assert [(entry["item"], entry["evaluator"]) for entry in content["judgments"]] == [
        ("another", "Relevance"),
        ("judged", "Coherence"),
        ("judged", "Relevance"),
    ]
    assert not list(pytester.path.glob("recordings/*.journal"))
    before = (pytester.path / "recordings/faq.json").read_bytes()
    run_in_process("--evals-judge=record")
    assert (pytester.path / "recordings/faq.json").read_bytes() == before


def test_auto_replays_and_asks_for_the_rest_and_writes_nothing(run, write, pytester, server):
    write(JUDGED)
    run("--evals-judge=record")
    before = (pytester.path / "recordings/faq.json").read_bytes()
    write(JUDGED, item("added", evaluators={"Relevance": {}}))
    result = run()
    result.stdout.fnmatch_lines(["evals: 1 judgment, 2 replayed, 120 tokens, * s each"])
    assert (pytester.path / "recordings/faq.json").read_bytes() == before


def test_live_asks_for_everything(run, write, server):
    write(JUDGED)
    run("--evals-judge=record")
    run("--evals-judge=live").stdout.fnmatch_lines(["evals: 2 judgments, 240 tokens, * s each"])


def test_a_changed_threshold_replays_and_a_changed_response_does_not(run, write, server):
    write(JUDGED)
    run("--evals-judge=record")
    write(item("judged", evaluators={"Relevance": {"threshold": 5}, "Coherence": {"threshold": 5}}))
    run("--evals-judge=replay").assert_outcomes(passed=1)
    write(item("judged", response="other", evaluators={"Relevance": {}}))
    result = run("--evals-judge=replay")
    result.assert_outcomes(errors=2)
    assert "record it with --evals-judge=record" in " ".join(result.stdout.str().split())


def test_a_response_that_is_not_recorded_is_an_error_that_says_how_to_record(run, write):
    write(item("silent", response=None))
    result = run("--evals-judge=replay")
    result.assert_outcomes(errors=1)
    assert "record it with --evals-judge=record" in " ".join(result.stdout.str().split())


def test_stale_entries_are_reported_and_pruned_on_request(run, write, pytester, server):
    write(JUDGED, item("gone", evaluators={"Relevance": {}}))
    run("--evals-judge=record")
    write(JUDGED)
    run("-k", "judged").stdout.fnmatch_lines(["evals: 1 stale entry in recordings/faq.json (--evals-record-prune*"])
    assert len(recording(pytester)["judgments"]) == 3
    run("--evals-record-prune").stdout.fnmatch_lines(["evals: 1 stale entry removed from recordings/faq.json"])
    assert len(recording(pytester)["judgments"]) == 2


def test_a_partial_run_calls_nothing_stale(run, write, server):
    write(JUDGED, item("other", evaluators={"Relevance": {}}))
    run("--evals-judge=record")
    for arguments in (("-k", "other"), ("--evals-only=Relevance",)):
        assert "stale entr" not in run(*arguments).stdout.str()


def test_what_a_killed_run_recorded_is_not_lost(pytester, write, server):
    write(JUDGED)
    pytester.makeconftest(
        "import os, pytest\n@pytest.fixture(autouse=True)\ndef killed():\n    yield\n    os.kill(os.getpid(), 9)"
    )
    pytester.runpytest_subprocess("-p", "no:xdist", "--evals-judge=record")
    assert list(pytester.path.glob("recordings/*.journal"))
    (pytester.path / "conftest.py").unlink()
    pytester.runpytest("-p", "no:xdist", "--evals-judge=record").assert_outcomes(passed=1)
    assert len(server.requests) == 2
    assert len(recording(pytester)["judgments"]) == 2
    assert not list(pytester.path.glob("recordings/*.journal"))


def test_replaying_imports_no_client(pytester, write, server):
    write(JUDGED)
    pytester.runpytest("-p", "no:xdist", "--evals-judge=record")
    pytester.makepyfile(
        test_z="import sys\ndef test_modules():\n    assert not {'openai', 'httpx', 'jinja2'} & sys.modules.keys()"
    )
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "--evals-judge=replay"],
        cwd=pytester.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in process.stdout


def test_a_broken_recording_is_one_sentence(run, write, pytester):
    write(JUDGED)
    pytester.mkdir("recordings")
    (pytester.path / "recordings/faq.json").write_text("{")
    result = run()
    result.assert_outcomes(errors=1)
    assert "is no recording that can be read" in " ".join(result.stdout.str().split())
    assert "Traceback" not in result.stdout.str()


def test_the_key_appears_nowhere(run_everywhere, write, pytester, server):
    write(JUDGED, item("poor", evaluators={"Relevance": {}}))
    result = run_everywhere(
        "--evals-judge=record", "--junitxml=out.xml", "-vv", "-rA", "--log-level=DEBUG", "--showlocals"
    )
    written = [path.read_text(errors="replace") for path in pytester.path.rglob("*") if path.is_file()]
    assert KEY not in result.stdout.str() + result.stderr.str() + "".join(written)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_workers_record_everything_once_between_them(pytester, write, server):
    write(*(item(f"number-{index}", evaluators={"Relevance": {}}) for index in range(20)))
    pytester.runpytest("-n4", "--evals-judge=record").assert_outcomes(passed=20)
    assert len(recording(pytester)["judgments"]) == 20
    assert len(server.requests) == 20


def test_a_conversation_is_judged_once_after_its_last_answered_turn(run, write, pytester, server, monkeypatch):
    (pytester.path / "rubrics").mkdir()
    (pytester.path / "rubrics/flow.json").write_text(
        json.dumps(
            {"level": "conversation", "dimensions": [{"id": "memory", "description": "Remembers.", "weight": 5}]}
        )
    )
    turns = [
        {"prompt": text, "response": text, "evaluators": {"Contains": {"any": [text]}}} for text in ("alpha", "beta")
    ]
    write({"name": "talk", "turns": turns}, default_evaluators={"flow": {}})
    result = run("-v")
    assert len(server.requests) == 1
    assert "alpha" in json.dumps(server.requests[0])
    result.stdout.fnmatch_lines(["*SUBPASSED?conversation: flow?*"])


def test_a_named_agent_is_asked(run, write, pytester):
    pytester.makepyfile(helpdesk="def ask(prompt):\n    return prompt")
    write(item("asked", response="no", expected="Is asked right?"))
    run("--evals-agent=helpdesk:ask").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nevals_agent = helpdesk:ask")
    run().assert_outcomes(passed=1)
    run("--evals-agent=recorded").assert_outcomes(failed=2)


def test_prices_make_the_cost_of_a_run_known(pytester, run, write, server):
    write(JUDGED)
    assert ", cost" not in run().stdout.str()
    pytester.makeini("[pytest]\nevals_judge_prices =\n    other = 1 1\n    scripted = 2.50 10.00")

    # Two judgments of 100 prompt and 20 completion tokens.
    run().stdout.fnmatch_lines(["evals: 2 judgments, 240 tokens, cost 0.0009, * s each"])


@pytest.mark.parametrize(
    "line", ["scripted", "scripted = 1", "= 1 2", "scripted = 1 x", "scripted = 1 -2", "a = 1 inf"]
)
def test_prices_that_are_none_are_a_usage_error(pytester, run, line):
    pytester.makeini(f"[pytest]\nevals_judge_prices =\n    {line}")
    result = run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*evals_judge_prices = *MODEL = PROMPT COMPLETION*"])
