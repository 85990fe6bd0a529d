"""Strict decoding of JSON: what the decoder of the standard library lets pass is found, with its place.

That is duplicate keys, NaN, infinite or monstrous numbers, halves of surrogate pairs, and nesting too deep for what
comes later. The fast pass only notices that there is something; a slower one then finds it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from pytest_agentevals.documents.wording import quoted, shortened

#: Levels of lists and objects in one value at the top level, or in one element of a list there.
DEEPEST = 100
#: Characters of a number. Python itself refuses to read integers of more than 4300 digits.
LONGEST_NUMBER = 1000


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a text that JSON, or this format, does not allow; ``offset`` counts characters from 0."""

    offset: int
    message: str
    #: Whether nothing can be said of the value around it.
    fatal: bool = False


class TooDeepError(Exception):
    """A value is nested so deeply that its end cannot be found."""


class _RefusedError(Exception):
    """The fast pass met something that is to be reported with its place."""


def decode(text: str, offset: int, faults: list[Fault]) -> tuple[Any, int]:
    """Decode the value at ``offset``; return it and the offset behind it.

    Faults are appended to ``faults``. The value is then what it would be without them: of duplicate keys the last
    counts, numbers that are none are 0, and what is nested too deeply is None. Raises `json.JSONDecodeError` for what
    is no JSON, and `TooDeepError`, after noting the fault.
    """
    try:
        value, end = _strict(text, offset)
    except (_RefusedError, RecursionError):
        end = _end(text, offset, faults)
    else:
        if text.count("{", offset, end) + text.count("[", offset, end) <= DEEPEST or not _too_deep(value):
            return value, end
    found = _faults(text, offset, end)
    faults.extend(found)
    return (None if any(fault.fatal for fault in found) else _mend(text, offset)[0]), end


def _end(text: str, offset: int, faults: list[Fault]) -> int:
    try:
        return decode_leniently(text, offset)[1]
    except RecursionError:
        faults.extend(_faults(text, offset, len(text)))
        raise TooDeepError from None


def duplicate(key: str, line: int) -> str:
    """Say that a key stands in an object twice."""
    return f"duplicate key {quoted(key)}: it is already on line {line}"


def lone_surrogate(text: str) -> Fault | None:
    """Find the first escape of half a surrogate pair, which is no character."""
    if not _SURROGATE.search(text):
        return None
    paired = _PAIRED.match(text)
    end = paired.end() if paired else 0
    lone = _SURROGATE.match(text, end)
    if not lone:
        return None
    return Fault(end, f"{lone.group()} is half of a surrogate pair, which is no character", fatal=True)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)


def _faults(text: str, offset: int, end: int) -> list[Fault]:
    """Find duplicate keys, numbers that are none and too deep nesting in the value between two offsets."""
    faults: list[Fault] = []
    keys: list[dict[str, int]] = []
    for match in _TOKEN.finditer(text, offset, end):
        found = match.group()
        if match["opening"]:
            keys.append({})
            if len(keys) > DEEPEST:
                return [*faults, Fault(match.start(), f"nested too deeply: more than {DEEPEST} levels", fatal=True)]
        elif match["closing"]:
            keys.pop()
        elif match["key"]:
            key = json.loads(found)
            if key in keys[-1]:
                faults.append(Fault(match.start(), duplicate(key, text.count("\n", 0, keys[-1][key]) + 1)))
            keys[-1].setdefault(key, match.start())
        elif match["number"] and not _is_number(found):
            faults.append(Fault(match.start(), f"{shortened(found)} is no number that JSON can carry"))
    return faults


def _is_number(found: str) -> bool:
    return len(found) <= LONGEST_NUMBER and math.isfinite(float(found))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _RefusedError
    return value


def _float(found: str) -> float:
    if not _is_number(found):
        raise _RefusedError
    return float(found)


def _integer(found: str) -> int:
    if len(found) > LONGEST_NUMBER:
        raise _RefusedError
    return int(found)


def _constant(found: str) -> None:
    raise _RefusedError(found)


_strict = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_integer, parse_constant=_constant
).raw_decode
#: Reads what is strictly no JSON as if it had been mended.
_mend = json.JSONDecoder(
    parse_float=lambda found: float(found) if _is_number(found) else 0,
    parse_int=lambda found: int(found) if len(found) <= LONGEST_NUMBER else 0,
    parse_constant=lambda _: 0,
).raw_decode
#: Finds the end of any valid JSON value; the value itself is not to be used.
decode_leniently = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN = re.compile(
    rf"(?P<key>{_STRING}(?=[ \t\n\r]*:))|{_STRING}|(?P<opening>[\[{{])|(?P<closing>[\]}}])"
    r"|(?P<number>-?(?:[0-9][0-9.eE+-]*|Infinity)|NaN)",
    re.DOTALL,
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_PAIRED = re.compile(rf"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|{_PAIR})*+", re.DOTALL)
