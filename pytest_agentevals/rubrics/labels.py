"""What people said of responses: labels in documents and in CSV files."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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


def read_csv(path: Path) -> dict[tuple[str, int | None], Label]:
    """Read the labels of a CSV file with the columns ``id`` and ``label``, and ``turn`` (from 1) for turns of threads.

    Returns them by id and turn, None where the label is for the item. Raises `ConfigurationError` for other files, and
    for a response that has two labels.
    """
    name = relative(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if not {"id", "label"} <= set(rows.fieldnames or ()):
                raise ConfigurationError(f"{name}: the first line must name the columns id and label.")
            labels: dict[tuple[str, int | None], Label] = {}
            for row in rows:
                place = f"{name}:{rows.line_num}"
                key = (row["id"] or "").strip(), _turn(row.get("turn"), place)
                if key in labels:
                    raise ConfigurationError(f"{place}: {key[0]!r} has a label already at {labels[key].place}.")
                labels[key] = Label((row["label"] or "").strip(), place)
            return labels
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{name} cannot be read: {error}.") from None


def _turn(text: str | None, place: str) -> int | None:
    if text is None or not text.strip():
        return None
    if not text.strip().isdecimal() or int(text) < 1:
        raise ConfigurationError(f"{place}: the turn is {text!r}; allowed are whole numbers from 1 up.")
    return int(text)


def of_extensions(extensions: Mapping[str, Any] | None, names: Sequence[str], place: str) -> Label | None:
    """Return the label that ``extensions.human`` gives: a label, or an object of labels by name of the evaluator."""
    value = (extensions or {}).get("human")
    if isinstance(value, dict):
        value = next((value[name] for name in names if name in value), None)
    return None if value is None else Label(value, place)


def as_good(labels: Sequence[Label], good_from: float = GOOD_FROM) -> list[bool]:
    """Tell of each label whether it says that the response is good.

    Allowed are true and false, words such as pass and fail or good and bad, 1 and 0, and scores from 1 to 5. Raises
    `ConfigurationError` that names the place of another one.
    """
    scores = [_number(label.value) for label in labels]
    # 1 is the best of 0 and 1 and the worst of 1 to 5: the other labels say which is meant.
    graded = any(score is not None and score > 1 for score in scores)
    return [_good(label, score, good_from if graded else 1) for label, score in zip(labels, scores, strict=True)]


def _good(label: Label, score: float | None, good_from: float) -> bool:
    word = str(label.value).strip().lower()
    if word in GOOD | BAD:
        return word in GOOD
    if score is None or not 0 <= score <= 5:
        raise ConfigurationError(
            f"{label.place}: the label {label.value!r} is not known; allowed are pass and fail, good and bad, true and "
            "false, 1 and 0, and scores from 1 to 5."
        )
    return score >= good_from


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
