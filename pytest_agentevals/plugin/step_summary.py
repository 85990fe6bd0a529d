"""The summary of a run on the page of its GitHub Actions job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_agentevals.reports.run import Run

#: Bytes that GitHub shows of a step's summary; of a longer one it shows nothing.
LIMIT = 1024 * 1024


def wanted(config: pytest.Config) -> Path | None:
    """Return the file of the step's summary; None where nobody reads one, or where it is switched off."""
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true"
    return Path(name) if name and in_actions and config.getini("evals_step_summary") == "on" else None


def append(run: Run, path: Path) -> str:
    """Add a run to what the step has written already; return a line to print."""
    from pytest_agentevals.reports.markdown import render  # only where somebody reads it

    try:
        with path.open("ab") as file:
            text = render(run, limit=LIMIT - file.tell() - 1, measure=lambda text: len(text.encode()))
            file.write(b"\n" + text.encode() if text and file.tell() else text.encode())
    except OSError as error:
        return f"evals: the summary of the step cannot be written: {path}: {error.strerror or error}"
    return "evals: summary of the step written" if text else "evals: the summary of the step is full"
