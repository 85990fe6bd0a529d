"""What a run comes to when it ends: its reports."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.plugin.gathering import gather
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.sharing import cut_short
from pytest_agentevals.reports.formats import write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentevals.reports.cases import ItemRun


def conclude(session: pytest.Session, runs: Sequence[ItemRun], *, started: float) -> Iterator[str]:
    """Write the reports of a session; yields lines to print. A report that cannot be written fails the session."""
    config = session.config
    interrupted = cut_short(session, int(session.exitstatus))
    run = gather(config, runs, started=started, seconds=time.time() - started, interrupted=interrupted)
    for path in Process.of(config).settings.reports:
        try:
            write(run, path)
        except ConfigurationError as error:
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            yield f"evals: {error}"
        else:
            yield f"evals: report in {os.path.relpath(path)}"
