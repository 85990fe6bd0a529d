"""What the reports of eval items carry, and what they are called: a verdict of ``error`` is not a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.plugin.failures import MisconfiguredJudge, failure_of
from pytest_agentevals.plugin.items import EvalItem
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.sharing import cut_short

if TYPE_CHECKING:
    from collections.abc import Generator


class Outcomes:
    """Hooks for every process that runs eval items, workers of pytest-xdist included.

    All reports of an eval item have an attribute ``agentevals``, a dict of plain values: ``line`` of the item,
    ``failure`` (text, packed), ``error`` (whether the report stands for something that could not be evaluated),
    ``excused`` (whether gates answer for all that is wrong), ``stop`` (why the run cannot go on) and, at teardown,
    what `EvalItem.told` returns.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out items whose evaluators are all deselected."""
        left_out = [item for item in items if isinstance(item, EvalItem) and not item.selected]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            gone = set(map(id, left_out))
            items[:] = [item for item in items if id(item) not in gone]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """End the work on items that will not run any more."""
        Process.of(self._config).end(stopped=cut_short(session, exitstatus))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach what the reporter needs."""
        report = yield
        if not isinstance(item, EvalItem):
            return report
        carried: dict[str, object] = {"line": item.loaded.line}
        error = call.excinfo.value if call.excinfo else None
        if call.when == "setup":
            # Afresh for an item that is run again.
            item.reset()
        elif call.when == "call":
            failure = failure_of(item, error)
            carried["failure"] = failure.packed() if failure else None
            carried["error"] = failure.undecided if failure else item.broken_fixture
            if failure is not None and isinstance(error, pytest.xfail.Exception):
                carried["excused"] = True
            if isinstance(error, MisconfiguredJudge):
                carried["stop"] = str(error)
            if report.skipped and isinstance(report.longrepr, tuple) and not hasattr(report, "wasxfail"):
                report.longrepr = (str(item.path), item.loaded.line, report.longrepr[2])
        else:
            carried |= item.told()
            item.attempt += 1
        report.agentevals = carried  # type: ignore[attr-defined]  # reports take attributes, and xdist sends them
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Call what could not be evaluated an error."""
        carried = getattr(report, "agentevals", None)
        if not carried or not carried.get("error") or not report.failed:
            return None
        if isinstance(report, pytest.SubtestReport):
            return "error", "E", f"SUBERROR[{report.context.msg}]"
        return "error", "E", "ERROR"
