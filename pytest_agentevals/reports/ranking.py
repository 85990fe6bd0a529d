"""The few lowest of many, kept while they pass by."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

Entry = TypeVar("Entry")


class Ranking(Generic[Entry]):
    """Entries by a number, lowest first; of equal ones the earlier come first. Holds ``size`` of them and counts all.

    For the highest, rank by negative numbers.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.count = 0
        # A heap whose top is the entry to give up next; no two have the same count, so entries are never compared.
        self._heap: list[tuple[float, int, Entry]] = []

    def add(self, number: float, entry: Entry) -> None:
        """Rank one entry."""
        self.count += 1
        ranked = (-number, -self.count, entry)
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, ranked)
        elif ranked > self._heap[0]:
            heapq.heapreplace(self._heap, ranked)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, _, entry in sorted(self._heap, key=lambda ranked: ranked[:2], reverse=True))
