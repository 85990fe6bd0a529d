from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.documents.load import LoadedDocument, load
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

if TYPE_CHECKING:
    from pathlib import Path


class Desk:
    """A folder in which documents are written and loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalog = Catalog(Place(folder, folder))

    def write(self, content: object, name: str = "d.json") -> Path:
        """Write bytes and text as they are, other values as JSON."""
        path = self.folder / name
        if not isinstance(content, bytes):
            content = (content if isinstance(content, str) else json.dumps(content)).encode()
        path.write_bytes(content)
        return path

    def load(self, content: object, *, explicit: bool = False) -> LoadedDocument:
        return load(self.write(content), self.catalog, explicit=explicit)

    def items(self, *items: object, **top: object) -> LoadedDocument:
        return self.load({"schemaVersion": "1.6.0", **top, "items": items})

    def refusal(self, content: object, *, explicit: bool = False) -> list[str]:
        """Return the lines of the refusal, without the path of the file."""
        with pytest.raises(DocumentError) as caught:
            self.load(content, explicit=explicit)
        return str(caught.value).replace(f"{self.folder}/d.json:", "").splitlines()

    def problems(self, *items: object, **top: object) -> list[str]:
        """Return the pointers and messages of the refusal of a document, without the positions."""
        lines = self.refusal({"schemaVersion": "1.6.0", **top, "items": items})
        return [line.split(": ", 1)[1] for line in lines]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
