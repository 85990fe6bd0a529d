"""The README and the page about documents say what happens."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_agentevals.evaluators.catalog import BUILT_IN, Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.testing import ScriptedServer

PROJECT = Path(__file__).parents[1]
README = (PROJECT / "README.md").read_text("utf-8")
DOCUMENTS = (PROJECT / "docs/eval-documents.md").read_text("utf-8")
LOCAL_SERVER = "http://localhost:11434/v1"
#: Lines that differ from machine to machine.
MACHINE = ("platform ", "rootdir: ", "configfile: ", "plugins: ")


class Block(NamedTuple):
    """A code block, and the paragraph before it."""

    language: str
    text: str
    before: str


def blocks(page):
    """Return the code blocks of a page."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [Block(match[1], match[2], page[: match.start()].rstrip().rpartition("\n\n")[2]) for match in found]


def comparable(line):
    """Leave out how long something took and how wide a rule is."""
    return re.sub(r"([=_])\1{2,}", r"\1\1\1", re.sub(r"\d+\.\d+s", "0s", line)).rstrip()


def test_no_page_links_to_nowhere():
    for page in (PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *(PROJECT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)", prose(page.read_text("utf-8"))):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def prose(page):
    """Return a page without its code."""
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL))


def test_ci_runs_the_documented_test_command():
    commands = [block.text.strip() for block in blocks(README) if block.language == "sh" and "venv" in block.text]

    assert commands[0].endswith("pip install . && .venv/bin/pytest example_project")
    assert f"\n{commands[1]}\n" in (PROJECT / ".ci/run").read_text("utf-8")


def test_a_new_user_sees_what_the_readme_shows(tmp_path):
    """Write the README's files and run its commands, in the order in which they stand there."""
    with ScriptedServer(lambda _: {"score": 4, "explanation": "Fine.", "reason": "Fine."}) as judge:
        for block in blocks(README):
            if block.language == "console":
                follow(block, tmp_path, judge.base_url)
            elif block.language in {"json", "python"}:
                path = tmp_path / re.findall(r"`([\w/]+\.(?:json|py))`", block.before)[-1]
                path.parent.mkdir(exist_ok=True)
                path.write_text(block.text, encoding="utf-8")


def follow(block, folder, judge):
    """Run the command of a block; its output has the lines shown, without others between them but for "..."."""
    command, *shown = block.text.splitlines()
    output = run(command.removeprefix("$ ").replace(LOCAL_SERVER, judge), folder)
    printed = [comparable(line) for line in output.splitlines() if not line.startswith(MACHINE)]
    expected = "\n".join(comparable(line) for line in shown)
    at = 0
    for part in expected.split("\n...\n") if not expected.startswith("...\n") else expected[4:].split("\n...\n"):
        lines = part.removesuffix("\n...").split("\n")
        places = [index for index in range(at, len(printed)) if printed[index : index + len(lines)] == lines]
        assert places, f"{command}\nhas not printed\n{part}\nbut\n{output}"
        at = places[0] + len(lines)


def run(command, folder):
    """Run a command of the README, in the checkout where it is about the example and else in a user's project."""
    kept = {
        name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT"}
    }
    words = shlex.split(command)
    variables = dict(word.split("=", 1) for word in words[: words.index("pytest")])
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
            *words[words.index("pytest") + 1 :],
        ],
        cwd=PROJECT if "example_project" in command else folder,
        env={**kept, "COLUMNS": "80", **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    ).stdout


def examples():
    """Return every configuration of evaluators on the page about documents, by name."""
    found = {}
    for block in blocks(DOCUMENTS):
        if block.language == "json" and "schemaVersion" not in block.text:
            found |= json.loads(block.text)
    return found


@pytest.mark.parametrize("name", [name for name in BUILT_IN if f"### {name}\n" in DOCUMENTS])
def test_the_documented_options_of(name):
    """Each evaluator's section has a valid example, and names all its options."""
    catalog = Catalog(Place(PROJECT, PROJECT))
    section = DOCUMENTS.partition(f"### {name}\n")[2].partition("\n### ")[0]

    catalog.make(name, examples()[name])
    for option, field in catalog.kind(name).model_fields.items():
        assert re.search(rf"\b{field.alias or option}\b", section), option


def test_every_evaluator_is_documented():
    pages = "".join(page.read_text("utf-8") for page in (PROJECT / "docs").glob("*.md"))

    assert [name for name in BUILT_IN if f"`{name}`" not in pages] == []


def test_every_option_and_setting_is_documented(tmp_path):
    page = (PROJECT / "docs/running.md").read_text("utf-8")
    names = set(re.findall(r"--evals-[\w-]+|^  evals_\w+", run("pytest --help", tmp_path), re.MULTILINE))

    assert len(names) > 10
    assert {name.strip() for name in names if f"`{name.strip()}" not in page} == set()


def test_the_documented_documents_load(tmp_path):
    from pytest_agentevals.documents.load import load

    for number, block in enumerate(block for block in blocks(DOCUMENTS) if "schemaVersion" in block.text):
        path = tmp_path / f"{number}.json"
        path.write_text(block.text, encoding="utf-8")

        assert load(path, Catalog(Place(tmp_path, tmp_path)), explicit=False).items
