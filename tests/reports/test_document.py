"""The results document: a public eval document that says everything of a run."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from public_schema import ROOT, checked, needs_public_schema
from sample_runs import error, evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.evaluators.catalog import BUILT_IN, Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.reports.cases import Kind, Trouble
from pytest_agentevals.reports.document import render
from pytest_agentevals.reports.document.scores import evaluator_of, result_key
from pytest_agentevals.reports.figures import by_evaluator
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.responses import Citation
from pytest_agentevals.results import Outcome, TurnError, TurnResult, Verdict


def document(*items, **rest):
    """Return the results document of a run of some items."""
    return checked(render(run_of(*items, **rest)))


def only(*verdicts, **rest):
    """Return the one item of a results document whose turn has some verdicts."""
    (item,) = document(evaluated("it", turn("Q?", *verdicts), **rest))["items"]
    return item


def ours(part):
    return part["extensions"]["pytest-agentevals"]


def test_the_schema_allows_a_run_with_a_bit_of_everything():
    found = checked(render(sample_run()))

    assert found["schemaVersion"] == "1.7.0"
    assert [ours(item)["id"] for item in found["items"]][:2] == ["all-good", "one-fails"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_scores_have_the_keys_of_their_evaluators(name, tmp_path):
    assert result_key(name) == Catalog(Place(tmp_path, tmp_path)).kind(name).result_key
    assert evaluator_of(result_key(name)) == name


def test_a_score_has_the_shape_of_the_sources():
    exact = Verdict(
        outcome=Outcome.FAIL, evaluator="ExactMatch", score=False, reason="It differs.", details={"match": False}
    )
    counted = {"count": 2, "format": "bracket", "citations": [{"index": 1}, {"index": 2}]}
    citations = verdict("Citations", 2, threshold=1, scale=(0, None), details=counted, judged=False)

    scores = only(verdict("Relevance", 4), exact, citations)["scores"]

    assert scores == {
        "relevance": {"score": 4, "result": "pass", "threshold": 3, "reason": "Because."},
        "exactMatch": {"result": "fail", "reason": "It differs.", "match": False},
        "citations": {"result": "pass", "threshold": 1, "reason": "Because.", **counted},
    }


@needs_public_schema
@pytest.mark.parametrize("name", ["pass", "fail"])
def test_a_rubric_has_the_output_of_the_sources(name):
    output = json.loads((ROOT / f"sources/rubric-output-{name}.json").read_text(encoding="utf-8"))
    details = {key: output[key] for key in ("label", "passed", "properties")}
    judged = verdict(
        "Rubric", output["score"], threshold=output["threshold"], scale=(0, 1), reason=output["reason"], details=details
    )

    assert only(judged)["scores"]["rubric"] == {**output, "result": name}


def test_an_error_is_exactly_a_result_and_an_error():
    item = only(verdict("Relevance", 4), error("Coherence"), error("Tone", code="evaluatorLoadError", reason=""))

    assert item["scores"]["coherence"] == {"result": "error", "error": "Evaluator failed: no answer within 120 s"}
    assert item["scores"]["Tone"] == {"result": "error", "error": "Evaluator failed: "}
    assert ours(item)["verdicts"]["coherence"]["code"] == "judgeTimeout"
    assert item["status"] == "partial"
    assert item["error"] == {
        "code": "evaluatorsFailed",
        "message": "Agent response obtained. 2 of 3 evaluators failed to run.",
    }


def test_not_applicable_is_no_score():
    skipped = Verdict(outcome=Outcome.NOT_APPLICABLE, evaluator="ToolCallAccuracy", reason="no tools")

    item = only(skipped)

    assert "scores" not in item
    assert "status" not in item
    told = ours(item)["verdicts"]["toolCallAccuracy"]
    assert told == {"outcome": "not_applicable", "evaluator": "ToolCallAccuracy", "reason": "no tools"}


def test_a_score_that_the_schema_refuses_under_its_key_has_the_name_of_its_evaluator():
    """The mean of several counts is no count."""
    several = verdict("Citations", 2.5, threshold=1, scale=(0, None), judged=False)

    assert only(several)["scores"] == {
        "Citations": {"score": 2.5, "result": "pass", "threshold": 1, "reason": "Because."}
    }


def test_evaluators_whose_keys_are_the_same_have_each_an_entry():
    built_in = verdict("Contains", 1, threshold=1, scale=(0, 1))

    scores = only(built_in, replace(built_in, evaluator="contains", score=0.5))["scores"]

    assert {key: entry["score"] for key, entry in scores.items()} == {"contains": 1, "contains_2": 0.5}


def test_a_failed_request_ends_a_thread():
    unanswered = TurnResult(prompt="Two?", index=2, error=TurnError(code="agentTimeout", message="too slow"))
    skipped = TurnResult(
        prompt="Three?",
        index=3,
        error=TurnError(code="turnSkipped", message="Turn not attempted: preceding turn failed"),
    )
    thread = evaluated("it", turn("One?", verdict("Relevance", 4), index=1), unanswered, skipped)

    (item,) = document(thread)["items"]

    assert [each["status"] for each in item["turns"]] == ["pass", "error", "error"]
    assert [each.get("error", {}).get("code") for each in item["turns"]] == [None, "agentTimeout", "turnSkipped"]
    assert "response" not in item["turns"][1]
    assert item["summary"] == {
        "turns_total": 3,
        "turns_passed": 1,
        "turns_failed": 0,
        "turns_partial": 0,
        "turns_errored": 2,
        "overall_status": "error",
    }


def test_a_verdict_on_the_conversation_stands_in_the_turn_that_has_it():
    whole = verdict("Tone", 0.9, threshold=0.5, scale=(0, 1), level="conversation")
    thread = evaluated("it", turn("One?", verdict("Relevance", 4), index=1), turn("Two?", whole, index=2))

    (item,) = document(thread)["items"]

    assert item["turns"][1]["scores"]["Tone"]["score"] == 0.9
    assert ours(item["turns"][1])["verdicts"]["Tone"]["level"] == "conversation"
    assert "Tone" not in item["turns"][0]["scores"]


def test_a_thread_whose_evaluation_did_not_end_is_an_error_of_its_first_turn():
    dead = Trouble(Kind.ERROR, "workerCrashed", "worker 'gw1' crashed while running it")
    asked = {"name": "it", "turns": [{"prompt": "One?"}, {"prompt": "Two?"}]}
    crashed = evaluated("it", content=asked, troubles=[dead])

    (item,) = document(replace(crashed, evaluators=({}, {})))["items"]

    assert item["turns"][0]["error"] == {"code": "workerCrashed", "message": dead.message}
    assert item["turns"][1]["error"]["code"] == "turnSkipped"
    assert item["summary"]["overall_status"] == "error"


def test_a_skipped_item_has_no_status():
    (item,) = document(evaluated("it", troubles=[Trouble(Kind.SKIPPED, "pytest.skip", "not today")]))["items"]

    assert item.keys() == {"prompt", "evaluators", "evaluators_mode", "extensions"}
    assert ours(item)["troubles"] == [{"kind": "skipped", "type": "pytest.skip", "message": "not today", "text": ""}]


@pytest.mark.parametrize(
    ("name", "options", "public"),
    [
        ("Relevance", {"threshold": 4}, {"threshold": 4}),
        ("tone", {"threshold": 4, "options": {"strict": True}}, {"threshold": 4, "options": {"strict": True}}),
        ("Contains", {"any": ["yes"]}, {"options": {"any": ["yes"]}}),
        ("F1Score", {"threshold": 0.75}, {"threshold": 0.75}),
        ("RetrievalResult", {"capability": "c", "min_expected_count": 2}, {"capability": "c", "min_expected_count": 2}),
    ],
)
def test_options_are_written_as_the_schema_allows_them(name, options, public):
    item = evaluated("it", turn("Q?", verdict(name, 4)))

    (item,) = document(replace(item, evaluators=({name: options},)))["items"]

    assert item["evaluators"] == {name: public}
    assert item["evaluators_mode"] == "replace"
    assert ours(item).get("moved", []) == ([] if public == options else [name])
    assert "options" not in ours(item)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RetrievalResult", {"min_expected_count": 2}),
        ("Relevance", {"threshold": 3, "model": "gpt-4o"}),
        ("Citations", {"distinct": True}),
        ("ExactMatch", {"options": {"case_sensitive": False}}),
        ("PartialMatch", {"threshold": None}),
    ],
)
def test_options_that_the_schema_forbids_stand_verbatim_in_the_extension(name, options):
    item = evaluated("it", turn("Q?", verdict("Coherence", 4)))

    (written,) = document(replace(item, evaluators=({name: options, "Coherence": {}},)))["items"]

    assert written["evaluators"] == {"Coherence": {}}
    assert ours(written)["options"] == {name: options, "Coherence": None}


def test_what_the_dataset_says_of_an_item_is_echoed():
    content = {
        "name": "trip",
        "description": "A trip.",
        "conversation_id": "c-1",
        "extensions": {"id": "it", "team": "hr"},
        "turns": [{"prompt": "One?", "context": "c", "extensions": {"n": 1}, "allowed_tools": ["a_b"], "tags": ["t"]}],
    }
    item = evaluated("it", turn("One?", verdict("Relevance", 4), index=1), content=content, tags=["smoke"])

    (written,) = document(item)["items"]

    assert {key: written[key] for key in ("name", "description", "conversation_id")} == {
        "name": "trip",
        "description": "A trip.",
        "conversation_id": "c-1",
    }
    assert written["extensions"]["team"] == "hr"
    assert ours(written)["tags"] == ["smoke"]
    assert written["turns"][0]["context"] == "c"
    assert written["turns"][0]["extensions"]["n"] == 1
    assert ours(written["turns"][0])["fields"] == {"allowed_tools": ["a_b"], "tags": ["t"]}


def test_citations_without_a_number_stand_in_the_extension():
    numbered = turn("One?", citations=(Citation(index=1, text="a"),))
    bare = turn("Two?", citations=(Citation(source="https://x.example"),))

    first, second = document(evaluated("one", numbered), evaluated("two", bare))["items"]

    assert first["citations"] == [{"index": 1, "text": "a"}]
    assert "citations" not in second
    assert ours(second)["citations"] == [{"source": "https://x.example"}]


def test_metadata_says_what_ran_and_what_came_of_it():
    run = sample_run(gates=(GateResult(text="errors == 0", value=3.0, count=12, met=False),))

    metadata = checked(render(run))["metadata"]

    told = ours(metadata)
    assert metadata["name"] == "2 documents"
    assert metadata["evaluatedAt"] == told["started"] == "2026-11-30T10:00:00+00:00"
    assert metadata["agentName"] == "app.bot:ask"
    assert metadata["cliVersion"] == "pytest-agentevals 0.1.0"
    assert (told["kind"], told["format"], told["mode"], told["judge"]) == ("results", 1, "auto", "gpt-4o auto")
    assert told["counts"]["items"] == {"passed": 2, "failed": 2, "error": 3}
    assert told["gates"][0]["met"] is False
    figures = by_evaluator(case for _, case in run.cases())
    assert {
        name: (each["passed"], each["failed"], each["mean"]) for name, each in told["counts"]["evaluators"].items()
    } == {name: (each.passed, each.failed, each.mean) for name, each in figures.items()}
    assert told["judgments"]["tokens"] == 120 * told["judgments"]["asked"]


def test_the_metadata_of_a_single_document_is_its_own():
    own = {"name": "HR", "description": "All of it.", "tags": ["hr"], "extensions": {"team": "people"}}
    run = run_of(evaluated("it", turn("Q?", verdict("Relevance", 4))))
    run = replace(run, about=replace(run.about, documents={"datasets/hr.json": own}))

    metadata = checked(render(run))["metadata"]

    assert {key: metadata[key] for key in ("name", "description", "tags")} == {
        "name": "HR",
        "description": "All of it.",
        "tags": ["hr"],
    }
    assert metadata["extensions"]["team"] == "people"


def test_half_a_character_in_the_message_of_a_broken_fixture_is_replaced():
    broken = evaluated("it", troubles=[Trouble(Kind.ERROR, "setupError", "bad \udc80 name")])

    (item,) = document(broken)["items"]

    assert item["error"]["message"] == "bad \ufffd name"
