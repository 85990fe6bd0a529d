"""What a model reads to write a rubric, cut to a size."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def cut(parts: Sequence[tuple[str, str]], limit: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Cut titled texts to ``limit`` characters together; return them, and a sentence for each that lost something.

    Short texts stay whole: all get the same room, and what one does not need goes to the others.
    """
    room = _room([len(text) for _, text in parts], limit)
    kept = [(title, text[:room]) for title, text in parts]
    told = [
        f"{title}: the first {room:,} of {len(text):,} characters are used" for title, text in parts if len(text) > room
    ]
    return kept, told


def _room(lengths: Sequence[int], limit: int) -> int:
    """Return the length up to which every text fits when longer ones are cut to it."""
    left, waiting = limit, sorted(lengths)
    while waiting and waiting[0] * len(waiting) <= left:
        left -= waiting.pop(0)
    return left // len(waiting) if waiting else limit
