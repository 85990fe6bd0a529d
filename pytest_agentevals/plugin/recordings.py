"""What becomes of recordings when a run ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_agentevals.engine.judging import Mode
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.judge.recording import Recording
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.selection import Selection
from pytest_agentevals.reports.failure import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from pytest_agentevals.reports.cases import ItemRun


def finish(config: pytest.Config, runs: Iterable[ItemRun]) -> Iterator[str]:
    """Write what was recorded, and tell of entries that nothing used, or remove them; yields lines to print.

    Entries are called stale only where every item of the document ran with all its evaluators.
    """
    process = Process.of(config)
    mode = process.judging.mode
    if mode in {Mode.LIVE, Mode.NONE}:
        return
    documents: dict[str, list[ItemRun]] = {}
    for run in runs:
        documents.setdefault(run.nodeid.partition("::")[0], []).append(run)
    for file, of_document in documents.items():
        path = process.judging.recording_path(config.rootpath / file)
        try:
            recording = Recording.load(path)
        except ConfigurationError:
            # The items have said so already.
            continue
        changed = mode is Mode.RECORD and bool(recording.journals())
        whole = all(run.of == len(of_document) for run in of_document) and Selection.of(config) == Selection()
        used = {key for run in of_document for key in run.used}
        stale = recording.stale(used) if whole else 0
        prune = process.settings.prune and stale > 0
        if changed or prune:
            recording.save(keep=used if prune else None)
        shown = os.path.relpath(path)
        if changed:
            yield f"evals: recorded in {shown}"
        if prune:
            yield f"evals: {plural(stale, 'stale entry', 'stale entries')} removed from {shown}"
        elif stale:
            count = plural(stale, "stale entry", "stale entries")
            yield f"evals: {count} in {shown} (--evals-record-prune removes them)"
