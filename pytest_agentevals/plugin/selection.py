"""Which evaluators this run is about: ``--evals-only`` and ``--evals-skip``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


@dataclass(frozen=True, slots=True)
class Selection:
    """Names of the evaluators to run (None: all) and of those to leave out."""

    only: frozenset[str] | None = None
    skip: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: pytest.Config) -> Selection:
        """Read the options of a run."""
        only, skip = config.getoption("evals_only"), config.getoption("evals_skip")
        return cls(None if only is None else names(only), names(skip or ""))

    def takes(self, name: str) -> bool:
        """Whether the evaluator is to run."""
        return (self.only is None or name in self.only) and name not in self.skip


def names(text: str) -> frozenset[str]:
    """Read a comma-separated list."""
    return frozenset(filter(None, map(str.strip, text.split(","))))
