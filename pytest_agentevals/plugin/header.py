"""Whom a run asks, on one line before it starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentevals.agents.spec import shown
from pytest_agentevals.engine.judging import Mode
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.plugin.configuration import judge_from_ini_and_environment, overridden
from pytest_agentevals.plugin.process import Process

if TYPE_CHECKING:
    from collections.abc import Collection

    import pytest


def header(config: pytest.Config, documents: Collection[Path]) -> str:
    """Name the judge with its mode, and the agent: ``evals: judge gpt-4o live, agent app.bot:ask``.

    Several judges are all named, with the rule by which they decide: ``judge median of strict (gpt-4o), …``.
    """
    judge, source = judge_of(config, documents)
    return f"evals: judge {judge}, agent {agent_of(config, documents)}" + (f" (judge {source})" if source else "")


def judge_of(config: pytest.Config, documents: Collection[Path]) -> tuple[str, str]:
    """Return the judge with its mode, and where it is and what configures it."""
    process = Process.of(config)
    mode, settings = process.judging.mode, process.settings
    if mode is Mode.NONE:
        return "none", ""
    if settings.judges:
        listed = ", ".join(f"{judge.name} ({judge.model})" for judge in settings.judges)
        return f"{settings.judges_rule} of {listed} {mode}", ""
    if mode is Mode.REPLAY:
        return f"replay ({_recorded(process, documents) or 'nothing recorded'})", ""
    return _asked(config, documents)


def _asked(config: pytest.Config, documents: Collection[Path]) -> tuple[str, str]:
    """Return the same where a judge may be asked, and there is one."""
    process = Process.of(config)
    mode, settings = process.judging.mode, process.settings
    named = settings.judge_model and settings.judge_url
    if not named and _overridden("model_config", config, documents):
        return f"{settings.judge_model or 'of the fixture model_config'} {mode}", ""
    try:
        found = None if named else judge_from_ini_and_environment(config)
        judge = overridden(found, settings.judge_model, settings.judge_url, config)
    except ConfigurationError:
        # It ends the run, and is told, only where a judgment is needed.
        return "configured incompletely", ""
    if judge is not None:
        return f"{judge.model} {mode}", f"at {judge.host}, from {judge.origin}"
    recorded = _recorded(process, documents)
    return "not configured" + (f" ({recorded} recorded)" if recorded and mode is not Mode.LIVE else ""), ""


def _recorded(process: Process, documents: Collection[Path]) -> str:
    """Name the judges of the recordings."""
    names: dict[str, None] = {}
    for document in documents:
        try:
            judge = process.judging.recording(document).judge
        except ConfigurationError:
            # The items of this document say so.
            continue
        if judge:
            names[judge] = None
    return ", ".join(names)


def agent_of(config: pytest.Config, documents: Collection[Path]) -> str:
    """Name the agent."""
    process = Process.of(config)
    if process.settings.agent is not None:
        return shown(process.settings.agent)
    if process.judging.mode is not Mode.REPLAY:
        if _overridden("agent_client", config, documents):
            return "of the fixture agent_client"
        if spec := config.getini("evals_agent"):
            return shown(spec)
    return "recorded"


def _overridden(fixture: str, config: pytest.Config, documents: Collection[Path]) -> bool:
    """Whether a conftest.py that is loaded defines a fixture for one of the documents.

    The controlling process of pytest-xdist loads those of the folders named on its command line, and above.
    """
    folders = {parent for document in documents for parent in document.parents}
    for plugin in config.pluginmanager.get_plugins():
        path = Path(getattr(plugin, "__file__", None) or "")
        if path.name == "conftest.py" and path.parent in folders and hasattr(plugin, fixture):
            return True
    return False
