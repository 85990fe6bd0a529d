"""The example project passes, and its failing documents fail in instructive ways."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_agentevals.evaluators.catalog import BUILT_IN, Catalog
from pytest_agentevals.evaluators.judged.base import SdkJudged
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.evaluators.rubric import Rubric

PROJECT = Path(__file__).parents[1]
EXAMPLE = PROJECT / "example_project"
RECORDING = EXAMPLE / "datasets/recordings/quality.json"
MODES = {"plain": ("-p", "no:xdist"), "n2": ("-n2",)}


def run(*arguments, **variables):
    """Run pytest as a user does: in a process of its own, from the checkout, without keys and proxies."""
    kept = {
        name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"}
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments],
        cwd=PROJECT,
        env={**kept, "COLUMNS": "80", **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def failing():
    return run("example_project/failing")


def evaluator_maps(value):
    """Find the evaluators that a document configures, wherever they stand."""
    if isinstance(value, dict):
        for key, inside in value.items():
            if key in {"evaluators", "default_evaluators"}:
                yield inside
            else:
                yield from evaluator_maps(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from evaluator_maps(inside)


@pytest.mark.parametrize("mode", MODES)
def test_the_example_passes_without_network_and_keys(mode):
    result = run(*MODES[mode], "example_project")

    assert result.returncode == 0, result.stdout
    assert re.search(r"^evals: \d+ passed$", result.stdout, re.MULTILINE)
    assert "failing" not in result.stdout
    assert not result.stderr


def test_judgments_are_replayed_whatever_judge_the_environment_has():
    judge = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_MODEL": "gpt-4o", "OPENAI_API_KEY": "sk-not-a-key"}
    result = run("example_project/datasets/quality.json", **judge)

    assert result.returncode == 0, result.stdout
    assert "evals: 12 replayed" in result.stdout


def test_the_recording_is_what_the_scripted_judge_answers_today(tmp_path):
    for name in ("example_project", "scripts"):
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    recorded = tmp_path / RECORDING.relative_to(PROJECT)
    recorded.unlink()
    subprocess.run([sys.executable, tmp_path / "scripts/record-example"], check=True, capture_output=True)

    assert judgments(recorded) == judgments(RECORDING)
    assert {judgment["model"] for judgment in judgments(RECORDING)} == {"scripted-sample"}


def judgments(path):
    """Return what is recorded of the judge, without the time it took."""
    entries = json.loads(path.read_text("utf-8"))["judgments"]
    return [{name: value for name, value in entry.items() if name != "usage"} for entry in entries]


def test_smoke_items_are_selected_by_their_tag():
    smoke = run("example_project", "-m", "agentevals(tag='smoke')", "--collect-only", "-q").stdout

    assert "datasets/orders.json::where-is-my-order-l-1042" in smoke
    assert "datasets/wording.json" not in smoke


def test_the_datasets_use_every_evaluator_that_needs_no_judge():
    catalog = Catalog(Place(EXAMPLE, EXAMPLE))
    documents = [json.loads(path.read_text("utf-8")) for path in (EXAMPLE / "datasets").rglob("*.json")]
    used = {name for document in documents for evaluators in evaluator_maps(document) for name in evaluators}

    judged = {name for name in BUILT_IN if issubclass(catalog.kind(name), SdkJudged | Rubric)}
    assert BUILT_IN.keys() - judged <= used


# What a reader of the example is to learn from its failures: a line for each, as the terminal shows it.
INSTRUCTIVE = [
    "the response differs from the expected response at character 14:",
    "PartialMatch: 0.59 < 0.80 (scale 0 to 1, passes from 0.80)",
    'not in the response: "no"',
    "precision 0.47, recall 0.90 fell short (f1_score 0.62)",
    'the response lacks "receipt"; the response has "cash", which it must not',
    'the pattern "^Gift cards expire" does not match',
    "the longest sentence has 16 words",
    "$.state: 'customs' is not one of ['packing', 'shipped', 'delivered']",
    "Citations: 0 < 1 (scale 0 or more, passes from 1)",
    'no selected query has "invoice"',
    'the agent did not execute the capability "Policies", but "policies"',
    '"caused by animals": only in a hit of rank 3, beyond max_rank 2',
    'not selected: tickets.open_ticket ("hand over")',
    "failed: orders.get_order with status 404",
    'the item has no "expected_response" to compare the response with',
    "spelling could not decide (evaluatorLoadError)",
    "custom-evaluators/short_sentences/short_sentences.py:",
    "turn 2: no response from the agent (agentRequestFailed)",
    "1 later turn not attempted",
]


@pytest.mark.parametrize("line", INSTRUCTIVE)
def test_the_failing_documents_show(failing, line):
    assert line in re.sub(r"\s+", " ", failing.stdout)


def test_the_failing_documents_tell_failures_from_errors(failing):
    assert failing.returncode == 1
    assert "evals: 16 failed, 5 could not be evaluated, 1 passed" in failing.stdout
    assert "SUBFAILED[JsonSchema] example_project/failing/wording.json::order-at-customs" in failing.stdout
    assert "SUBERROR[spelling] example_project/failing/undecided.json::nothing-to-compare-with" in failing.stdout
    assert "Traceback" not in failing.stdout
    assert not failing.stderr


def test_failures_name_the_line_of_their_item(failing):
    path, line = re.search(
        r"^(failing/wording\.json):(\d+)\nprompt    How long are gift cards", failing.stdout, re.M
    ).groups()
    item = (EXAMPLE / path).read_text("utf-8").splitlines()[int(line) - 1 :]

    assert item[0].strip() == "{"
    assert "How long are gift cards valid?" in item[1]


def test_a_broken_document_shows_all_its_mistakes_at_their_places():
    result = run("example_project/failing/broken")

    assert result.returncode == 2
    for place, mistake in {
        "3:26": '/default_evaluators/Relevence: unknown evaluator "Relevence"; did you mean "Relevance"?',
        "7:7": '/items/0/expeceted_response: unknown key "expeceted_response"; did you mean "expected_response"?',
        "8:52": "/items/0/evaluators/PartialMatch/threshold: must be at most 1.0, not 80",
        "11:17": '/items/1/prompt: must not be empty, not ""',
        "12:41": '/items/1/evaluators/RetrievalResult: give "expected_items", "min_expected_count" or both',
    }.items():
        assert f"example_project/failing/broken/mistakes.json:{place}: {mistake}" in result.stdout
