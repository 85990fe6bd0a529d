"""The documents of the format's own repository and of the vendor's pages are read, or refused, as they should be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_agentevals.documents.load import load
from pytest_agentevals.documents.sniff import sniff
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

ROOT = Path(os.environ.get("AGENTEVALS_CONFORMANCE", Path(__file__).parents[3] / "shared" / "conformance"))
LEGACY = {"example_prompts", "example_prompts_alt", "prompts_ambiguity", "missing-schema-version"}

pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason=f"the conformance data is not in {ROOT}")


def documents(*folders: str) -> list[object]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("*.json"))]
    return [pytest.param(path, id=path.stem) for path in paths if "rubric" not in path.stem]


@pytest.mark.parametrize("path", documents("sources", "samples", "public-schema/valid"))
def test_every_valid_document_is_recognised_and_loads(path):
    legacy = path.stem in LEGACY

    assert sniff(path).kind == ("legacy" if legacy else "document")
    loaded = load(path, Catalog(Place(path.parent, path.parent)), explicit=legacy)

    assert loaded.items
    assert bool(loaded.warnings) is legacy


@pytest.mark.parametrize("path", documents("public-schema/invalid"))
def test_every_invalid_document_is_refused_at_a_place_in_the_file(path):
    catalog = Catalog(Place(path.parent, path.parent))
    if path.stem in LEGACY:
        assert load(path, catalog, explicit=True).warnings
        assert sniff(path).near
        return

    with pytest.raises(DocumentError) as caught:
        load(path, catalog, explicit=True)

    lines = path.read_text().count("\n") + 1
    for line in str(caught.value).splitlines():
        row, column, _, message = line.removeprefix(f"{path}:").split(":", 3)
        assert 1 < int(row) <= lines
        assert int(column) >= 1
        assert message
