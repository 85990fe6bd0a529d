"""Evaluators that lie in the user's project: folders of ``custom-evaluators`` and files of ``rubrics``."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.evaluators.place import Place

#: Names that evaluators may have.
NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")

CUSTOM = "custom-evaluators"
RUBRICS = "rubrics"


class ProjectEvaluators:
    """What the documents of one folder find, from that folder upward to the root of the project; the nearest wins.

    In one folder, a custom evaluator comes before a rubric of its name.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """Where is looked, nearest first."""
        root = self._place.root.absolute()
        found: list[Path] = []
        for folder in (folder.absolute() for folder in self._place.folders):
            inside = [parent for parent in (folder, *folder.parents) if parent.is_relative_to(root)]
            found += inside or [folder]
        return tuple(dict.fromkeys(found))

    @cached_property
    def found(self) -> dict[str, Path]:
        """Name of each evaluator, and its folder or rubric file."""
        result: dict[str, Path] = {}
        for folder in self.folders:
            for path in (*_entries(folder / CUSTOM), *_entries(folder / RUBRICS)):
                name = path.name if path.parent.name == CUSTOM else path.stem
                if NAME.fullmatch(name) and path.resolve().is_relative_to(self._place.root.resolve()):
                    result.setdefault(name, path)
        return result

    def kind(self, name: str) -> type[Evaluator]:
        """Make the class of an evaluator of the project; raises `KeyError` for a name that is not found."""
        path = self.found[name]
        if path.parent.name == RUBRICS:
            from pytest_agentevals.evaluators.rubric import named_after

            return named_after(path)
        from pytest_agentevals.evaluators.custom.evaluators import CodeEvaluator, PromptyEvaluator

        base = PromptyEvaluator if (path / f"{name}.prompty").is_file() else CodeEvaluator
        return type(name, (base,), {"__module__": __name__, "module": path / f"{name}.py", "result_key": name})

    def shown(self, path: Path) -> str:
        """Write a path of the project as its people know it: relative to the root."""
        root = self._place.root.absolute()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _entries(folder: Path) -> Iterator[Path]:
    """Yield the folders of ``custom-evaluators``, or the JSON files of ``rubrics``."""
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if path.is_dir() if folder.name == CUSTOM else path.suffix == ".json" and path.is_file():
                yield path
