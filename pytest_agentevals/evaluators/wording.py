"""Texts of documents and agents inside sentences for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def quoted(text: str, limit: int = 80) -> str:
    """Put a text in double quotes, control characters escaped, shortened to ``limit`` characters."""
    return json.dumps(text if len(text) <= limit else text[: limit - 1] + "…", ensure_ascii=False)


def listed(texts: Iterable[str], limit: int = 10) -> str:
    """Quote and join texts; those after the first ``limit`` are only counted."""
    every = list(texts)
    shown = ", ".join(quoted(text) for text in every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things: ``1 hit``, ``2 hits``, ``0 queries``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
