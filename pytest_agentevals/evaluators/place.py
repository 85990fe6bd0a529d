"""Where an eval document lies: files that its options name are looked up there, and never outside the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a document and the root of its project."""

    folder: Path
    root: Path

    def find(self, name: str) -> Path:
        """Return the file that an option names, relative to the document.

        Raises `ValueError` for a file that does not exist or lies outside the project, symbolic links resolved.
        """
        path = (self.folder / name).resolve()
        if not path.is_relative_to(self.root.resolve()):
            raise ValueError(f"{name!r} lies outside the project ({self.root})")
        if not path.is_file():
            raise ValueError(f"there is no file {name!r} beside the document ({self.folder})")
        return path
