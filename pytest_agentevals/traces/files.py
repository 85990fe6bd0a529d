"""Files of traces and logs: one JSON document, or one JSON value per line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentevals.traces.notes import Notes

#: Levels of lists and objects; OpenTelemetry's encoding needs four for each level of a value.
DEEPEST = 300


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON value and where it stands: ``file`` or ``file:line``."""

    place: str
    value: Any


def read(path: Path, notes: Notes) -> list[Record]:
    """Read the JSON values of a file; lines that are no JSON are told in ``notes`` and left out.

    Raises `DocumentError` for a file that cannot be read, and for one that has something, but not a single JSON value.
    """
    name = str(relative(path))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{name}: cannot be read: {error.strerror or error}") from None
    try:
        text = data.decode(json.detect_encoding(data).removesuffix("-sig")).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{name}: not valid text at byte {error.start}: {error.reason}") from None
    if not text.strip():
        notes.tell(f"{name}: the file is empty")
        return []
    try:
        return [Record(name, decode(text))]
    except ValueError as error:
        whole = error
    told = len(notes.told)
    records = list(_lines(name, text, notes))
    if not records:
        del notes.told[told:]
        raise DocumentError(f"{name}: neither JSON nor JSON Lines: {whole}")
    return records


def _lines(name: str, text: str, notes: Notes) -> Iterator[Record]:
    # Not splitlines: in JSON, other separators of lines are characters like any other.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield Record(f"{name}:{number}", decode(line))
            except ValueError as error:
                notes.tell(f"{name}:{number}: not valid JSON, left out: {error}")


def decode(text: str) -> Any:
    """Read a JSON value; raises `ValueError` for everything else, NaN, infinities and too deep nesting included."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if text.count("{") + text.count("[") <= DEEPEST:
        return value
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inner(outer)]
        if not level:
            return value
    raise ValueError("nested too deeply")


def decoded(value: Any) -> Any:
    """Return a value; of a string that holds a JSON list or object, that: instrumentations write both."""
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        try:
            return decode(value)
        except ValueError:
            return value
    return value


def _inner(value: Any) -> list[Any]:
    """Return the lists and objects directly inside a value."""
    if isinstance(value, dict):
        value = list(value.values())
    return [inner for inner in value if isinstance(inner, dict | list)] if isinstance(value, list) else []


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number that JSON can carry")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(f"{digits[:20]} is no number that JSON can carry")
    return number
