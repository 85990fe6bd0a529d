"""The policy texts, and the search for the passages that answer a question."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .words import content_words, root

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Score from which a passage counts as a hit.
RELEVANT = 0.5


@dataclass(frozen=True)
class Passage:
    """A paragraph of a policy."""

    policy: str
    title: str
    text: str

    @property
    def url(self) -> str:
        return f"https://larkspur.example/policies/{self.policy}"


@dataclass(frozen=True)
class Hit:
    """A passage, and the share of the question that it covers, 0-1."""

    passage: Passage
    score: float


class Policies:
    """Passages, found by the words that they share with a question. Rare words weigh more (inverse frequency)."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._roots = {passage: roots(f"{passage.title} {passage.text}") for passage in passages}
        self._frequency = Counter(word for found in self._roots.values() for word in found)

    @classmethod
    def read(cls, folder: Path) -> Policies:
        """Read a folder of texts: a title, then paragraphs, with blank lines between them."""
        passages = []
        for path in sorted(folder.glob("*.txt")):
            title, *paragraphs = path.read_text("utf-8").strip().split("\n\n")
            passages += [Passage(path.stem, title, paragraph) for paragraph in paragraphs]
        return cls(passages)

    def search(self, question: str, context: str = "", limit: int = 3) -> list[Hit]:
        """Return the passages that fit best, best first. Words of the question count twice, those of its context once.

        Of passages that fit equally well, those whose title has words of the question come first.
        """
        asked = roots(question)
        weights = {word: self._weight(word) * (2 if word in asked else 1) for word in asked | roots(context)}
        total = math.fsum(weights.values())
        hits = [
            Hit(passage, score)
            for passage, found in self._roots.items()
            if total and (score := math.fsum(weights[word] for word in weights if word in found) / total) >= RELEVANT
        ]
        return sorted(hits, key=lambda hit: (-hit.score, -len(asked & roots(hit.passage.title))))[:limit]

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._roots) / (1 + self._frequency[word]))


def roots(text: str) -> set[str]:
    return {root(word) for word in content_words(text)}
