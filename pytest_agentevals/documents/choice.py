"""Which JSON files are taken for eval documents, given what they seem to be and how they were named."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentevals.documents.sniff import Finding


def claims(finding: Finding) -> bool:
    """Whether a file that is named explicitly is for us: whatever has something of an eval document, even broken."""
    return finding.kind in {"legacy", "results"} or finding.near


def matches(path: Path, root: Path, globs: Sequence[str]) -> bool:
    """Whether a glob names the file: by its name, or by its path from the root where the glob has a slash."""
    relative = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    return any(fnmatch(relative if "/" in glob else path.name, glob) for glob in globs)
