"""One line below pytest's own that says, while a run waits, how far agents and judges are."""

from __future__ import annotations

import os
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.plugin.items import EvalItem
from pytest_agentevals.reports.failure import plural

if TYPE_CHECKING:
    from pytest_agentevals.engine.answers import Answers

#: Seconds that a run may wait before it says so.
PATIENCE = 1.0


class Progress:
    """A plugin for terminals. The line is there while pytest waits, and gone before pytest writes."""

    def __init__(self, config: pytest.Config, answers: Answers) -> None:
        self._writer = config.get_terminal_writer()
        self._capture = config.pluginmanager.get_plugin("capturemanager")
        self._answers = answers
        self._items = self._done = 0
        self._began: float | None = None
        self._shown = False

    @staticmethod
    def wanted(config: pytest.Config) -> bool:
        """Whether somebody looks: at a terminal, not in CI, and not quiet."""
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        automatic = hasattr(config, "workerinput") or os.environ.get("CI") or os.environ.get("BUILD_NUMBER")
        return terminal is not None and terminal.isatty and not automatic and config.get_verbosity() >= 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count what is to be done."""
        self._items = sum(isinstance(item, EvalItem) for item in session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Make room for what pytest writes of a report."""
        self.clear()
        self._done += report.when == "teardown" and hasattr(report, "agentevals")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Leave nothing behind."""
        self.clear()

    def show(self) -> None:
        """Write the line; to be called again and again while pytest waits."""
        now = monotonic()
        if self._began is None:
            self._began = now
        if now - self._began >= PATIENCE:
            self._write(self._text(now - self._began)[: self._writer.fullwidth - 1])
            self._shown = True

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._write("")
            self._shown = False

    def _text(self, seconds: float) -> str:
        counts = self._answers.counts
        parts = [f"{counts.asked} asked", f"{counts.judged} judged", f"{self._answers.in_flight} in flight"]
        if counts.errors:
            parts.append(plural(counts.errors, "error"))
        if counts.tokens:
            parts.append(f"{counts.tokens:,} tokens")
        if self._done:
            parts.append(f"about {seconds / self._done * (self._items - self._done):.0f} s left")
        return f"evals: {', '.join(parts)}"

    def _write(self, text: str) -> None:
        """Write into the line below, and return to where pytest's own line stands."""
        column = self._writer.width_of_current_line
        back = f"\x1b[A\r\x1b[{column}C" if column else "\x1b[A\r"
        with self._capture.global_and_fixture_disabled() if self._capture else nullcontext():
            self._writer.write_raw(f"\n\x1b[2K{text}{back}", flush=True)
