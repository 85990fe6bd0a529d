"""What a run comes to when it ends: gates, the comparison with its baseline, reports, and its exit code."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.plugin import step_summary
from pytest_agentevals.plugin.gathering import gather
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.sharing import cut_short
from pytest_agentevals.reports import gates
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.formats import write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentevals.plugin.settings import Settings
    from pytest_agentevals.reports.cases import ItemRun
    from pytest_agentevals.reports.comparison import Comparison
    from pytest_agentevals.reports.gates import GateResult
    from pytest_agentevals.reports.run import Run


@dataclass(slots=True)
class Conclusion:
    """Plain values for whoever prints them."""

    gates: tuple[GateResult, ...] = ()
    comparison: Comparison | None = None
    #: Why the run fails whatever its single verdicts are, for its last line.
    failures: list[str] = field(default_factory=list)
    #: Lines on what was written, and on what could not be.
    lines: list[str] = field(default_factory=list)


def conclude(session: pytest.Session, runs: Sequence[ItemRun], *, started: float) -> Conclusion:
    """Conclude a session. Whatever is demanded and not fulfilled fails it."""
    config, settings = session.config, Process.of(session.config).settings
    interrupted = cut_short(session, int(session.exitstatus))
    run = gather(config, runs, started=started, seconds=time.time() - started, interrupted=interrupted)
    run = replace(run, gates=gates.results(run, settings.gates))
    if settings.baseline is not None:
        from pytest_agentevals.plugin.baseline import compared

        run = replace(run, comparison=compared(config, run))
    conclusion = Conclusion(run.gates, run.comparison, list(_failures(run, settings)))
    if runs:
        _report(run, settings, conclusion)
    if conclusion.failures and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    return conclusion


def _failures(run: Run, settings: Settings) -> Iterator[str]:
    enforced = [gate for gate in run.gates if gate.enforced]
    unmet = [gate for gate in enforced if not gate.met]
    if unmet:
        yield f"{len(unmet)} of {plural(len(enforced), 'gate')} not met"
    if run.comparison is not None and settings.fail_on_regression:
        yield from filter(None, [run.comparison.regression(settings.fail_on_regression)])


def _report(run: Run, settings: Settings, conclusion: Conclusion) -> None:
    for path in settings.reports:
        try:
            write(run, path)
        except ConfigurationError as error:
            conclusion.failures.append("a report could not be written")
            conclusion.lines.append(f"evals: {error}")
        else:
            conclusion.lines.append(f"evals: report in {os.path.relpath(path)}")
    if settings.step_summary is not None:
        conclusion.lines.append(step_summary.append(run, settings.step_summary))
