"""The eval documents among files and folders, as pytest would collect them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentevals.documents.choice import claims, matches
from pytest_agentevals.documents.sniff import looped, sniff

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentevals.cli.project import Project

#: Folders that pytest does not enter, unless the setting ``norecursedirs`` says otherwise.
NOT_ENTERED = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")
#: What marks a virtual environment.
ENVIRONMENT = ("pyvenv.cfg", "conda-meta/history")


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON file, and whether it is taken for an eval document."""

    path: Path
    #: Whether it was named, and may have a legacy form.
    explicit: bool
    #: Why it is left alone, as a phrase that follows its name; empty for a document.
    reason: str = ""

    @property
    def document(self) -> bool:
        """Whether it is taken for an eval document."""
        return not self.reason


def find(paths: Sequence[Path], project: Project) -> Iterator[Found]:
    """Yield the JSON files among files and folders, each once."""
    globs = project.words("evals_files")
    named = {path.absolute() for path in paths if not path.is_dir()}
    files = (
        file for path in paths for file in (_walk(path.absolute(), project) if path.is_dir() else [path.absolute()])
    )
    for file in dict.fromkeys(files):
        configured = matches(file, project.root, globs)
        if file in named or configured or file.suffix.lower() == ".json":
            yield _judged(file, named=file in named, configured=configured)


def _judged(file: Path, *, named: bool, configured: bool) -> Found:
    explicit = named or configured
    finding = sniff(file)
    if not explicit and finding.kind == "document" and looped(file):
        return Found(file, explicit, "reached again through a symbolic link to a parent folder")
    taken = finding.kind == "document" or configured or (named and claims(finding))
    return Found(file, explicit, "" if taken else finding.reason)


def _walk(folder: Path, project: Project) -> Iterator[Path]:
    """Yield the files below a folder, but not of folders that pytest does not enter."""
    for entry in sorted(folder.iterdir()):
        if entry.is_file():
            yield entry
        elif entry.is_dir() and not _skipped(entry, project) and not looped(entry / "any"):
            yield from _walk(entry, project)


def _skipped(folder: Path, project: Project) -> bool:
    patterns = project.words("norecursedirs", NOT_ENTERED)
    return (
        folder.name == "__pycache__"
        or any((folder / mark).is_file() for mark in ENVIRONMENT)
        or any(_names(pattern, folder) for pattern in patterns)
    )


def _names(pattern: str, folder: Path) -> bool:
    """Compare as pytest does: with the name, or with the whole path where the pattern has a slash."""
    if os.sep not in pattern:
        return fnmatch(folder.name, pattern)
    return fnmatch(str(folder), pattern if Path(pattern).is_absolute() else f"*{os.sep}{pattern}")
