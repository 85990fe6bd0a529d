"""Text in columns of a terminal, where a character is none, one or two wide."""

from __future__ import annotations

import unicodedata

#: In place of what was left out.
GAP = "…"


def width(text: str) -> int:
    """Return how many columns a line takes: two for East Asian wide characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fitted(text: str, room: int) -> str:
    """Shorten a line in its middle to at most ``room`` columns (at least 1); beginning and end tell names apart."""
    if width(text) <= room:
        return text
    left = (room - width(GAP)) // 2
    start = _start(text, left)
    end = _start(text[::-1], room - width(GAP) - width(start))[::-1]
    return start + GAP + end


def cut(text: str, room: int) -> str:
    """Shorten a line at its end to at most ``room`` columns (at least 1)."""
    return text if width(text) <= room else _start(text, room - width(GAP)).rstrip() + GAP


def left(text: str, room: int) -> str:
    """Fill a line up to ``room`` columns, its text at the left."""
    return text + " " * (room - width(text))


def right(text: str, room: int) -> str:
    """Fill a line up to ``room`` columns, its text at the right."""
    return " " * (room - width(text)) + text


def _start(text: str, room: int) -> str:
    taken = 0
    for position, character in enumerate(text):
        taken += _width(character)
        if taken > room:
            return text[:position]
    return text
