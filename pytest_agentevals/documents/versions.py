"""Versions of the eval-document format: which are read."""

from __future__ import annotations

#: The newest version whose keys are all known.
NEWEST = (1, 11, 0)


def version_problem(version: str) -> str | None:
    """Say why documents of a version (``major.minor.patch``) are not read; None where they are."""
    if int(version.partition(".")[0]) in {1, 2}:
        return None
    return f"version {version} is not supported; supported are 1.0.0 to {_shown(NEWEST)}, later 1.x, and 2.x"


def version_warning(version: str) -> str | None:
    """Say what to expect of a version of which not all keys are known; None for the known ones."""
    parts = tuple(int(part) for part in version.split("."))
    if parts[0] != NEWEST[0] or parts <= NEWEST:
        return None
    return f"schemaVersion {version} is newer than {_shown(NEWEST)}, the newest known: what it adds is not understood"


def outdated(version: str) -> bool:
    """Whether a version is an older one of those whose keys are all known."""
    parts = tuple(int(part) for part in version.split("."))
    return parts[0] == NEWEST[0] and parts < NEWEST


def newest() -> str:
    """Return the newest version whose keys are all known, as documents write it."""
    return _shown(NEWEST)


def _shown(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
