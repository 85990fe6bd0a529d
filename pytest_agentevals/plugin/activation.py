"""Switching the plugin's reporting on, once, when the first eval item is met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.plugin.outcomes import Outcomes
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.progress import Progress
from pytest_agentevals.plugin.reporter import Reporter
from pytest_agentevals.plugin.sharing import Sharing

if TYPE_CHECKING:
    import pytest

NAME = "agentevals-reporter"
SHARING = "agentevals-sharing"


def activate(config: pytest.Config) -> Reporter:
    """Register what reports eval items, unless it is registered already; return the reporter.

    Reports are made where items run and gathered where they are shown: a worker of pytest-xdist gets no reporter's
    output, its reports travel to the controlling process.
    """
    reporter = config.pluginmanager.get_plugin(NAME)
    if reporter is None:
        reporter = Reporter(config)
        config.pluginmanager.register(Outcomes(config), "agentevals-outcomes")
        process = Process.of(config)
        config.pluginmanager.register(process.scopes, "agentevals-scopes")
        if Progress.wanted(config):
            progress = Progress(config, process.judging.answers)
            config.pluginmanager.register(progress, "agentevals-progress")
            process.ahead.meanwhile = progress.show
        config.pluginmanager.register(reporter, NAME)
    assert isinstance(reporter, Reporter)  # noqa: S101 - nobody else uses our name
    return reporter


def share(config: pytest.Config, folder: str) -> None:
    """Make the folder that the workers of pytest-xdist share, once."""
    if not config.pluginmanager.has_plugin(SHARING):
        config.pluginmanager.register(Sharing(folder), SHARING)
