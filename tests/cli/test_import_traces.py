"""The command ``agentevals import-traces``, run as a user runs it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from traces.otlp_files import chat, export

from pytest_agentevals.documents.sniff import sniff

DAY = 24 * 60 * 60 * 1000


@pytest.fixture
def run(run, tmp_path):
    """Run the command in a folder with traces of three days, a conversation on each."""
    lines = [
        export(chat(f"m{day}", f"Question of day {day}", "Answer", trace=f"t{day}", start=day * DAY, end=day * DAY + 9))
        for day in range(3)
    ]
    tmp_path.joinpath("traces.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return partial(run, "import-traces")


def prompts(path="out.json"):
    return [item["prompt"] for item in json.loads(Path(path).read_text())["items"]]


def test_traces_become_a_document_that_pytest_collects(run):
    result = run("traces.jsonl", "-o", "evals/out.json")

    assert result.code == 0, result.err
    assert result.out == "evals/out.json: 3 items (0 of them threads), 3 prompts with their responses\n"
    assert sniff(Path("evals/out.json")).kind == "document"
    assert prompts("evals/out.json") == ["Question of day 0", "Question of day 1", "Question of day 2"]


def test_a_time_and_a_sample_choose_conversations_and_the_rest_is_counted(run):
    result = run("traces.jsonl", "-o", "out.json", "--since", "2025-11-30", "--until", "2025-12-01")
    assert result.code == 0
    assert prompts() == ["Question of day 1"]
    assert result.err == "conversations of another time, left out: 2\n"

    result = run("traces.jsonl", "-o", "out.json", "--force", "--sample", "2", "--seed", "7")
    assert len(prompts()) == 2
    assert result.err == "conversations beside the sample, left out: 1\n"


def test_where_nothing_is_left_no_file_is_written_and_the_answer_is_no(run):
    result = run("traces.jsonl", "-o", "out.json", "--since", "2031-01-01")

    assert result.code == 1
    assert result.err.splitlines() == ["conversations of another time, left out: 3", "Nothing to import."]
    assert not Path("out.json").exists()


def test_evaluators_are_named_or_read_from_a_file(run):
    Path("other.json").write_text('{"schemaVersion": "1.7.0", "default_evaluators": {"Latency": {"max_ms": 5}}}')
    assert run("traces.jsonl", "-o", "out.json", "--evaluators", "Coherence", "--evaluators", "other.json").code == 0

    assert json.loads(Path("out.json").read_text())["default_evaluators"] == {"Coherence": {}, "Latency": {"max_ms": 5}}


def test_a_rubric_is_named_as_the_document_finds_it(run):
    Path("rubrics").mkdir()
    Path("rubrics/tone.json").write_text('[{"id": "tone", "description": "Friendly.", "weight": 9}]')
    assert run("traces.jsonl", "-o", "evals/out.json", "--rubric", "rubrics/tone.json").code == 0

    assert json.loads(Path("evals/out.json").read_text())["default_evaluators"] == {
        "Rubric": {"rubric": "../rubrics/tone.json"}
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--evaluators", "Relevence"], 'unknown evaluator "Relevence"; did you mean "Relevance"?'),
        (["--since", "soon"], "--since: 'soon' is no time; allowed are such as"),
        (["--sample", "0"], "--sample: '0' is no sample; allowed are"),
        (["--evaluators", "traces.jsonl.json"], "traces.jsonl.json: cannot be read"),
    ],
)
def test_mistakes_are_one_sentence_and_no_file_is_left(run, arguments, message):
    result = run("traces.jsonl", "-o", "out.json", *arguments)

    assert result.code == 2, result.err
    assert message in result.err
    assert "Traceback" not in result.err
    assert sorted(path.name for path in Path().iterdir()) == ["traces.jsonl"]


def test_a_file_is_overwritten_only_on_demand(run):
    Path("out.json").write_text("labels by hand")

    assert "out.json exists already; --force overwrites it." in run("traces.jsonl", "-o", "out.json").err
    assert Path("out.json").read_text() == "labels by hand"
    assert run("traces.jsonl", "-o", "out.json", "--force").code == 0
    assert len(prompts()) == 3
