from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from cli.commands import document
from click.testing import CliRunner

from pytest_agentevals.cli import agentevals
from pytest_agentevals.documents.load import load
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

BROKEN = document({"prompt": "Who?", "expeceted_response": "I"}, {"prompt": ""}, default_evaluators={"Relevence": {}})
LATER = document("Who?", schemaVersion="1.99.0")


@pytest.fixture
def broken(write):
    return write("evals/broken.json", BROKEN)


def test_the_messages_are_those_of_collection(run, broken):
    ran = run("validate", "evals")

    with pytest.raises(DocumentError) as collected:
        load(broken, Catalog(Place(broken.parent, broken.parents[1])))
    assert ran.out.splitlines()[:-1] == str(collected.value).splitlines()
    assert ran.out.splitlines()[0] == (
        'evals/broken.json:4:5: /default_evaluators/Relevence: unknown evaluator "Relevence"; did you mean "Relevance"?'
    )
    assert ran.code == 1


def test_valid_documents_are_counted_and_others_left_alone(run, write):
    write("evals/one.json", document("Who?", "Why?"))
    write("evals/package.json", {"name": "unrelated"})

    assert run("validate", ".") == (0, "1 eval document, 2 items; no mistakes; 1 other JSON file left alone\n", "")
    assert "evals/package.json: left alone: has nothing of an eval document" in run("validate", "-v", ".").out


@pytest.mark.parametrize("folder", [".git", "node_modules", "__pycache__", "dist"])
def test_folders_that_pytest_does_not_enter_are_not_entered(run, write, folder):
    write(f"evals/{folder}/one.json", BROKEN)
    write("evals/two.json", document("Who?"))

    assert run("validate", "evals").code == 0


def test_the_settings_of_the_project_count(run, write):
    write("pytest.ini", "[pytest]\nnorecursedirs = drafts\nevals_files = *.evals\n")
    write("drafts/broken.json", BROKEN)
    write("one.evals", [{"prompt": "Who?"}])

    ran = run("validate", ".")
    assert ran.code == 0
    assert "one.evals: warning: a legacy form; bring it up to date with: agentevals upgrade one.evals" in ran.out


def test_evaluators_of_the_project_are_known_from_its_root(run, write):
    write("pyproject.toml", "[tool.pytest.ini_options]\n")
    write("rubrics/tone.json", [{"id": "kind", "description": "Is kind.", "weight": 1}])
    write("evals/deep/one.json", document("Who?", default_evaluators={"tone": {}, "shape": {}}))

    ran = run("validate", "evals/deep/one.json")
    assert ran.code == 0
    assert "warning: Unknown evaluator 'shape'" in ran.out
    assert "'tone'" not in ran.out


def test_a_legacy_document_is_read_where_it_is_named(run, write):
    write("old.json", [{"prompt": "Who?", "expected_response": "I"}])

    assert "warning: a legacy form" in run("validate", "old.json").out
    assert run("validate", ".").code == 1


def test_nothing_to_validate_is_no_success(run, write):
    write("package.json", {"name": "unrelated"})

    assert run("validate", ".")[::2] == (1, "Error: no eval document in .\n")
    assert run("validate", "package.json")[::2] == (
        1,
        "Error: package.json is no eval document: it has nothing of an eval document\n",
    )
    assert run("validate", "missing.json").code == 2
    assert run("validate").code == 2


def test_unreadable_text_has_a_place(run, write):
    write("evals.json", '{"schemaVersion": "1.0.0", "items": [{"prompt": "x"}]').write_bytes(
        b'{"schemaVersion": "1.0.0", "items": [{"prompt": "\xff"}]}'
    )

    assert run("validate", "evals.json").out.startswith("evals.json:1:50: not valid UTF-8: byte 0xff")


def test_a_document_cannot_write_to_the_terminal(run, write):
    write("evals.json", document({"prompt": "x", "\x1b[2J\u202e": 1}))

    ran = run("validate", "evals.json")
    assert ran.code == 1
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out


def test_colours_are_for_terminals_and_for_those_who_want_them(write, tmp_path):
    path = write("evals.json", document("Who?"))

    def printed(**options):
        return CliRunner().invoke(agentevals, ["validate", str(path)], **options).output

    plain = "1 eval document, 1 item; no mistakes"
    assert printed() == f"{plain}\n"
    assert printed(color=True) == f"\x1b[32m{plain}\x1b[0m\n"
    assert printed(color=True, env={"NO_COLOR": "1"}) == f"{plain}\n"


