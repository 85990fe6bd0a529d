"""Markdown images in a message: azure-ai-evaluation sends them to the judge as images, so the same is done here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What the SDK sends as an image. Other links stay text: files of this machine are never read.
URL = re.compile(r"(?:https?|ftps?)\s*:|data\s*:\s*(?:[^;]+;)?\s*base64", re.IGNORECASE)


def content(text: str) -> str | list[dict[str, Any]]:
    """Return the ``content`` of a chat message: the text, or its parts where there are images in it."""
    parts = [part for part in (piece.strip() for piece in _pieces(text)) if part]
    if len(parts) < 2:
        return text.strip()
    return [_part(part) for part in parts]


def _part(text: str) -> dict[str, Any]:
    span = next(_images(text), None)
    link = text[text.index("](") + 2 : -1].strip() if span == (0, len(text)) else ""
    if not URL.match(link):
        return {"type": "text", "text": text}
    return {"type": "image_url", "image_url": {"url": link, "detail": "auto"}}


def _pieces(text: str) -> Iterator[str]:
    end = 0
    for start, stop in _images(text):
        yield text[end:start]
        yield text[start:stop]
        end = stop
    yield text[end:]


def _images(text: str) -> Iterator[tuple[int, int]]:
    r"""Find ``!\[[^\]]*\]\([^)\n]*\)`` in linear time; as a regular expression it takes minutes for half a megabyte."""
    close = newline = position = 0
    while (start := text.find("![", position)) >= 0 and (bracket := text.find("]", start)) >= 0:
        position = bracket + 1
        if not text.startswith("(", position):
            continue
        if close < bracket and (close := text.find(")", bracket)) < 0:
            return
        if newline < bracket and (newline := text.find("\n", bracket)) < 0:
            newline = len(text)
        if close < newline:
            position = close + 1
            yield start, position
