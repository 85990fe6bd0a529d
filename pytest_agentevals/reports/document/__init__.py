"""The results document: a run as an eval document of the public schema 1.7, to be read, fed back and compared with.

What the schema leaves no room for stands in ``extensions["pytest-agentevals"]`` of the document, of items and of turns;
docs/results.md describes it. `pytest_agentevals.reports.restore` reads it back.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json

from pytest_agentevals.reports.document.about import metadata
from pytest_agentevals.reports.document.items import written

if TYPE_CHECKING:
    from pytest_agentevals.reports.run import Run

#: The version of the public schema that the document follows.
SCHEMA_VERSION = "1.7.0"

_HALVES = re.compile("[\ud800-\udfff]")


def render(run: Run) -> str:
    """Write a run as JSON."""
    document = {
        "schemaVersion": SCHEMA_VERSION,
        "metadata": metadata(run),
        "items": [written(item) for item in run.items],
    }
    try:
        return _json(document)
    except PydanticSerializationError:
        # The message of a broken fixture, or the name of a file, may have half a character, which UTF-8 cannot write.
        return _json(json.loads(_HALVES.sub("\ufffd", json.dumps(document, ensure_ascii=False))))


def _json(document: Any) -> str:
    # Several times faster than the standard library, which indents in Python.
    return to_json(document, indent=2).decode() + "\n"
