"""Text that has to stay below a limit, and loses whole entries rather than their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: What the line takes that says how many entries are left out.
RESERVE = 200


class Page:
    """Pieces of text, each of which is added whole or not at all."""

    def __init__(self, limit: int, measure: Callable[[str], int]) -> None:
        self._pieces: list[str] = []
        self._measure = measure
        self.room = limit

    def __str__(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> bool:
        """Add a piece where there is room for it; return whether there was."""
        size = self._measure(piece)
        if size > self.room:
            return False
        self._pieces.append(piece)
        self.room -= size
        return True

    def add_entries(self, head: str, entries: Iterable[str], count: int, *, keep: int = 0) -> None:
        """Add a heading and its entries, of which there are ``count``; leave room for what is to ``keep``.

        Where not all of them fit, the first ones stand there, and a line says how many are left out.
        """
        if not count or not self._fits(head, keep + RESERVE):
            return
        self.add(head)
        for position, entry in enumerate(entries):
            if not self._fits(entry, keep + (RESERVE if position < count - 1 else 0)):
                self.add(
                    f"\n{count - position} more are left out, for lack of room; reports as `.html` and `.json` "
                    "(`--evals-report`) have them all.\n\n"
                )
                return
            self.add(entry)

    def _fits(self, piece: str, keep: int) -> bool:
        return self._measure(piece) <= self.room - keep
