"""``--evals-report``: what is written of a run, however it goes, and what becomes of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from public_schema import read_results
from sample_items import BAD, GOOD, UNDECIDED, item

from pytest_agentevals.reports.restore import restore
from pytest_agentevals.results import Outcome

HITS = [
    {
        "capability": "Email",
        "queries": [{"queryString": "Q4 sales"}],
        "retrievalHits": [{"rank": 1, "webUrl": "https://x.example/a", "extracts": [{"text": "the budget"}]}, {}],
    }
]
CALLS = [{"tool": {"plugin_name": "calendar", "function_name": "book"}}]
CALLED = {"plugin_name": "calendar", "function_name": "book", "response_status": 200}
EXPECTED = [{"retrievalExtract_contains": "budget"}]
TEXT_METRICS = ("F1Score", "BleuScore", "GleuScore", "RougeScore", "MeteorScore")

#: Evaluators without a judge, with what they look at; some pass, some fail, some cannot decide.
DETERMINISTIC = [
    item("exact", evaluators={"ExactMatch": {"case_sensitive": False}, "PartialMatch": {"threshold": 1}}),
    item("metrics", "Born in Warsaw.", "She was born in Warsaw.", {name: {} for name in TEXT_METRICS}),
    item(
        "cited",
        "See [1] and [1].",
        citations=[{"index": 1, "source": "https://x.example"}, {"text": "unnumbered"}],
        evaluators={"Citations": {"source": "structured", "threshold": 2}, "Contains": {"all": ["See", "not"]}},
    ),
    item("no citations", "See [1].", citations=[], evaluators={"Citations": {"source": "structured"}}),
    item(
        "retrieval",
        diagnostics={"retrieval_executions": HITS},
        evaluators={
            "RetrievalQuery": {"capability": "Email", "selector": "sales", "includes": ["profit"]},
            "RetrievalResult": {"expected_items": EXPECTED, "min_expected_count": 2},
        },
    ),
    item(
        "nothing retrieved",
        diagnostics={"retrieval_executions": []},
        evaluators={"RetrievalResult": {"min_expected_count": 1}},
    ),
    item(
        "tools",
        diagnostics={"tool_calls": [CALLED], "latency_ms": 12.5, "usage": {"prompt_tokens": 3, "more": None}},
        evaluators={
            "ToolCallSelection": {"calls": CALLS},
            "ToolCallExecution": {"calls": CALLS},
            "Latency": {"max_ms": 9},
        },
    ),
    item(
        "tools unknown",
        diagnostics={"tool_calls": {"selected_functions": None, "executions": []}},
        evaluators={"ToolCallSelection": {"calls": CALLS}, "ToolCallExecution": {"calls": CALLS}},
    ),
    item("json", '{"a": 1}', evaluators={"JsonSchema": {"schema": {"required": ["b"]}}, "Regex": {"pattern": "[0-9]"}}),
    UNDECIDED,
    {
        "name": "thread",
        "tags": ["smoke"],
        "turns": [
            {"prompt": "One?", "response": "1", "context": "c", "expected_response": "1"},
            {
                "prompt": "Two?",
                "response": "2",
                "evaluators": {"Contains": {"any": ["3"]}},
                "evaluators_mode": "extend",
            },
        ],
    },
]


def told(run):
    """Return what a run says of its items, but for times and places."""
    return [
        (
            each.id,
            each.tags,
            each.evaluators,
            each.result
            and [
                (turn.response, turn.error, [replace(verdict, seconds=0) for verdict in turn.verdicts])
                for turn in each.result.turns
            ],
        )
        for each in run.items
    ]


def timeless(value):
    """Leave out what no two runs have in common: times, and tracebacks with their addresses."""
    if isinstance(value, dict):
        left_out = {"seconds", "started", "evaluatedAt", "latency_ms"} | ({"text"} if "kind" in value else set())
        return {key: timeless(each) for key, each in value.items() if key not in left_out}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def test_results_fed_back_as_a_dataset_give_the_same_verdicts(pytester, run, write):
    write(*DETERMINISTIC, metadata={"tags": ["all"]}, default_evaluators={"ExactMatch": {}})
    run("--evals-report=out.json")
    first = restore(pytester.path / "out.json")
    assert {verdict.outcome for each in first.items for verdict in each.result.verdicts} == {
        Outcome.PASS,
        Outcome.FAIL,
        Outcome.ERROR,
    }
    assert first.items[-1].tags == ("all", "smoke")

    result = run("out.json", "--evals-report=again.json")

    result.stdout.fnmatch_lines([f"evals: 1 document, {len(DETERMINISTIC)} items", "*out.json::thread*"])
    assert told(restore(pytester.path / "again.json")) == told(first)
    for name in ("out.json", "again.json"):
        read_results(pytester.path / name)
    run("--collect-only", "-q").stdout.no_fnmatch_line("out.json::*")


def test_items_of_several_documents_with_the_same_id_stay_apart(pytester, run, write):
    write(GOOD, name="one.json")
    write(BAD, {**GOOD, "tags": ["smoke"]}, name="sub/two.json")
    run("--evals-report=out.json")

    result = run("out.json", "-v")

    result.stdout.fnmatch_lines(
        ["out.json::good (one) PASSED*", "out.json::bad FAILED*", "out.json::good (sub/two) PASSED*"]
    )
    assert [each.label for each in restore(pytester.path / "out.json").items] == [
        "one.json::good",
        "sub/two.json::bad",
        "sub/two.json::good",
    ]


def test_evaluators_and_files_are_found_where_the_dataset_lies(pytester, run, write):
    folder = write(
        item("it", "{}", evaluators={"tone": {}, "JsonSchema": {"schema": "object.json"}}), name="evals/faq.json"
    ).parent
    (folder / "object.json").write_text('{"type": "object"}')
    custom = folder / "custom-evaluators/tone"
    custom.mkdir(parents=True)
    (custom / "tone.py").write_text(
        "class Tone:\n    def __init__(self, threshold, options=None): ...\n"
        "    def __call__(self, **fields): return {'score': 1, 'reason': 'Kind.'}\n"
    )
    run("--evals-report=out/out.json").assert_outcomes(passed=1)

    run("out/out.json").assert_outcomes(passed=1)


CONFTEST = """
import os, pytest, time

