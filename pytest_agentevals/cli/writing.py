"""Writing files so that nobody ever finds half of one."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Write a new version of a file beside it, which then takes its place.

    A symbolic link stays one: what it leads to is replaced. Permissions stay.
    """
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
