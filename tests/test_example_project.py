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
from pages import KEPT

from pytest_agentevals.evaluators.catalog import BUILT_IN, Catalog
from pytest_agentevals.evaluators.judged.base import SdkJudged
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.evaluators.rubric import Rubric

PROJECT = Path(__file__).parents[1]
EXAMPLE = PROJECT / "example_project"
MODES = {"plain": ("-p", "no:xdist"), "n2": ("-n2",)}
#: A judge that would be asked, and that nobody can reach.
KEYS = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_MODEL": "gpt-4o", "OPENAI_API_KEY": "sk-not-a-key"}


def run(*arguments, **variables):
    """Run pytest as a user does: in a process of its own, from the checkout, without keys and proxies."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=PROJECT,
        env={**kept, "COLUMNS": "80", **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def failing():
    return run("example_project/failing", **KEYS)


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
def test_the_example_passes_and_asks_nobody_whatever_keys_there_are(mode):
    result = run(*MODES[mode], "example_project", **KEYS)

    assert result.returncode == 0, result.stdout
    assert "evals: judge replay (scripted-sample), agent recorded" in result.stdout
    assert "evals: 12 replayed" in result.stdout
    assert re.search(r"^evals: \d+ passed$", result.stdout, re.MULTILINE)
    assert "failing" not in result.stdout
    assert not result.stderr


def test_the_help_desk_itself_says_what_is_recorded_so_that_the_judge_is_replayed():
    result = run("example_project", "--evals-judge=auto")

    assert result.returncode == 0, result.stdout
    assert "agent of the fixture agent_client" in result.stdout
    assert "evals: 12 replayed" in result.stdout


@pytest.fixture(scope="module")
def recorded_today(tmp_path_factory):
    """Record a copy of the example that has no recordings; returns its folder, and what was printed."""
    folder = tmp_path_factory.mktemp("recorded")
    for name in ("example_project", "scripts"):
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "recordings"))
    script = folder / "scripts/record-example"
    printed = subprocess.run([sys.executable, script], check=True, capture_output=True, encoding="utf-8").stdout
    return folder / "example_project", printed


def test_the_recordings_are_what_the_agent_and_the_scripted_judge_say_today(recorded_today):
    committed = recordings(EXAMPLE)

    assert len(committed) == 8
    assert {path: untimed(content) for path, content in recordings(recorded_today[0]).items()} == {
        path: untimed(content) for path, content in committed.items()
    }
    judgments = [judgment for content in committed.values() for judgment in content["judgments"]]
    assert {judgment["model"] for judgment in judgments} == {"scripted-sample"}


def test_recorded_times_are_rounded(recorded_today):
    for content in recordings(recorded_today[0]).values():
        assert all(re.fullmatch(r"\d+\.\d", str(entry["response"]["latency_ms"])) for entry in content["responses"])
        assert all(re.fullmatch(r"\d+\.\d{1,3}", str(entry["usage"]["seconds"])) for entry in content["judgments"])


def test_the_agent_that_breaks_is_told_where_it_is_asked(recorded_today):
    assert "(agentRequestFailed)\n  KeyError: 'customs'" in recorded_today[1]


def recordings(example):
    """Return the recordings of an example by their path in it."""
    paths = example.glob("*/recordings/*.json")
    return {path.relative_to(example): json.loads(path.read_text("utf-8")) for path in paths}


def untimed(value):
    """Leave out of a recording how long something took."""
    if isinstance(value, dict):
        return {key: untimed(inside) for key, inside in value.items() if key not in {"latency_ms", "seconds"}}
    return [untimed(inside) for inside in value] if isinstance(value, list) else value


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
    "the agent's is not recorded in example_project/failing/recordings/undecided.json",
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
        r"^(example_project/failing/wording\.json):(\d+)\nprompt    How long are gift cards", failing.stdout, re.M
    ).groups()
    item = (PROJECT / path).read_text("utf-8").splitlines()[int(line) - 1 :]

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
