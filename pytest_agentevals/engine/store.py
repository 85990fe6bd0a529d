"""Answers in a file: shared by the processes of a run, or kept from run to run."""

from __future__ import annotations

import json
import sqlite3
from threading import Lock
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

#: Seconds that a statement waits for other processes; each of theirs takes less than a millisecond.
PATIENCE = 30.0


class Store:
    """A table of answers by key, in an SQLite file that any number of processes of one host may use at once.

    An answer is a JSON value. A key without one may be claimed by an ``owner``, who alone then asks. Every change is a
    transaction of its own, so that a process which is killed leaves nothing half-written. All methods raise
    `ConfigurationError` where the file cannot be used.
    """

    def __init__(self, path: Path, owner: str = "") -> None:
        self.path = path
        self._owner = owner
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        # Without waiting for the disk: what a killed process wrote is in the file, and a crash of the machine may cost
        # the latest answers.
        try:
            for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"):
                self._execute(statement)
            self._execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, owner TEXT, answer TEXT)")
        except ConfigurationError:
            self.close()
            raise

    def __len__(self) -> int:
        [[count]] = self._execute("SELECT count(answer) FROM answers")
        return int(count)

    def look(self, keys: Collection[str]) -> dict[str, Any]:
        """Return the answers of keys by key: None for those that are claimed, nothing for those that are free."""
        places = ", ".join("?" * len(keys))
        rows = self._execute(f"SELECT key, answer FROM answers WHERE key IN ({places})", *keys)  # noqa: S608 - places
        return {key: None if answer is None else json.loads(answer) for key, answer in rows}

    def claim(self, key: str) -> bool:
        """Claim a key; whether nobody had before, and nobody has answered it."""
        insert = "INSERT INTO answers (key, owner) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING 1"
        return bool(self._execute(insert, key, self._owner))

    def put(self, key: str, answer: Any) -> None:
        """Write an answer, in the place of an earlier one."""
        self._execute("INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)", key, json.dumps(answer))

    def release(self, key: str) -> None:
        """Give up a claim."""
        self._execute("DELETE FROM answers WHERE key = ? AND owner = ? AND answer IS NULL", key, self._owner)

    def release_all(self, owner: str) -> None:
        """Give up all claims of an owner, such as a process that has died."""
        self._execute("DELETE FROM answers WHERE owner = ? AND answer IS NULL", owner)

    def clear(self) -> None:
        """Forget everything."""
        self._execute("DELETE FROM answers")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _execute(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> ConfigurationError:
        return ConfigurationError(
            f"{self.path} cannot be used to keep answers ({error}): delete it, or name another file"
        )
