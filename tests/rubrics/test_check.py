"""What is said of a rubric file before it has scored anything."""

from __future__ import annotations

import json

import pytest

from pytest_agentevals.rubrics.checking import check

INTENT = {"id": "intent", "description": "Recognises whether the guest books, changes or cancels.", "weight": 9}
LIMIT = {"id": "limit", "description": "Refuses parties of more than 8 guests.", "weight": 5}
REST = {"id": "general_quality", "description": "Anything else.", "weight": 5, "always_applicable": True}


@pytest.fixture
def findings(tmp_path, monkeypatch):
    """Check a rubric file; returns level, pointer and message of each finding."""
    monkeypatch.chdir(tmp_path)

    def run(content):
        (tmp_path / "r.json").write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return [(found.level, found.pointer, found.message) for found in check(tmp_path / "r.json")[1]]

    return run


def with_description(text):
    return {"dimensions": [INTENT, {**LIMIT, "description": text}, REST]}


def test_a_sound_rubric_is_found_so(findings):
    assert findings({"dimensions": [INTENT, LIMIT, REST]}) == []


def test_mistakes_are_errors_at_their_place(tmp_path, findings):
    content = {"dimensions": [INTENT, {**LIMIT, "weight": 0}, {**REST, "id": "intent", "wieght": 5}]}
    assert [level for level, _, _ in findings(content)] == ["error"] * 2
    assert str(check(tmp_path / "r.json")[1][0]) == (
        "r.json:11:14: error: /dimensions/1/weight: must be more than 0.0, not 0"
    )


def test_a_rubric_without_a_definition_has_no_other_findings(findings):
    assert findings("{}") == [("error", "/dimensions", '"dimensions" is missing')]
    assert findings('{"dimensions": []}')[0][0] == "error"
    assert "not JSON" in findings("{")[0][2]
    assert "duplicate key" in findings('{"dimensions": [], "dimensions": []}')[0][2]
    assert "a rubric is a list of dimensions or an object" in findings("3")[0][2]
    assert "the file is empty" in findings("")[0][2]


def test_the_place_is_that_of_the_form_the_file_has(findings):
    vague = {**LIMIT, "description": "Gives a good answer about the menu."}

    assert findings([INTENT, vague, REST])[0][1] == "/1/description"
    exported = {"name": "n", "definition": {"type": "rubric", "dimensions": [INTENT, vague, REST]}}
    assert findings(exported)[0][1] == "/definition/dimensions/1/description"


def test_descriptions_that_say_the_same_are_an_error(findings):
    (found,) = findings(with_description("The guest books, changes, or cancels: recognised whether."))

    assert found == (
        "error",
        "/dimensions/1/description",
        "limit says the same as intent: one thing would count twice",
    )


def test_descriptions_that_overlap_are_a_warning(findings):
    (found,) = findings(with_description("Recognises whether the guest books or cancels a table for 8."))

    assert found[0] == "warning"
    assert found[2].startswith("limit overlaps with intent (both say recognises, guest, books, and cancels)")


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Gives good advice on wines of the region.", '"good"'),
        ("Chooses Appropriate tools, and handles refunds, etc.", '"appropriate" and "etc"'),
        ("Asks for the date as needed before booking tables.", '"as needed"'),
    ],
)
def test_vague_words_are_warnings(description, words, findings):
    assert findings(with_description(description)) == [
        (
            "warning",
            "/dimensions/1/description",
            f"what is meant by {words} is left to the judge: name what a response must do",
        )
    ]


def test_words_that_contain_vague_ones_are_not_vague(findings):
    assert findings(with_description("Names the goods, the wells and the badges of each region.")) == []


def test_a_residual_dimension_may_be_general(findings):
    rest = {**REST, "description": "Other good qualities."}
    assert findings({"dimensions": [INTENT, LIMIT, rest]}) == []


def test_a_description_of_two_words_is_too_short(findings):
    assert findings(with_description("Friendly tone."))[0][2] == (
        "the description is too short to tell one score from another"
    )


def test_one_dimension_should_decide(findings):
    def message(*weights):
        dimensions = [{**one, "weight": weight} for one, weight in zip((INTENT, LIMIT, REST), weights, strict=True)]
        return [message for _, _, message in findings({"dimensions": dimensions})]

    assert message(5, 5, 5) == ["one dimension should decide, with a weight of 8 to 10; here: none"]
    assert message(9, 8, 5) == ["one dimension should decide, with a weight of 8 to 10; here: intent and limit"]
    assert message(10, 1, 2) == ["10 of 13 points: the other dimensions together cannot outweigh it"]


def test_something_should_always_apply(findings):
    assert findings({"dimensions": [INTENT, LIMIT]}) == [
        ("warning", "/dimensions", "no dimension always applies: a response to which none applies gets no verdict")
    ]


def test_ids_should_be_in_snake_case_and_differ_in_more_than_spelling(findings):
    found = findings({"dimensions": [INTENT, {**LIMIT, "id": "Party Size"}, {**REST, "id": "party_size"}]})

    messages = [message for _, _, message in found]
    assert 'the id "Party Size" is not in snake_case, such as policy_enforcement' in messages
    assert "the ids Party Size and party_size differ in spelling only" in messages


def test_boolean_rubrics_have_no_weights_to_check(findings):
    dimensions = [{key: value for key, value in one.items() if key != "weight"} for one in (INTENT, LIMIT, REST)]
    assert findings({"scoring": "boolean", "dimensions": dimensions}) == []


def test_the_published_example_has_no_errors(sources):
    rubric, found = check(sources / "rubric.json")

    assert rubric is not None
    assert {finding.level for finding in found} <= {"warning"}
