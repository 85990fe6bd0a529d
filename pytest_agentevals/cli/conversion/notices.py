"""What users are told of a conversion: nothing changes its place without a word, and no word is said twice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Notices:
    """Counts what happened, by the sentence that tells it."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def tell(self, sentence: str) -> None:
        """Note something; the same sentence again is counted."""
        self._counts[sentence] += 1

    def __iter__(self) -> Iterator[str]:
        """Yield each sentence once, with how often it was told."""
        for sentence, count in self._counts.items():
            yield sentence if count == 1 else f"{sentence} ({count} times)"
