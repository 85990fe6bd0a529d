"""What was left out on the way, and why."""

from __future__ import annotations

from collections import Counter


class Notes:
    """Sentences about single places, and counts of what occurs often."""

    def __init__(self) -> None:
        #: One sentence each, with the place; in the order in which they came up.
        self.told: list[str] = []
        self._counts: Counter[str] = Counter()

    def tell(self, sentence: str) -> None:
        """Note one thing at one place."""
        self.told.append(sentence)

    def count(self, what: str, number: int = 1) -> None:
        """Count something that occurs often; ``what`` stands before the number, as in ``spans without messages: 3``."""
        self._counts[what] += number

    def add(self, other: Notes) -> None:
        """Take over what others noted."""
        self.told.extend(other.told)
        self._counts.update(other.counts)

    @property
    def counts(self) -> dict[str, int]:
        """The counts, without those of nothing."""
        return {what: number for what, number in self._counts.items() if number}

    @property
    def lines(self) -> list[str]:
        """Everything, a line each: first the places, then the counts."""
        return [*self.told, *(f"{what}: {number}" for what, number in self.counts.items())]
