"""``--evals-agent-cache``: where the responses of agents are kept from run to run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.engine.store import Store
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.failure import plural

if TYPE_CHECKING:
    from pytest_agentevals.plugin.settings import Settings

OPTION = "--evals-agent-cache"
#: How every SQLite file begins.
SQLITE = b"SQLite format 3\x00"


def kept_store(config: pytest.Config, settings: Settings) -> Store | None:
    """Open the file of kept responses; None where none are kept. Raises `pytest.UsageError`."""
    return None if settings.agent_cache == "off" else _open(config, settings.agent_cache)


def prepare(config: pytest.Config, settings: Settings) -> str:
    """Check the file before the run, forget what is in it where that is wanted, and say for the header what there is.

    Raises `pytest.UsageError`.
    """
    store = _open(config, settings.agent_cache)
    if config.getoption("evals_agent_cache_clear"):
        store.clear()
    shown = os.path.relpath(store.path)
    said = f"evals: agent responses are kept in {shown} ({plural(len(store), 'conversation')} so far)"
    store.close()
    return said


def _open(config: pytest.Config, wanted: str) -> Store:
    path = _default(config) if wanted == "on" else config.rootpath / wanted
    if path.is_dir() or "::" in wanted or (path.is_file() and path.stat().st_size and not _is_sqlite(path)):
        raise pytest.UsageError(
            f"{OPTION}: {wanted!r} is no file of kept responses; name a new file with {OPTION}=FILE, "
            f"or write {OPTION}=on for the one in pytest's cache"
        )
    try:
        return Store(path)
    except ConfigurationError as error:
        raise pytest.UsageError(f"{OPTION}: {error}") from None


def _default(config: pytest.Config) -> Path:
    if not hasattr(config, "cache"):
        raise pytest.UsageError(f"{OPTION} needs pytest's cache, which is switched off, or a file: {OPTION}=FILE")
    return Path(config.cache.mkdir("agentevals")) / "responses.sqlite"


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE
