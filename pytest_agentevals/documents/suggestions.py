"""The nearest known name for a misspelt one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, within: int | None = None) -> str | None:
    """Return the known name that ``name`` most likely stands for, or None.

    That is one which differs only in case, else the one with the fewest edits: at most ``within``, by default one edit
    for three characters of the known name and never more than two. Names equal to ``name`` are no suggestion.
    """
    others = [other for other in known if other != name]
    folded = name.casefold()
    for other in others:
        if other.casefold() == folded:
            return other
    best: tuple[int, str] | None = None
    for other in others:
        allowed = min(2, len(other) // 3) if within is None else within
        if abs(len(other) - len(name)) <= allowed and (distance := edits(name, other)) <= allowed:
            best = min(best, (distance, other)) if best else (distance, other)
    return best[1] if best else None


def edits(first: str, second: str) -> int:
    """Count the insertions, deletions, replacements and swaps of neighbours that turn one text into the other.

    This is the optimal string alignment distance: no part of the text is edited twice.
    """
    before: list[int] = []
    previous = list(range(len(second) + 1))
    for row, left in enumerate(first, 1):
        current = [row]
        for column, right in enumerate(second, 1):
            cost = min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (left != right))
            if row > 1 and column > 1 and left == second[column - 2] and first[row - 2] == right:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, previous = previous, current
    return previous[-1]
