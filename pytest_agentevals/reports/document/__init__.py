"""The results document: a run as an eval document of the public schema 1.7, to be read, fed back and compared with.

What the schema leaves no room for stands in ``extensions["pytest-agentevals"]`` of the document, of items and of turns;
docs/results.md describes it. `pytest_agentevals.reports.restore` reads it back.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

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
    text = json.dumps(document, ensure_ascii=False, indent=1)
    # The message of a broken fixture may have half a character, which no UTF-8 file can hold.
    return _HALVES.sub("\ufffd", text) + "\n"
