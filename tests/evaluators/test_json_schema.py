from __future__ import annotations

import json
import socket

import pytest
from evaluators.exchanges import exchange, judge, make
from pydantic import ValidationError

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.json_schema import JsonSchema

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"$ref": "#/$defs/age"}},
    "required": ["name"],
    "$defs": {"age": {"type": "integer", "minimum": 0}},
}
DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("text", "schema", "outcome"),
    [
        pytest.param('{"name": "Marie", "age": 66}', PERSON, "pass", id="valid"),
        pytest.param(' \n{"name": "Marie"}\n', PERSON, "pass", id="white-space-around"),
        pytest.param('```json\n{"name": "Marie"}\n```', PERSON, "pass", id="code-fence"),
        pytest.param('\n```\n{"name": "Marie"}```\n', PERSON, "pass", id="code-fence-without-a-language"),
        pytest.param('Here: ```json\n{"name": "Marie"}\n```', PERSON, "fail", id="prose-around-the-fence"),
        pytest.param('```\n```json\n{"name": "Marie"}\n```\n```', PERSON, "fail", id="two-fences"),
        pytest.param('{"age": 66}', PERSON, "fail", id="required"),
        pytest.param('{"name": "Marie", "age": -1}', PERSON, "fail", id="reference-within-the-schema"),
        pytest.param("Marie", PERSON, "fail", id="not-json"),
        pytest.param("", PERSON, "fail", id="empty-response"),
        pytest.param('{"name": "Marie",}', PERSON, "fail", id="trailing-comma"),
        pytest.param("NaN", True, "fail", id="nan-is-not-json"),
        pytest.param(DEEP, True, "fail", id="nested-too-deeply"),
        pytest.param("1" * 5000, True, "fail", id="number-too-long"),
        pytest.param("null", True, "pass", id="schema-true"),
        pytest.param("null", False, "fail", id="schema-false"),
        pytest.param("[1, 2]", {"items": [{"const": 1}, {"const": 2}]}, "error", id="draft-2020-12-by-default"),
        pytest.param(
            "[1, 3]",
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"const": 1}, {"const": 2}]},
            "fail",
            id="draft-7-where-declared",
        ),
    ],
)
def test_json_schema(text, schema, outcome):
    if outcome == "error":
        with pytest.raises(ValidationError, match="no valid JSON Schema"):
            make("JsonSchema", {"schema": schema})
        return
    verdict = judge("JsonSchema", {"schema": schema}, text)
    assert verdict.outcome == outcome
    assert (verdict.score, verdict.threshold) == (float(outcome == "pass"), 1.0)


def test_json_schema_lists_the_mistakes_with_their_paths():
    verdict = judge("JsonSchema", {"schema": PERSON}, '{"name": 1, "age": "x"}')
    assert verdict.notes == ("$.age: 'x' is not of type 'integer'", "$.name: 1 is not of type 'string'")
    assert verdict.details["errors"] == list(verdict.notes)
    assert verdict.reason.startswith("the response breaks the schema in 2 places, first $.age")


def test_json_schema_shortens_what_it_lists():
    verdict = judge("JsonSchema", {"schema": {"items": {"type": "string"}}}, json.dumps([["x" * 1000]] * 50))
    assert len(verdict.notes) == 10
    assert all(len(note) < 250 for note in verdict.notes)


def test_json_schema_says_why_a_text_is_not_json():
    assert judge("JsonSchema", {"schema": True}, "{]").reason.startswith("the response is not JSON: Expecting property")
    assert judge("JsonSchema", {"schema": True}, "[NaN]").reason == "the response is not JSON: NaN is no JSON number"


def test_a_schema_may_lie_in_a_file_beside_the_document(tmp_path):
    (tmp_path / "person.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(PERSON).encode())
    evaluator = make("JsonSchema", {"schema": "person.json"}, tmp_path)
    assert evaluator.evaluate(exchange('{"name": "Marie"}')).outcome == "pass"
    assert evaluator.evaluate(exchange("{}")).outcome == "fail"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", 'the file "s.json" is not JSON'),
        (b"\xff", 'the file "s.json" is not JSON'),
        (b"[]", "a JSON Schema is an object, true or false"),
        (b'{"type": "strin"}', r"no valid JSON Schema: \$.type"),
        (b'{"not": ' * 500 + b"true" + b"}" * 500, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_schema_is_refused(tmp_path, content, said):
    (tmp_path / "s.json").write_bytes(content)
    with pytest.raises(ValidationError, match=said):
        make("JsonSchema", {"schema": "s.json"}, tmp_path)


@pytest.mark.parametrize("name", ["absent.json", "../outside.json"])
def test_a_schema_file_must_exist_inside_the_project(tmp_path, name):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "outside.json").write_text("{}")
    with pytest.raises(ValidationError, match=r"there is no file|outside the project"):
        make("JsonSchema", {"schema": name}, project)


def test_a_schema_file_needs_a_document():
    with pytest.raises(ValidationError, match="cannot be found without a document"):
        JsonSchema.model_validate({"schema": "s.json"})


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "strin"}, r"\$.type"),
        ({"$schema": "https://example.com/own"}, "no draft of JSON Schema"),
        ({"$schema": 7}, "7 is not of type 'string'"),
        ({"properties": 1}, r"\$.properties"),
        ({"pattern": "("}, r"\$.pattern"),
        (7, "a JSON Schema is an object, true or false"),
        (None, "a JSON Schema is an object, true or false"),
    ],
)
def test_what_is_no_schema_is_refused(schema, said):
    with pytest.raises(ValidationError, match=said):
        make("JsonSchema", {"schema": schema})


@pytest.mark.parametrize(
    "reference", ["https://example.com/s.json", "other.json", "#/$defs/absent", "file:///etc/hosts"]
)
def test_references_out_of_the_schema_are_never_fetched(reference, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(EvaluationError, match="references are not fetched") as caught:
        judge("JsonSchema", {"schema": {"$ref": reference}}, "{}")
    assert caught.value.code == "evaluatorConfigurationError"


def test_a_schema_that_refers_to_itself_without_end_is_an_error():
    with pytest.raises(EvaluationError, match="too deeply"):
        judge("JsonSchema", {"schema": {"$ref": "#"}}, "{}")
