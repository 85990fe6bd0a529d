"""The README and the page about documents say what happens."""

from __future__ import annotations

import json
import re

import pytest
from pages import PROJECT, blocks, walk_through

from pytest_agentevals.evaluators.catalog import BUILT_IN, Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.testing import ScriptedServer

README = (PROJECT / "README.md").read_text("utf-8")
DOCUMENTS = (PROJECT / "docs/eval-documents.md").read_text("utf-8")


def test_ci_runs_the_documented_test_command():
    commands = [block.text.strip() for block in blocks(README) if block.language == "sh" and "venv" in block.text]

    assert commands[0].endswith("pip install . && .venv/bin/pytest example_project")
    assert f"\n{commands[1]}\n" in (PROJECT / ".ci/run").read_text("utf-8")


def test_a_new_user_sees_what_the_readme_shows(tmp_path):
    with ScriptedServer(lambda _: {"score": 4, "explanation": "Fine.", "reason": "Fine."}) as judge:
        walk_through(README, tmp_path, judge.base_url)


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
