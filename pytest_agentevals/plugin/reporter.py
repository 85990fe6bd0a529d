"""Gathering the results of eval items in the process that reports, and what it prints and writes of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals.plugin.collection import NEIGHBOURS, LeftAlone, Neighbours
from pytest_agentevals.plugin.failures import Failure
from pytest_agentevals.plugin.items import EvalItem
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.recordings import finish
from pytest_agentevals.plugin.summary import Summary
from pytest_agentevals.reports.cases import ItemRun, Kind, Trouble
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.flaky import flaky_lines
from pytest_agentevals.reports.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from pytest_agentevals.plugin.conclusion import Conclusion

#: Key of what a worker of pytest-xdist sends at its end.
LEFT_ALONE = "agentevals_left_alone"
PHASES = {"setup", "call", "teardown"}


class Reporter:
    """One for each process; those of pytest-xdist's workers only hand over what they met while collecting."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._started = time.time()
        self._worker = hasattr(config, "workerinput")
        #: Whether every worker of pytest-xdist runs all items.
        self._each = config.getoption("dist", "no") == "each"
        self._runs: dict[tuple[str, str], ItemRun] = {}
        self._collected_shown = False
        self._summary = Summary()
        # The working directory may change before the session ends; pytest resolves its own path now, too.
        xml = config.getoption("xmlpath", None)
        self._xml = Path(xml).expanduser().absolute() if xml and not self._worker else None

    @property
    def runs(self) -> list[ItemRun]:
        """All items that ran, in the order in which they started."""
        return list(self._runs.values())

    # Collection

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str] | None:
        """Say which documents were collected, and how many files beside them were left alone."""
        if self._worker or self._config.get_verbosity() < 0:
            return None
        return [*self._collected(item.nodeid for item in items if isinstance(item, EvalItem)), *self._left_alone()]

    def workers_collected(self, nodeids: Iterable[str]) -> None:
        """Say the same under pytest-xdist, where only node ids arrive, and from every worker."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if self._collected_shown or terminal is None or self._config.get_verbosity() < 0:
            return
        self._collected_shown = True
        for line in self._collected(nodeid for nodeid in nodeids if ".json::" in nodeid):
            terminal.ensure_newline()
            terminal.write_line(line)

    def _collected(self, nodeids: Iterable[str]) -> list[str]:
        files = [nodeid.partition("::")[0] for nodeid in nodeids]
        if not files:
            return []
        from pytest_agentevals.plugin.header import header  # quiet runs do without, and without what it imports

        documents = dict.fromkeys(files)
        return [
            f"evals: {plural(len(documents), 'document')}, {plural(len(files), 'item')}",
            header(self._config, [self._config.rootpath / document for document in documents]),
        ]

    def _left_alone(self) -> list[str]:
        files = self._config.stash.get(NEIGHBOURS, Neighbours()).left_alone
        if not files:
            return []
        near = [file for file in files if file.near]
        lines = [
            f"evals: {plural(len(files), 'other JSON file')} left alone" + ("" if self._verbose else " (-v names them)")
        ]
        lines += [f"  {file.path}: {file.reason}" for file in (files if self._verbose else near)]
        return lines

    @property
    def _verbose(self) -> bool:
        return self._config.get_verbosity() > 0

    # Reports

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what the reports of an eval item say, and give failures their text."""
        if self._worker:
            return
        carried: dict[str, Any] | None = getattr(report, "agentevals", None)
        key = report.nodeid, self._worker_of(report)
        if carried is None:
            if report.failed and report.when not in PHASES and ".json::" in report.nodeid:
                # A worker that dies leaves a report of the item it was running, made by pytest-xdist.
                run = self._runs.setdefault(key, ItemRun(report.nodeid, line=1, worker=key[1]))
                self._trouble(run, report, Kind.ERROR, "workerCrashed")
            return
        if carried.get("failure"):
            report.longrepr = Failure.unpacked(carried["failure"])  # type: ignore[assignment]  # duck-typed, see there
        if isinstance(report, pytest.SubtestReport):
            return
        if report.when == "setup" or key not in self._runs:
            self._runs[key] = ItemRun(report.nodeid, carried["line"], worker=key[1])
        run = self._runs[key]
        run.seconds += report.duration
        run.result = carried.get("result", run.result)
        run.of, run.used = carried.get("of", run.of), carried.get("used", run.used)
        run.tolerated = carried.get("tolerated", run.tolerated)
        if explanation := carried.get("explanation"):
            self._summary.remarks = self._summary.remarks or [f"evals: {explanation}"]
        self._phase(run, report, carried)
        if carried.get("stop"):
            pytest.exit(carried["stop"], returncode=pytest.ExitCode.USAGE_ERROR)

    def _phase(self, run: ItemRun, report: pytest.TestReport, carried: dict[str, Any]) -> None:
        if hasattr(report, "wasxfail") and report.skipped:
            run.xfail = None if carried.get("excused") else report.wasxfail
        elif report.skipped and isinstance(report.longrepr, tuple):
            run.troubles.append(Trouble(Kind.SKIPPED, "pytest.skip", report.longrepr[2].removeprefix("Skipped: ")))
        elif report.failed and not carried.get("failure"):
            kind = Kind.FAILURE if report.when == "call" and not carried["error"] else Kind.ERROR
            self._trouble(run, report, kind, f"{report.when}Error")

    def _trouble(self, run: ItemRun, report: pytest.TestReport, kind: Kind, type_: str) -> None:
        crash = getattr(report.longrepr, "reprcrash", None)
        text = report.longreprtext
        message = crash.message if crash is not None else text
        run.troubles.append(Trouble(kind, type_, message, text))

    def _worker_of(self, report: pytest.TestReport) -> str:
        return str(getattr(report, "worker_id", "")) if self._each else ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker met while collecting; all workers met the same."""
        sent = getattr(node, "workeroutput", {}).get(LEFT_ALONE)
        if sent and NEIGHBOURS not in self._config.stash:
            self._config.stash[NEIGHBOURS] = Neighbours([LeftAlone(*file) for file in sent])

    # End

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Give the run its exit code, write JUnit XML, and count verdicts on the last line."""
        if self._worker:
            files = self._config.stash.get(NEIGHBOURS, Neighbours()).left_alone
            self._config.workeroutput[LEFT_ALONE] = [  # type: ignore[attr-defined]  # set by pytest-xdist
                (file.path, file.reason, file.near) for file in files
            ]
            return (yield)
        self._summary.tally = tally = Tally.of(self._runs.values())
        told = bool(self._runs) or self._demanding
        if self._runs:
            self._summary.remarks += finish(self._config, self._runs.values())
            if Process.of(self._config).settings.repeats > 1:
                self._summary.remarks += flaky_lines(self._runs.values())
        conclusion = self._conclude(session) if told else None
        empty = bool(self._runs) and not tally.decided and self._config.getoption("evals_judge") != "none"
        if empty and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
        outcome = yield
        if self._xml is not None and told and self._xml.is_file():
            from pytest_agentevals.plugin.junit import write  # XML is imported only where it was asked for

            write(self._xml, self._runs.values(), conclusion.gates if conclusion else (), self._config)
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None and told and self._config.get_verbosity() >= -1:
            terminal.write_line("; ".join([tally.verdict_line(), *(conclusion.failures if conclusion else ())]))
        return outcome

    @property
    def _demanding(self) -> bool:
        """Whether a run without eval items is to be told of, too."""
        return Process.of(self._config).settings.demanding and not self._config.getoption("collectonly")

    def _conclude(self, session: pytest.Session) -> Conclusion | None:
        """Compute gates, compare with the baseline, and write reports, as far as any of them is wanted."""
        settings = Process.of(self._config).settings
        if not (settings.reports or settings.gates or settings.baseline or settings.step_summary):
            return None
        from pytest_agentevals.plugin.conclusion import conclude  # what it imports is needed where it was asked for

        conclusion = conclude(session, self.runs, started=self._started)
        self._summary.gates, self._summary.comparison = conclusion.gates, conclusion.comparison
        self._summary.remarks += conclusion.lines
        return conclusion

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what is to be said of the run as a whole."""
        if self._runs or self._demanding:
            self._summary.write(terminalreporter, self._config)
        if self._config.getoption("numprocesses", None) and self._config.get_verbosity() >= 0:
            # Workers tell at their end which files they left alone.
            for line in self._left_alone():
                terminalreporter.write_line(line)
