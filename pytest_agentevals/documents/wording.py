"""Names and values as messages show them: on one line, short, and harmless to a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Characters of a name or string that are shown; of longer ones the middle is left out.
LONGEST = 60


def quoted(text: str) -> str:
    """Quote a string."""
    return f'"{plain(text)}"' if '"' not in text and "\\" not in text else json.dumps(shortened(text))


def plain(text: str) -> str:
    """Show a string without quotes, what cannot be printed as escapes."""
    text = shortened(text)
    return text if text.isprintable() else json.dumps(text)[1:-1]


def shortened(text: str) -> str:
    """Leave out the middle of a long text."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 16]}…{text[-15:]}"


def shown(value: Any) -> str:
    """Show a JSON value; of lists and objects only the size."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "an object" if value else "{}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "[]"
    return shortened(json.dumps(value))


def relative(path: Path) -> Path:
    """Show the path of a file from the current folder where it lies inside, as compilers do."""
    folder = Path.cwd()
    return path.relative_to(folder) if path.is_relative_to(folder) else path
