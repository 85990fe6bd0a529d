"""Which label is for which verdict of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.documents.identifiers import identifiers, named
from pytest_agentevals.documents.labels import Label, every_label, read_csv
from pytest_agentevals.documents.models import Thread
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.calibration.labelled import Labelled
from pytest_agentevals.rubrics.traffic import document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.reports.run import EvaluatedItem, Run


class Labelling(NamedTuple):
    """Labelled verdicts, and labels that are left over."""

    found: list[Labelled]
    #: Those for which there is no verdict.
    unmatched: list[Label]
    #: Those that another label of the same labeller contradicts, which counts.
    overruled: list[Label]


def has_results(path: Path) -> bool:
    """Whether an eval document has results; raises `DocumentError` for a file that is none."""
    items = document(path).items
    turns = [turn for item in items for turn in (item.turns if isinstance(item, Thread) else [item])]
    return any(turn.scores or turn.status for turn in turns)


def of_run(run: Run) -> Iterator[Label]:
    """Yield the labels in ``extensions.human`` of the items of a run, and of their turns."""
    for item in run.items:
        whole = Label(None, item.label, item.id, document=item.document)
        for number, turn in enumerate(item.content.get("turns") or (), 1):
            yield from every_label(turn.get("extensions"), replace(whole, turn=number))
        yield from every_label(item.content.get("extensions"), whole)


def of_file(path: Path) -> Iterator[Label]:
    """Yield the labels of a CSV file, or those in ``extensions.human`` of an eval document.

    Raises `ConfigurationError` and `DocumentError` for files that are neither.
    """
    if path.suffix.lower() == ".csv":
        yield from read_csv(path)
        return
    name = relative(path).as_posix()
    items = document(path).items
    made = identifiers([named(item, place) for place, item in enumerate(items)])[0]
    for item, own in zip(items, made, strict=True):
        whole = Label(None, f"{name}::{own}", own, document=name)
        for number, turn in enumerate(item.turns if isinstance(item, Thread) else (), 1):
            yield from every_label(turn.extensions, replace(whole, turn=number))
        yield from every_label(item.extensions, whole)


def matched(run: Run, labels: Iterable[Label]) -> Labelling:
    """Find the verdicts that labels are for.

    A label without a turn is for the last verdict that each evaluator gave on the item, one without an evaluator for
    all evaluators, and one without a document for the only item with its id. Where one labeller gave several for the
    same verdict, that for the evaluator counts, else that for the turn, else the first. Raises `ConfigurationError`
    where a label without a document could be for items of several.
    """
    labels = list(labels)
    same: defaultdict[str, list[EvaluatedItem]] = defaultdict(list)
    for item in run.items:
        same[item.id].append(item)
    of_item: defaultdict[str, list[Label]] = defaultdict(list)
    for label in labels:
        own = _item(label, same.get(label.item, ()))
        if own is not None:
            of_item[own.label].append(label)
    result = Labelling([], [], [])
    used: set[int] = set()
    places: Counter[str] = Counter()
    for item in run.items:
        position = places[item.document]
        places[item.document] += 1
        cases = [case for case in item.cases() if case.evaluator] if item.label in of_item else []
        last = {case.evaluator: case for case in cases}
        for case in cases:
            whole = last[case.evaluator] is case
            mine = [label for label in of_item[item.label] if _is_for(label, case, whole=whole)]
            used.update(map(id, mine))
            if mine:
                chosen, others = _chosen(mine)
                result.found.append(Labelled(item, case, position, chosen))
                result.overruled.extend(others)
    result.unmatched.extend(label for label in labels if id(label) not in used)
    return result


def _chosen(labels: Sequence[Label]) -> tuple[tuple[Label, ...], list[Label]]:
    """Return the label of each labeller that counts, and those that contradict it and name as much as it does."""

    def rank(label: Label) -> tuple[bool, bool]:
        return not label.evaluator, label.turn is None

    chosen: dict[str, Label] = {}
    others = []
    for label in sorted(labels, key=rank):
        first = chosen.setdefault(label.labeller, label)
        if rank(first) == rank(label) and str(first.value) != str(label.value):
            others.append(label)
    return tuple(chosen.values()), others


def _item(label: Label, same: Sequence[EvaluatedItem]) -> EvaluatedItem | None:
    """Return that of the items with its id which a label is for."""
    if label.document:
        similar = [item for item in same if _same_path(item.document, label.document)]
        same = [item for item in similar if item.document == label.document] or similar
    if len(same) > 1:
        raise ConfigurationError(
            f"{label.place}: {label.item!r} is an item of {same[0].document} and of {same[1].document}; the column "
            "document must say which is meant."
        )
    return same[0] if same else None


def _same_path(one: str, other: str) -> bool:
    """Whether two paths can be the same, as seen from different folders."""
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def _is_for(label: Label, case: Case, *, whole: bool) -> bool:
    if label.evaluator and label.evaluator != case.evaluator:
        return False
    index = case.turn.index if case.turn is not None else 0
    # The only turn of an item that is no thread may be called its first.
    return whole if label.turn is None else label.turn == (index or 1)
