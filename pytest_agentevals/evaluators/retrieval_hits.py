"""Retrieval hits by rank, and what was found in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.evaluators.words import contains

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentevals.responses import RetrievalExecution, RetrievalHit


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit and its rank."""

    rank: int
    hit: RetrievalHit

    def extracts(self) -> Iterator[tuple[str, str]]:
        """Yield title and text of each extract that has one."""
        for number, extract in enumerate(self.hit.extracts, 1):
            if extract.text and extract.text.strip():
                yield f"extract {number} of the hit of rank {self.rank}", extract.text

    def has(self, text: str) -> bool:
        """Tell whether an extract has a text, in any case."""
        return any(contains(extract.text or "", text) for extract in self.hit.extracts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether an expected item was found, and where or why."""

    text: str
    found: bool
    reason: str = ""
    #: The best hit that has the text itself, of whatever rank.
    hit: Ranked | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the entry of the results document."""
        entry: dict[str, Any] = {"extractMatch": self.text}
        if self.found and self.hit:
            if self.hit.hit.webUrl is not None:
                entry["matchedHitUrl"] = self.hit.hit.webUrl
            entry["matchedHitRank"] = self.hit.rank
        return {**entry, "reason": self.reason} if self.reason else entry


def ranked(executions: Iterable[RetrievalExecution]) -> list[Ranked]:
    """Return the hits of executions, best first; a hit without a rank takes its position in its execution."""
    return sorted(
        (
            Ranked(position if hit.rank is None else hit.rank, hit)
            for execution in executions
            for position, hit in enumerate(execution.retrievalHits, 1)
        ),
        key=lambda each: each.rank,
    )
