"""Where an eval document lies: files that its options name are looked up there, and never outside the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.documents.results import sources

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a document and the root of its project."""

    folder: Path
    root: Path
    #: For a results document: the folders of the documents whose results it has, and whose evaluators it names.
    origins: tuple[Path, ...] = ()

    @classmethod
    def of(cls, document: Path, root: Path) -> Place:
        """Return the place of a document, which may be a results document."""
        origins = dict.fromkeys((root / source).parent for source in sources(document))
        inside = (folder for folder in origins if folder.resolve().is_relative_to(root.resolve()))
        return cls(document.parent, root, tuple(inside))

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the document's evaluators and files are looked for, first those of the documents it stems from."""
        return (*self.origins, self.folder)

    def find(self, name: str) -> Path:
        """Return the file that an option names, relative to the document; for results, to those they are of.

        Raises `ValueError` for a file that does not exist or lies outside the project, symbolic links resolved.
        """
        paths = [(folder / name).resolve() for folder in self.folders]
        path = next((path for path in paths if path.is_file()), paths[-1])
        if not path.is_relative_to(self.root.resolve()):
            raise ValueError(f"{name!r} lies outside the project ({self.root})")
        if not path.is_file():
            raise ValueError(f"there is no file {name!r} beside the document ({self.folder})")
        return path
