"""The formats of reports, by the extension of their file."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from pytest_agentevals.reports.run import Run

#: Extension -> module of this package with a function ``render(run: Run) -> str``; imported only when used.
FORMATS = {
    ".json": "document",
    ".html": "html",
    ".md": "markdown",
    ".csv": "table",
}


def check(path: Path) -> None:
    """Raise `ConfigurationError` for a file whose extension names no format."""
    if path.suffix.lower() not in FORMATS:
        allowed = ", ".join(FORMATS)
        raise ConfigurationError(f"{path.name!r} has the extension of no report; allowed are {allowed}")


def write(run: Run, path: Path) -> None:
    """Write a report in the format of its extension, atomically; missing folders are made.

    Raises `ConfigurationError` for an unknown extension and for a file that cannot be written.
    """
    check(path)
    module = import_module(f"pytest_agentevals.reports.{FORMATS[path.suffix.lower()]}")
    text: str = module.render(run)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {error.strerror or error}") from None


def replace(path: Path, text: str) -> None:
    """Write a file in one step, so that nobody ever finds half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # As open() would have made it: mkstemp's files are for their owner only.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
