"""The earlier run that this one is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.comparison.compare import compare
from pytest_agentevals.reports.restore import restore
from pytest_agentevals.reports.run import Run

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentevals.reports.comparison import Comparison

BASELINE = pytest.StashKey[Run]()


def keep(config: pytest.Config, path: Path) -> None:
    """Read the baseline before anything runs; raises `pytest.UsageError` where that cannot be done."""
    try:
        config.stash[BASELINE] = restore(path)
    except ConfigurationError as error:
        raise pytest.UsageError(f"--evals-baseline: {error}") from None


def compared(config: pytest.Config, run: Run) -> Comparison:
    """Compare a run with the baseline that was kept."""
    return compare(run, config.stash[BASELINE], config.getoption("evals_baseline"))