def test_json_has_every_finding_as_values(run, broken, write):
    write("evals/later.json", LATER)
    write("evals/package.json", {"name": "unrelated"})

    found = json.loads(run("validate", "--format", "json", "evals").out)

    one, two = found["documents"]
    assert (one["path"], one["valid"], one["items"], len(one["problems"])) == ("evals/broken.json", False, None, 3)
    assert one["problems"][0] == {
        "line": 4,
        "column": 5,
        "pointer": "/default_evaluators/Relevence",
        "message": 'unknown evaluator "Relevence"; did you mean "Relevance"?',
    }
    assert (two["valid"], two["items"], len(two["warnings"])) == (True, 1, 1)
    assert found["left_alone"][0]["path"] == "evals/package.json"


def test_github_shows_findings_beside_their_lines(run, write):
    write("evals/50%, a:b.json", BROKEN)
    write("evals/later.json", LATER)

    lines = run("validate", "--format", "github", "evals").out.splitlines()

    assert lines[0] == (
        "::error file=evals/50%25%2C a%3Ab.json,line=4,col=5::/default_evaluators/Relevence: "
        'unknown evaluator "Relevence"; did you mean "Relevance"?'
    )
    assert lines[-1].startswith("::warning file=evals/later.json::evals/later.json: schemaVersion 1.99.0 is newer")


def test_a_workflow_command_cannot_be_forged(run, write):
    write("evals.json", document({"prompt": "x", "\r\n::set-output name=a::b %0A": 1}))

    ran = run("validate", "--format", "github", "evals.json")
    assert [line[:8] for line in ran.out.splitlines()] == ["::error "]
    assert "%0A::set" not in ran.out.replace("%250A", "")


def test_sarif_follows_its_specification(run, write, broken):
    write("evals/später.json", LATER)

    log = json.loads(run("validate", "--format", "sarif", "evals").out)

    jsonschema.Draft7Validator(SARIF).validate(log)
    results = log["runs"][0]["results"]
    assert [result["level"] for result in results] == ["error", "error", "error", "warning"]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "evals/broken.json"}, "region": {"startLine": 4, "startColumn": 5}}
    assert results[3]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "evals/sp%C3%A4ter.json"
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)


def test_every_format_gives_the_same_answer(run, broken, write):
    write("fine.json", document("Who?"))

    for form in ("text", "json", "github", "sarif"):
        assert run("validate", "--format", form, "evals").code == 1
        assert run("validate", "--format", form, "fine.json").code == 0


def test_the_conformance_documents_get_the_answers_they_should(run):
    import os

    found = Path(os.environ.get("AGENTEVALS_CONFORMANCE", Path(__file__).parents[3] / "shared/conformance"))
    if not found.is_dir():
        pytest.skip("the conformance documents are not here")

    assert run("validate", found / "public-schema/valid").code == 0
    for path in sorted((found / "public-schema/invalid").glob("*.json")):
        verdict = json.loads(run("validate", "--format", "json", path).out)
        try:
            load(path, Catalog(Place(path.parent, path.parent)), explicit=True)
        except DocumentError:
            assert not verdict["documents"][0]["valid"], path.name
        else:
            assert verdict["documents"][0]["valid"], path.name


def closed(required, **properties):
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def many(items, **more):
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1}
MESSAGE = closed(["text"], text=TEXT)
REGION = closed(["startLine"], startLine=COUNT, startColumn=COUNT, endLine=COUNT, endColumn=COUNT)
ARTIFACT = closed(["uri"], uri={**TEXT, "pattern": "^[!-~]+$"}, uriBaseId=TEXT, index={"type": "integer"})
LOCATION = closed(["physicalLocation"], physicalLocation=closed([], artifactLocation=ARTIFACT, region=REGION))
RESULT = closed(
    ["message"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=many(LOCATION),
)
RULE = closed(["id"], id=TEXT, shortDescription=MESSAGE)
DRIVER = closed(["name"], name=TEXT, version=TEXT, rules=many(RULE, uniqueItems=True))
#: What SARIF 2.1.0 (OASIS standard, section 3) says of the properties that are written here.
SARIF = closed(
    ["version", "runs"],
    version={"enum": ["2.1.0"]},
    runs=many(
        closed(
            ["tool"],
            tool=closed(["driver"], driver=DRIVER),
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            results=many(RESULT),
        )
    ),
    **{"$schema": {**TEXT, "format": "uri"}},
)