@pytest.fixture
def agent_client():
    def ask(prompt):
        if "kills" in prompt:
            os._exit(1)
        return "yes"
    return ask

@pytest.fixture(autouse=True)
def broken(request):
    if "broken" in request.node.name:
        raise RuntimeError("no database")
    if "unwanted" in request.node.name:
        pytest.skip("not today")
"""


def test_the_document_is_the_same_in_any_number_of_processes(pytester, run, write):
    pytester.makeconftest(CONFTEST)
    write(*(item(name) for name in ("b", "broken", "a", "unwanted")), item("none", evaluators={}), name="two.json")
    write(
        {"name": "t", "turns": [{**item("one"), "extensions": {}}, item("two", evaluators={"tone": {}})]},
        name="one.json",
    )
    documents = []
    for number, arguments in enumerate([("-p", "no:xdist"), ("-n0",), ("-n2",)]):
        pytester.runpytest(*arguments, f"--evals-report={number}.json")
        documents.append(timeless(read_results(pytester.path / f"{number}.json")))

    assert documents[0] == documents[1] == documents[2]
    found = {each["extensions"]["pytest-agentevals"]["id"]: each for each in documents[0]["items"]}
    assert list(found) == ["t", "b", "broken", "a", "unwanted", "none"]
    assert found["broken"]["status"] == "error"
    assert found["broken"]["error"] == {"code": "setupError", "message": "RuntimeError: no database"}
    assert "status" not in found["unwanted"]
    assert found["unwanted"]["extensions"]["pytest-agentevals"]["troubles"][0]["message"] == "not today"
    assert "status" not in found["none"]


def test_the_item_of_a_worker_that_died_is_an_error(pytester, write):
    pytester.makeconftest(CONFTEST)
    write(item("before"), item("kills"), item("after"))

    pytester.runpytest("-n1", "--evals-report=out.json")

    before, killer, after = read_results(pytester.path / "out.json")["items"]
    assert (before["status"], after["status"]) == ("pass", "pass")
    assert killer["status"] == "error"
    assert killer["error"]["code"] == "workerCrashed"
    assert killer["prompt"] == "Is kills right?"
    assert killer["evaluators"] == {"ExactMatch": {}}


def test_items_that_every_worker_runs_stay_apart(pytester, write):
    write(GOOD, BAD)

    pytester.runpytest("--dist=each", "--tx=2*popen", "--evals-report=out.json")

    read_results(pytester.path / "out.json")
    ids = [each.id for each in restore(pytester.path / "out.json").items]
    assert ids == ["good (gw0)", "good (gw1)", "bad (gw0)", "bad (gw1)"]


def test_what_ran_before_an_interrupt_is_written(pytester, write):
    pytester.makeconftest(
        "import pytest, time\n"
        "@pytest.fixture\n"
        "def agent_client():\n"
        "    return lambda prompt: time.sleep(600) if 'slow' in prompt else 'yes'\n"
    )
    write(item("first"), item("slow"), item("last"))
    command = [sys.executable, "-u", "-m", "pytest", "-v", "-p", "no:xdist", "--evals-report=out.json"]
    with subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if "faq.json::slow" in line or "faq.json::first PASSED" in line:
                break
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()

    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    document = read_results(pytester.path / "out.json")
    assert document["metadata"]["extensions"]["pytest-agentevals"]["interrupted"] is True
    assert document["items"][0]["status"] == "pass"
    assert len(document["items"]) < 3
    assert [path for path in pytester.path.iterdir() if path.name.startswith(".out")] == []


def test_only_the_evaluators_that_were_selected_are_in_the_results(pytester, run, write):
    write(item("it", evaluators={"ExactMatch": {}, "PartialMatch": {}}))

    run("--evals-only=PartialMatch", "--evals-report=out.json")

    (found,) = read_results(pytester.path / "out.json")["items"]
    assert list(found["evaluators"]) == ["PartialMatch"]
    assert list(found["scores"]) == ["partialMatch"]


def test_a_document_edited_while_it_runs_does_not_mix_with_its_results(pytester, run, write):
    pytester.makeconftest(
        "import pathlib, pytest\n"
        "@pytest.fixture\n"
        "def agent_client():\n"
        "    def ask(prompt):\n"
        "        path = pathlib.Path('faq.json')\n"
        "        path.write_text(path.read_text().replace('Is good right?', 'Is it?'))\n"
        "        return 'yes'\n"
        "    return ask\n"
    )
    write(GOOD)

    run("--evals-report=out.json")

    (found,) = read_results(pytester.path / "out.json")["items"]
    assert found["prompt"] == "Is good right?"
    assert found["scores"]["exactMatch"]["match"] is True


def test_judged_evaluators_that_are_switched_off_are_in_the_extension(pytester, run, write):
    write(item("it", evaluators={"Relevance": {}, "ExactMatch": {}}))

    run("--evals-judge=none", "--evals-report=out.json")

    (found,) = read_results(pytester.path / "out.json")["items"]
    assert list(found["scores"]) == ["exactMatch"]
    assert found["extensions"]["pytest-agentevals"]["verdicts"]["relevance"]["outcome"] == "not_applicable"
    (back,) = restore(pytester.path / "out.json").items
    assert [verdict.evaluator for verdict in back.result.verdicts] == ["Relevance", "ExactMatch"]


def test_a_report_that_cannot_be_written_fails_the_run(pytester, run, write):
    write(GOOD)
    (pytester.path / "file").write_text("")

    result = run("--evals-report=file/out.json")

    result.stdout.fnmatch_lines(["evals: *out.json: cannot be written: *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
