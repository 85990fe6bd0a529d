"""Responses that a rubric scored and people labelled."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.identifiers import identifiers, named
from pytest_agentevals.documents.labels import Label, by_response, of_extensions
from pytest_agentevals.documents.models import Thread
from pytest_agentevals.documents.results import extension
from pytest_agentevals.rubrics.traffic import document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_agentevals.documents.models import Item, Score, Turn
    from pytest_agentevals.rubrics.definition import Definition


@dataclass(frozen=True, slots=True)
class Labelled:
    """One response: its label, the score of the rubric, and those of its dimensions, None where one did not apply."""

    label: Label
    total: float
    scores: Mapping[str, float | None]


class Reader:
    """Finds what a rubric said of the responses in results documents, and what people said of them.

    ``labels`` are those of CSV files; labels in the documents win over them.
    """

    def __init__(self, rubric: Definition, name: str, labels: Iterable[Label]) -> None:
        self._rubric = rubric
        self._names = [*filter(None, (rubric.name, name)), "Rubric", "rubric"]
        self._labels = by_response(labels, self._names)
        #: Scored responses without a label, and scores of the same dimensions with other words or weights.
        self.counts: Counter[str] = Counter()

    def read(self, path: Path) -> Iterator[Labelled]:
        """Yield the labelled responses of a results document; raises `DocumentError` for a file that is none."""
        items = document(path).items
        made = identifiers([named(item, place) for place, item in enumerate(items)])[0]
        for item, own in zip(items, made, strict=True):
            # Results of several documents keep the ids that their items had there.
            identity = str(extension({"extensions": item.extensions}).get("id", own))
            turns = item.turns if isinstance(item, Thread) else [item]
            scored = [(index, found) for index, turn in enumerate(turns, 1) if (found := self._score(turn)) is not None]
            for index, (total, scores) in scored:
                # A label of a whole thread is for what was scored last.
                whole = index == scored[-1][0]
                label = self._label(item, turns[index - 1], (identity, index), f"{path}::{identity}", whole=whole)
                if label is None:
                    self.counts["scored responses without a label"] += 1
                else:
                    yield Labelled(label, total, scores)

    def _label(self, item: Item | Thread, turn: Turn, key: tuple[str, int], place: str, *, whole: bool) -> Label | None:
        found = of_extensions(turn.extensions, self._names, place) or self._labels.get(key)
        if found is None and whole:
            found = of_extensions(item.extensions, self._names, place) or self._labels.get((key[0], None))
        return found

    def _score(self, turn: Turn) -> tuple[float, Mapping[str, float | None]] | None:
        """Return the rubric's score of a turn, and those of its dimensions."""
        ids = {dimension.id for dimension in self._rubric.dimensions}
        for score in (turn.scores or {}).values():
            scores = _dimension_scores(score)
            total = getattr(score, "score", None)
            if scores.keys() == ids and isinstance(total, int | float):
                written = getattr(score, "rubric", None)
                if isinstance(written, dict) and written.get("content_hash") != self._rubric.content_hash:
                    self.counts["scores by another version of the rubric"] += 1
                return total, scores
        return None


def _dimension_scores(score: Score) -> dict[str, float | None]:
    properties: Any = getattr(score, "properties", None)
    entries = properties.get("dimension_scores") if isinstance(properties, dict) else None
    return {
        entry["id"]: entry.get("score")
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    }
