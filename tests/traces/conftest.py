from __future__ import annotations

import json

import pytest

from pytest_agentevals.traces.document import document
from pytest_agentevals.traces.importing import read_conversations
from pytest_agentevals.traces.notes import Notes


@pytest.fixture
def imported(tmp_path):
    """Import JSON values, a line each; returns the items of the eval document and what was noted."""

    def run(*values, **options):
        path = tmp_path / "traffic.jsonl"
        path.write_text("\n".join(value if isinstance(value, str) else json.dumps(value) for value in values))
        notes = Notes()
        found = read_conversations([path], notes, **options)
        return document(found, name="traffic", created_at="2026-11-30")["items"], notes.lines

    return run
