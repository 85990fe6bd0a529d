from __future__ import annotations

import json
import re

import jsonschema
import pytest

from pytest_agentevals.documents.schema import generate, published
from pytest_agentevals.evaluators.catalog import BUILT_IN

ITEM = {"prompt": "a"}


def test_the_published_schema_is_what_the_models_say(desk):
    assert json.loads(published()) == generate({name: desk.catalog.kind(name) for name in BUILT_IN}), (
        "the models changed: run scripts/generate-schema"
    )


def valid(*items, **top):
    schema = json.loads(published())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema).is_valid({"schemaVersion": "1.6.0", **top, "items": list(items)})


@pytest.mark.parametrize(
    "item",
    [
        ITEM,
        {"turns": [ITEM]},
        ITEM | {"evaluators": {"Citations": {"threshold": 2}}},
        ITEM | {"evaluators": {"RetrievalQuery": {"options": {"capability": "Mail", "selector": "q"}}}},
        ITEM | {"evaluators": {"my_own": {"threshold": 4, "options": {"tone": "warm"}}}},
    ],
)
def test_an_editor_accepts_what_the_loader_accepts(desk, item):
    assert desk.items(item)
    assert valid(item)


@pytest.mark.parametrize(
    "item",
    [
        {"promt": "a"},
        ITEM | {"turns": [ITEM]},
        {"turns": [ITEM], "evaluators": {}},
        ITEM | {"evaluators": {"Citations": {"treshold": 2}}},
        ITEM | {"evaluators": {"RetrievalQuery": {"capability": "Mail"}}},
        ITEM | {"evaluators": {"1bad": {}}},
    ],
)
def test_an_editor_refuses_what_the_loader_refuses(desk, item):
    assert desk.problems(item)
    assert not valid(item)


def test_an_editor_checks_default_evaluators_too():
    assert valid(ITEM, default_evaluators={"Citations": {}})
    assert not valid(ITEM, default_evaluators={"Citations": {"treshold": 2}})


def test_the_schema_refers_to_nothing_outside_itself():
    assert all(reference.startswith("#/$defs/") for reference in re.findall(r'"\$ref": "([^"]+)"', published()))


def test_every_field_of_items_is_described_for_the_editor():
    definitions = json.loads(published())["$defs"]

    undescribed = [
        f"{name}.{key}"
        for name in ("Item", "Turn", "Thread", "Metadata")
        for key, field in definitions[name]["properties"].items()
        if "description" not in field
    ]
    assert undescribed == []


def test_the_schema_of_a_document_is_never_fetched(desk):
    assert desk.items(ITEM, **{"$schema": "http://127.0.0.1:1/eval-document.schema.json"}).warnings == ()
