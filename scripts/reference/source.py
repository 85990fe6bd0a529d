"""The source code of the package, as text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest_agentevals


def found(pattern: str) -> set[str]:
    """Return what a pattern's group, or the whole of it, matches anywhere in the code."""
    return set(re.findall(pattern, _text()))


@cache
def _text() -> str:
    return "\n".join(path.read_text("utf-8") for path in Path(pytest_agentevals.__file__).parent.rglob("*.py"))
