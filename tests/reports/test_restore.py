"""A run read back from a results document is the run that was written."""

from __future__ import annotations

import json

import pytest
from generated_runs import runs, summed_up
from hypothesis import HealthCheck, Phase, given, settings
from public_schema import PUBLIC, checked, needs_public_schema
from sample_runs import evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.document import render
from pytest_agentevals.reports.restore import restore
from pytest_agentevals.results import ItemResult, Outcome, packed


@settings(
    max_examples=25,
    deadline=None,
    # Runs are large, and to make a failing one small takes minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(run=runs())
def test_every_run_is_a_valid_document_and_comes_back_as_it_was(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "out.json"
    text = render(run)
    path.write_text(text, encoding="utf-8")

    checked(text)
    assert restore(path) == run


def test_what_is_read_back_is_written_as_it_was(tmp_path):
    path = tmp_path / "out.json"
    path.write_text(render(sample_run()), encoding="utf-8")

    assert restore(path) == sample_run()
    assert render(restore(path)) == path.read_text(encoding="utf-8")


def test_no_answer_of_a_repeated_item_stands_twice_in_its_document(tmp_path):
    numbers = (1, 2, 3)
    answers = [turn("Q?", verdict("Relevance", 3, reason=f"Reason {n}."), text=f"Answer {n}.") for n in numbers]
    item = evaluated("it", answers[0])
    item.run.result = packed(summed_up([ItemResult(turns=[each]) for each in answers]))
    path = tmp_path / "out.json"
    path.write_text(render(run_of(item)), encoding="utf-8")

    text = path.read_text(encoding="utf-8")
    assert [text.count(f"Answer {n}.") for n in numbers] == [1, 1, 1]
    # The first stands for all, and so does its reason.
    assert [text.count(f"Reason {n}.") for n in numbers] == [2, 1, 1]
    assert restore(path) == run_of(item)


@needs_public_schema
def test_results_of_the_vendors_tool_are_read_as_far_as_they_go():
    run = restore(PUBLIC / "valid/scenarios-with-mixed-errors.json")

    results = [item.result for item in run.items]
    assert [result.status for result in results] == [
        "pass",
        "fail",
        "fail",
        "partial",
        "partial",
        "error",
        "partial",
        "error",
    ]
    first = results[2].turns[0]
    assert [(each.evaluator, each.score, each.threshold, each.scale) for each in first.verdicts] == [
        ("Relevance", 4.0, 3, (1, 5)),
        ("Coherence", 2.0, 3, (1, 5)),
    ]
    assert first.verdicts[0].reason == "Response addresses the key distinction."
    failed = results[3].verdicts[1]
    assert (failed.outcome, failed.reason) == (
        Outcome.ERROR,
        "Connection timeout to Azure OpenAI endpoint after 30s",
    )
    assert results[5].turns[0].response is None
    assert results[5].turns[0].error.code == "agentRequestFailed"
    assert [each.error and each.error.code for each in results[7].turns] == [None, "agentRequestFailed", "turnSkipped"]
    assert (run.about.started, run.about.agent, run.about.version) == ("2026-05-01T11:00:00Z", "Test Agent", "1.4.0")


@needs_public_schema
def test_scores_without_a_number_are_read_too():
    run = restore(PUBLIC / "valid/comprehensive.json")

    verdicts = [verdict for item in run.items for verdict in item.result.verdicts]
    assert {each.evaluator: each.score for each in verdicts} == {
        "Relevance": 5.0,
        "Coherence": 5.0,
        "Groundedness": 4.0,
        "ToolCallAccuracy": 5.0,
        "Citations": 2,
        "ExactMatch": True,
        "PartialMatch": 1.0,
    }


@needs_public_schema
@pytest.mark.parametrize("path", sorted(PUBLIC.glob("valid/*.json")), ids=lambda path: path.stem)
def test_results_of_others_become_ours(path, tmp_path):
    if '"scores"' not in path.read_text(encoding="utf-8"):
        with pytest.raises(ConfigurationError, match="has no results: no item has scores or a status"):
            restore(path)
        return
    run = restore(path)
    written = tmp_path / "ours.json"
    written.write_text(render(run), encoding="utf-8")

    checked(written.read_text(encoding="utf-8"))
    assert restore(written) == run


def changed(change):
    """Return the text of a results document in which something was changed."""
    document = json.loads(render(sample_run()))
    change(document)
    return json.dumps(document)


def extension(part):
    return part["extensions"]["pytest-agentevals"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no results document: {path}:1:1: the file is empty"),
        ('{"a":', "no results document: {path}:1:6: not JSON: expecting value"),
        ("[1]", "no results document: {path}:1:2: "),
        ('{"schemaVersion": "1.6.0", "items": [{"prompt": "Q?"}]}', "{path}: has no results: no item has scores or "),
        (
            changed(lambda document: extension(document["metadata"]).update(format=2)),
            "{path}: its results have the format 2, written by pytest-agentevals 0.1.0; this version reads format 1",
        ),
        (
            changed(lambda document: extension(document["items"][0]).pop("seconds")),
            "{path}: its results were changed or are not complete (KeyError: 'seconds')",
        ),
        (
            changed(lambda document: document["items"][0]["scores"]["relevance"].update(score="high")),
            "{path}: its results were changed or are not complete (ValidationError: ",
        ),
        (changed(lambda document: document.update(items=5)), "{path}: its results were changed or are not complete ("),
    ],
)
def test_a_file_without_usable_results_is_one_sentence(text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError) as caught:
        restore(path)

    assert str(caught.value).startswith(message.format(path="out.json"))
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(ConfigurationError, match=r"^no results document: .*missing\.json.*No such file"):
        restore(tmp_path / "missing.json")
