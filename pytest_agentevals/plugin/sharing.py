"""What the processes of pytest-xdist share: the answers of agents and judges, in a folder for the time of the run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals.engine.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Key under which a worker is told the folder.
FOLDER = "agentevals_folder"


class Sharing:
    """A plugin of the controlling process, which makes the folder, and removes it in the end."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        # For nobody else's eyes: it holds what agents and judges say.
        self._folder.mkdir(mode=0o700)
        self._store = Store(_file(self._folder))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Let others ask what a worker was asking when it died."""
        self._store.release_all(node.workerinput["workerid"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Tell the workers, before they end, whether anybody needs what they are waiting for."""
        if cut_short(session, exitstatus):
            _stopped(self._folder).touch()

    def pytest_unconfigure(self) -> None:
        """Remove the folder, after the workers have ended."""
        self._store.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def shared_store(workerinput: Mapping[str, Any]) -> Store | None:
    """Open the store of the run; None where this worker is on another host than the controlling process."""
    folder = Path(workerinput.get(FOLDER, ""))
    return Store(_file(folder), workerinput["workerid"]) if FOLDER in workerinput and folder.is_dir() else None


def stopped(workerinput: Mapping[str, Any]) -> bool:
    """Whether the run was stopped before all items had run."""
    return FOLDER in workerinput and _stopped(Path(workerinput[FOLDER])).exists()


def cut_short(session: pytest.Session, exitstatus: int) -> bool:
    """Whether a session ends before all items have run."""
    code = pytest.ExitCode
    return bool(session.shouldstop or session.shouldfail) or exitstatus not in {code.OK, code.TESTS_FAILED}


def _file(folder: Path) -> Path:
    return folder / "answers.sqlite"


def _stopped(folder: Path) -> Path:
    return folder / "stopped"
