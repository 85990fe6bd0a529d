"""What a rubric may say, in a document or in a file beside it."""

from __future__ import annotations

import json

import jsonschema
import pytest
from pydantic import ValidationError
from scripted_answers import answer, dimensions

from pytest_agentevals.evaluators.rubric import Rubric

ONE = {"id": "tone", "description": "Is courteous.", "weight": 3}


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "Field required"),
        ({"dimensions": []}, "at least one dimension"),
        ({"dimensions": "tone"}, "valid array"),
        ({"dimensions": [ONE, ONE]}, "more than one is called tone"),
        ({"dimensions": [{**ONE, "weight": 0}]}, "greater than 0"),
        ({"dimensions": [{**ONE, "weight": -1}]}, "greater than 0"),
        ({"dimensions": [{**ONE, "weight": True}]}, "valid number"),
        ({"dimensions": [{**ONE, "weight": "3"}]}, "valid number"),
        ({"dimensions": [{**ONE, "id": " "}]}, "pattern"),
        ({"dimensions": [{**ONE, "description": ""}]}, "at least 1 character"),
        ({"dimensions": [{**ONE, "wieght": 3}]}, "Extra inputs"),
        ({"dimensions": [{**ONE, "min_score": 6}]}, "less than or equal to 5"),
        ({"dimensions": [ONE, {"id": "b", "description": "Has no weight."}]}, "there is none on b"),
        ({"dimensions": [ONE], "threshold": 1.1}, "less than or equal to 1"),
        ({"dimensions": [ONE], "threshold": 3}, "less than or equal to 1"),
        ({"dimensions": [ONE], "threshold": True}, "valid number"),
        ({"dimensions": [ONE], "threshold": 0.5, "pass_threshold": 0.5}, "Extra inputs"),
        ({"dimensions": [ONE], "scoring": "stars"}, "'likert' or 'boolean'"),
        ({"dimensions": [ONE], "level": "item"}, "'turn' or 'conversation'"),
        ({"dimensions": [ONE], "scoring": "boolean"}, "neither weight nor min_score"),
        (
            {"dimensions": [{"id": "a", "description": "A."}], "scoring": "boolean", "fail_on_score_1": True},
            "leave out",
        ),
        ({"rubric": "rubrics/missing.json"}, "there is no file 'rubrics/missing.json'"),
        ({"rubric": "../secret.json"}, "outside the project"),
    ],
)
def test_what_is_no_rubric_is_refused_when_the_document_is_collected(make, options, problem):
    with pytest.raises(ValidationError, match=problem):
        make(options)


@pytest.mark.parametrize("alias", ["id", "rubric_id", "dimension_id"])
def test_earlier_names_of_the_id_are_understood(make, alias):
    rubric = make({"dimensions": [{alias: "tone", "description": "Is courteous.", "weight": 1}]})

    assert rubric.dimensions[0].id == "tone"


def test_options_may_stand_under_options(make):
    assert make({"options": {"dimensions": [ONE]}}) == make({"dimensions": [ONE]})


def test_the_threshold_may_be_called_pass_threshold(make):
    assert make({"dimensions": [ONE], "pass_threshold": 0.7}).cut == 0.7
    assert make({"dimensions": [ONE]}).cut == 0.5


def test_a_file_with_a_bare_list_is_a_rubric(make, write):
    write("rubrics/tone.json", [ONE])

    assert make({"rubric": "rubrics/tone.json"}).dimensions[0].id == "tone"


def test_the_published_sample_is_a_rubric_as_it_is(make, write, sources):
    write("rubric.json", (sources / "rubric.json").read_text())

    rubric = make({"rubric": "rubric.json"})

    assert [dimension.weight for dimension in rubric.dimensions] == [9, 6, 5, 4, 2, 5]
    assert rubric.dimensions[-1].always_applicable
    assert not rubric.warnings


def test_options_of_the_document_win_over_the_files(make, write):
    write("tone.json", {"name": "tone", "version": "3", "pass_threshold": 0.9, "dimensions": [ONE]})

    rubric = make({"rubric": "tone.json", "threshold": 0.4, "fail_on_score_1": True})

    assert (rubric.name, rubric.version, rubric.cut, rubric.fail_on_score_1) == ("tone", "3", 0.4, True)


def test_the_services_export_loads_unchanged(make, write):
    exported = {
        "id": "azureai://evaluators/booking/versions/4",
        "name": "booking",
        "version": 4,
        "display_name": "Booking",
        "description": "Restaurant bookings.",
        "categories": ["quality"],
        "supported_evaluation_levels": ["conversation"],
        "created_at": "2026-06-02T08:00:00Z",
        "definition": {
            "type": "rubric",
            "pass_threshold": 0.6,
            "scoring": {"mode": "likert"},
            "data_schema": {"type": "object"},
            "metrics": {},
            "dimensions": [{**ONE, "generated_weight": 8, "always_applicable": True}],
        },
    }
    write("booking.json", exported)

    rubric = make({"rubric": "booking.json"})

    assert (rubric.name, rubric.version, rubric.description) == ("booking", "4", "Restaurant bookings.")
    assert (rubric.category, rubric.level, rubric.scoring, rubric.cut) == ("quality", "conversation", "likert", 0.6)
    assert rubric.dimensions[0].always_applicable


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "bad.json: the file is not valid JSON: .* line 1 column 1"),
        ("[{]", "bad.json: the file is not valid JSON"),
        ("[" * 100_000, "bad.json: the file is nested too deeply"),
        ('"tone"', "bad.json: a rubric is a list of dimensions or an object"),
        ('{"dimensions": [], "dimensions": []}', "'dimensions' appears twice"),
        ([{**ONE, "weight": -2}], "bad.json: /dimensions/0/weight: must be more than 0"),
        ({"rubric": "other.json"}, "bad.json: .*rubric"),
        ({"definition": {"type": "prompt"}}, "of type 'prompt', not 'rubric'"),
        ([{**ONE, "wieght": 2}], '/dimensions/0/wieght: unknown key "wieght"; did you mean "weight"?'),
        (
            [{"id": "tone", "weight": True}],
            "/dimensions/0/description: .*missing; /dimensions/0/weight: must be a number",
        ),
        ([ONE, {**ONE, "description": "Again."}], "bad.json: dimensions must .*more than one is called tone"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(make, write, content, problem):
    write("bad.json", content)

    with pytest.raises(ValidationError, match=problem):
        make({"rubric": "bad.json"})


def test_a_rubric_file_is_an_evaluator_of_its_name(catalog, write, judge_with):
    write("rubrics/booking_quality.json", {"dimensions": [ONE]})

    evaluator = catalog.make("booking_quality", {"threshold": 0.8})

    assert evaluator.result_key == "booking_quality"
    assert evaluator.judged
    assert evaluator.cut == 0.8
    assert "booking_quality" in catalog.names


@pytest.mark.parametrize("weight", [0.5, 2.5, 11, 100])
def test_weights_outside_1_to_10_work_with_a_warning(make, judge_with, weight):
    options = {"dimensions": dimensions(tone=weight, facts=1)}

    verdict, _ = judge_with(options, answer({"tone": 5, "facts": 5}))

    assert verdict.score == 1
    assert make(options).warnings == (f"weights should be whole numbers from 1 to 10; other ones: tone ({weight})",)


def test_a_threshold_without_effect_is_warned_of(make):
    plain = [{"id": "safe", "description": "Is harmless."}]

    assert make({"scoring": "boolean", "dimensions": plain, "threshold": 0.5}).warnings
    assert not make({"scoring": "boolean", "dimensions": plain, "threshold": 1}).warnings


def test_the_content_hash_follows_the_criteria_and_not_the_threshold(make):
    original = make({"dimensions": [ONE], "name": "tone", "version": "1"})

    assert make({"dimensions": [ONE], "threshold": 0.9}).content_hash == original.content_hash
    assert make({"dimensions": [{**ONE, "description": "Is kind."}]}).content_hash != original.content_hash
    assert make({"dimensions": [{**ONE, "weight": 4}]}).content_hash != original.content_hash


def test_the_verdict_names_the_rubric(judge_with, make):
    options = {"dimensions": [ONE], "name": "tone", "version": "7"}

    verdict, _ = judge_with(options, answer({"tone": 5}))

    assert verdict.details["rubric"] == {
        "name": "tone",
        "version": "7",
        "category": "quality",
        "content_hash": make(options).content_hash,
    }


@pytest.mark.parametrize(
    ("options", "valid"),
    [
        ({"dimensions": [ONE]}, True),
        ({"rubric": "rubrics/tone.json"}, True),
        ({"rubric": "rubrics/tone.json", "pass_threshold": 0.7}, True),
        ({}, False),
        ({"dimensions": []}, False),
        ({"dimensions": [{"id": "tone"}]}, False),
        ({"dimensions": [ONE], "threshold": 3}, False),
    ],
)
def test_editors_accept_either_form_of_a_rubric(options, valid):
    assert jsonschema.Draft202012Validator(Rubric.model_json_schema()).is_valid(options) == valid
