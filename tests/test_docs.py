"""The documentation is whole: its links lead somewhere, what it names exists, its examples are valid and run."""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
import tomllib
from collections import Counter
from importlib.resources import files

import pytest
from jsonschema import Draft7Validator
from pages import PROJECT, blocks, prose, walk_through
from ruamel.yaml import YAML

from pytest_agentevals.documents.load import load
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.evaluators.catalog import BUILT_IN, Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.testing import ScriptedServer

DOCS = PROJECT / "docs"
PAGES = {
    path: path.read_text("utf-8")
    for path in (PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")))
}
WRITTEN = "".join(text for path, text in PAGES.items() if not path.name.startswith("reference-"))
#: A link within the documentation: the file, and the heading.
LINK = r"(?<!\\)\[[^\[\]]*\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)"
#: Options of each command of agentevals, as the reference has them.
COMMANDS = {
    name: re.findall(r"--[a-z-]*[a-z]", section)
    for name, section in re.findall(
        r"^## agentevals (.+)\n((?:(?!## ).*\n)*)", PAGES[DOCS / "reference-command.md"], re.MULTILINE
    )
}
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)


def anchors(page):
    """Return the anchors of the headings of a page, as GitHub and the site make them."""
    headings = re.findall(
        r"^#+ +(.+)$", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    found = Counter()
    for heading in headings:
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        yield f"{slug}-{found[slug]}" if found[slug] else slug
        found[slug] += 1


@every_page
def test_links_lead_to_files_and_headings(path):
    for target, anchor in re.findall(LINK, prose(PAGES[path])):
        file = (path.parent / target).resolve() if target else path

        assert file.exists(), target
        if anchor:
            assert anchor in anchors(PAGES[file]), f"{target}#{anchor}"


@every_page
def test_code_blocks_are_valid(path):
    readers = {"json": read_json, "yaml": YAML(typ="safe").load, "toml": tomllib.loads, "python": ast.parse}
    for block in blocks(PAGES[path]):
        if block.language in readers:
            readers[block.language](block.text)


@every_page
def test_eval_documents_are_valid_or_the_page_tells_their_mistakes(path, tmp_path):
    documents = [
        block.text
        for block in blocks(PAGES[path])
        if block.language == "json" and '"schemaVersion"' in block.text and '"items"' in block.text
    ]
    for number, text in enumerate(documents):
        file = tmp_path / f"{number}.json"
        file.write_text(text, encoding="utf-8")

        assert [mistake for mistake in mistakes(file) if mistake not in PAGES[path]] == []


def mistakes(file):
    """Return what is wrong with a document, without its name."""
    try:
        load(file, Catalog(Place(file.parent, file.parent)), explicit=False)
    except DocumentError as error:
        return [line.removeprefix(str(file)) for line in str(error).splitlines()]
    return []


def read_json(text):
    """Read JSON, a part of an object, or JSON Lines."""
    try:
        json.loads(f"{{{text}}}" if text.startswith('"') else text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        (r"\.github/workflows/", "github-workflows"),
        (r"azure-pipelines", "azure-pipelines"),
        (r"\.gitlab-ci", "gitlab-ci"),
    ],
)
def test_files_for_ci_follow_the_schema_of_their_system(name, schema):
    vendored = files("check_jsonschema") / "builtin_schemas" / "vendor" / f"{schema}.json"
    validator = Draft7Validator(json.loads(vendored.read_text("utf-8")))
    found = [
        block.text
        for text in PAGES.values()
        for block in blocks(text)
        if block.language == "yaml" and re.search(name, block.before)
    ]
    if schema == "github-workflows":
        found += [path.read_text("utf-8") for path in (DOCS / "examples").glob("*.yml")]

    assert found
    for text in found:
        validator.validate(YAML(typ="safe").load(text))


@every_page
def test_options_and_settings_exist(path, pytestconfig):
    for option in set(re.findall(r"--(evals-[a-z-]*[a-z])", PAGES[path])):
        pytestconfig.getoption(option.replace("-", "_"))
    for setting in set(re.findall(r"\bevals_[a-z_]*[a-z]\b", PAGES[path])):
        pytestconfig.getini(setting)


def test_every_option_and_setting_is_explained():
    """The reference has them all; some page written by hand says what each is for."""
    reference = PAGES[DOCS / "reference-settings.md"]
    names = set(re.findall(r"^\| `(--evals-[a-z-]+|evals_\w+)", reference, re.MULTILINE))

    assert len(names) > 20
    assert {name for name in names if f"`{name}" not in WRITTEN} == set()


@every_page
def test_commands_and_their_options_exist(path):
    found = re.findall(r"(?:`|^|\$ )agentevals ([a-z][^`\n]*)", PAGES[path], re.MULTILINE)
    for command in found:
        name = max((name for name in COMMANDS if f"{command} ".startswith(f"{name} ")), key=len, default=None)

        assert name, command
        assert set(re.findall(r"--[a-z-]*[a-z]", command)) <= {"--help", *COMMANDS[name]}, command


def test_every_evaluator_is_explained():
    assert [name for name in BUILT_IN if f"`{name}`" not in WRITTEN] == []


def test_every_page_is_in_the_navigation_once():
    navigation = (PROJECT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]

    assert sorted(re.findall(r"- (\S+\.md)$", navigation, re.MULTILINE)) == sorted(
        page.name for page in DOCS.glob("*.md")
    )


def test_the_reference_is_what_the_code_says(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, page in runpy.run_path(str(PROJECT / "scripts/generate-reference"))["PAGES"].items():
        assert PAGES[DOCS / name].splitlines() == page().splitlines(), "run scripts/generate-reference"


def test_a_new_user_sees_what_the_tutorial_shows(tmp_path):
    with ScriptedServer(tutorial_judge) as judge:
        walk_through(PAGES[DOCS / "tutorial.md"], tmp_path, judge.base_url)


def tutorial_judge(request):
    """Find fault with the answer to one question only."""
    helpless = "Please ask me" in str(request["messages"])
    if "json_schema" not in request["response_format"]:
        reason = "The question about mate is not answered." if helpless else "It answers the question."
        return {"score": 2 if helpless else 5, "reason": reason, "explanation": reason}
    dimensions = {name: {"score": 4, "reason": "One kind sentence."} for name in ("friendly", "brief")}
    return {"dimensions": dimensions, "summary": ""}
