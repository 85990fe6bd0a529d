"""Which evaluators this run is about: ``--evals-only`` and ``--evals-skip``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.documents.suggestions import nearest
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

if TYPE_CHECKING:
    from collections.abc import Collection


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


def check(config: pytest.Config) -> None:
    """Refuse names of evaluators that do not exist anywhere in the project; raises `pytest.UsageError`."""
    selection = Selection.of(config)
    refuse_unknown(config, "--evals-only", selection.only or ())
    refuse_unknown(config, "--evals-skip", selection.skip)


def refuse_unknown(config: pytest.Config, place: str, chosen: Collection[str]) -> None:
    """Raise `pytest.UsageError` for the name of an evaluator that does not exist; ``place`` is where it stands."""
    if not chosen:
        return
    known = Catalog(Place(config.rootpath, config.rootpath)).names
    for name in sorted(set(chosen) - set(known)):
        near = nearest(name, known)
        hint = f"; did you mean {near!r}?" if near else ""
        raise pytest.UsageError(f"{place}: there is no evaluator {name!r}{hint}")
