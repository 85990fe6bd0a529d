"""What people said of responses: labels in documents and in CSV files."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

GOOD = {"pass", "good", "true", "yes", "acceptable"}
BAD = {"fail", "bad", "false", "no", "unacceptable"}
#: From which score on a scale of 1 to 5 a response counts as good: the threshold of the evaluators on that scale.
GOOD_FROM = 3


@dataclass(frozen=True, slots=True)
class Label:
    """A person's word on a response, as it was written, and where."""

    value: Any
    place: str
    #: What it is for: the item's id; the turn, from 1, or None for the item as a whole; and where they are named, the
    #: document and the evaluator.
    item: str = ""
    turn: int | None = None
    document: str = ""
    evaluator: str = ""
    #: Who said it.
    labeller: str = ""


def read_csv(path: Path) -> list[Label]:
    """Read the labels of a CSV file with the columns ``id`` (or ``item``) and ``label``.

    It may have the columns ``document``, ``turn`` (from 1, for turns of threads), ``evaluator`` and ``labeller``, too;
    others, and rows whose label is empty, are passed over. Raises `ConfigurationError` for other files, and where the
    same labeller gives two labels to the same response.
    """
    name = relative(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            columns = set(rows.fieldnames or ())
            if "label" not in columns or not columns & {"id", "item"}:
                raise ConfigurationError(f"{name}: the first line must name the columns id and label.")
            labels: dict[Label, Label] = {}
            for row in rows:
                cells = {column: (row.get(column) or "").strip() for column in columns}
                if not cells["label"]:
                    continue
                place = f"{name}:{rows.line_num}"
                label = Label(
                    cells["label"],
                    place,
                    cells["id"] if "id" in cells else cells["item"],
                    _turn(cells.get("turn", ""), place),
                    *(cells.get(column, "") for column in ("document", "evaluator", "labeller")),
                )
                target = replace(label, value=None, place="")
                if target in labels:
                    raise ConfigurationError(f"{place}: {label.item!r} has a label already at {labels[target].place}.")
                labels[target] = label
            return list(labels.values())
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{name} cannot be read: {error}.") from None


def _turn(text: str, place: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ConfigurationError(f"{place}: the turn is {text!r}; allowed are whole numbers from 1 up.")
    return int(text)


def by_response(labels: Iterable[Label], names: Sequence[str]) -> dict[tuple[str, int | None], Label]:
    """Return the labels that are for any evaluator, or for one of these names, by id and turn.

    Raises `ConfigurationError` where a response has two of them.
    """
    found: dict[tuple[str, int | None], Label] = {}
    for label in labels:
        if label.evaluator and label.evaluator not in names:
            continue
        known = found.setdefault((label.item, label.turn), label)
        if known is not label:
            several = "; of several labellers, leave one" if known.labeller != label.labeller else ""
            raise ConfigurationError(f"{label.place}: {label.item!r} has a label already at {known.place}{several}.")
    return found


def of_extensions(extensions: Mapping[str, Any] | None, names: Sequence[str], place: str) -> Label | None:
    """Return the label that ``extensions.human`` gives: a label, or an object of labels by name of the evaluator."""
    value = (extensions or {}).get("human")
    if isinstance(value, dict):
        value = next((value[name] for name in names if name in value), None)
    return None if value is None else Label(value, place)


def every_label(extensions: Any, label: Label) -> Iterator[Label]:
    """Yield all labels that ``extensions.human`` of an item or a turn gives, each like ``label`` but for its value.

    It is a label, an object of labels by name of the evaluator, or an object of those objects whose keys are labellers:
    ``{"Relevance": {"ann": 4, "ben": 5}}``.
    """
    value = extensions.get("human") if isinstance(extensions, dict) else None
    for evaluator, given in value.items() if isinstance(value, dict) else [("", value)]:
        for labeller, each in given.items() if isinstance(given, dict) else [("", given)]:
            if each is not None:
                yield replace(label, value=each, evaluator=evaluator, labeller=labeller)


def as_good(labels: Sequence[Label], good_from: float = GOOD_FROM) -> list[bool]:
    """Tell of each label whether it says that the response is good.

    Allowed are true and false, words such as pass and fail or good and bad, 1 and 0, and scores from 1 to 5. Raises
    `ConfigurationError` that names the place of another one.
    """
    scores = [as_number(label) for label in labels]
    # 1 is the best of 0 and 1 and the worst of 1 to 5: the other labels say which is meant.
    graded = any(score is not None and score > 1 for score in scores)
    return [_good(label, score, good_from if graded else 1) for label, score in zip(labels, scores, strict=True)]


def _good(label: Label, score: float | None, good_from: float) -> bool:
    word = as_word(label)
    if word is not None:
        return word
    if score is None or not 0 <= score <= 5:
        raise unknown(label, "1 and 0, and scores from 1 to 5")
    return score >= good_from


def as_word(label: Label) -> bool | None:
    """Return whether a label is a word for good; None where it is no word for good or bad."""
    word = str(label.value).strip().lower()
    return word in GOOD if word in GOOD | BAD else None


def as_number(label: Label) -> float | None:
    """Return the number that a label is; None where it is none."""
    if isinstance(label.value, bool):
        return None
    try:
        return float(label.value)
    except (TypeError, ValueError):
        return None


def unknown(label: Label, numbers: str) -> ConfigurationError:
    """Return the error of a label that nobody understands; ``numbers`` says which are allowed."""
    return ConfigurationError(
        f"{label.place}: the label {label.value!r} is not known; allowed are pass and fail, good and bad, true and "
        f"false, {numbers}."
    )
