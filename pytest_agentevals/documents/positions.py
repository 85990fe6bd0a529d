"""Reading JSON so that every value can be found again in its text.

The top level and the elements of its lists are walked one by one, everything below is decoded at the speed of the
standard library's decoder. Places inside an element are looked up when a message needs them.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from json.decoder import scanstring
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Levels of lists and objects that a document may have inside an element of a top-level list.
DEEPEST = 100

#: The keys and indices that lead from the top to a value.
Path: TypeAlias = "tuple[str | int, ...]"
Decode: TypeAlias = "Callable[[str, int], tuple[Any, int]]"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a text that JSON, or this format, does not allow; ``offset`` counts characters from 0."""

    offset: int
    message: str


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its key and value, and the offsets of both."""

    key: str
    key_offset: int
    offset: int
    value: Any


@dataclass(slots=True)
class Parsed:
    """A JSON text as a value, with the offsets of the top level, and what is wrong with it as a text."""

    text: str
    value: Any = None
    #: Offset of the value at the top.
    offset: int = 0
    members: dict[str, Member] = field(default_factory=dict)
    #: Offsets of the elements of each list at the top level, by key; of a list at the top itself by "".
    elements: dict[str, list[int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def locate(self, path: Sequence[str | int], *, key: bool = False) -> int:
        """Return the offset of a value, or of its key.

        Of a value that is not there, returns the offset of the innermost one around it that is.
        """
        offset = self.offset
        rest = list(path)
        if rest and rest[0] in self.members:
            member = self.members[str(rest.pop(0))]
            offset = member.key_offset if key and not rest else member.offset
            elements = self.elements.get(member.key, [])
        else:
            elements = self.elements.get("", [])
        if rest and isinstance(rest[0], int) and rest[0] < len(elements):
            offset = elements[int(rest.pop(0))]
        for depth, part in enumerate(rest, 1):
            inner = _inner(self.text, offset, part)
            if inner is None:
                return offset
            offset = inner[0] if key and depth == len(rest) else inner[1]
        return offset

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both counted from 1; a column is a character."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

    def lines(self, key: str) -> list[int]:
        """Return the line of each element of a top-level list, in one pass over the text."""
        lines = []
        line, before = 1, 0
        for offset in self.elements.get(key, ()):
            line += self.text.count("\n", before, offset)
            before = offset
            lines.append(line)
        return lines


def parse(text: str) -> Parsed:
    """Parse a JSON text; what is wrong with it is in `Parsed.faults`, and then the value is incomplete."""
    parsed = Parsed(text, offset=blanks(text, 0))
    lone = _lone_surrogate(text)
    if lone is not None:
        parsed.faults.append(Fault(lone, "half of a surrogate pair (\\ud800 to \\udfff) is no character"))
    try:
        end = _parse_top(parsed)
        if blanks(text, end) < len(text):
            parsed.faults.append(Fault(blanks(text, end), "not JSON: nothing may follow the end of the value"))
    except json.JSONDecodeError as error:
        parsed.faults.append(Fault(error.pos, f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"))
    except _TooDeepError:
        pass  # already among the faults; where the value ends is not known
    return parsed


def _parse_top(parsed: Parsed) -> int:
    text, offset = parsed.text, parsed.offset

    def decode(text: str, offset: int) -> tuple[Any, int]:
        return _decode_checked(text, offset, parsed.faults)

    def decode_member(text: str, offset: int) -> tuple[Any, int]:
        if not text.startswith("[", offset):
            return decode(text, offset)
        offsets, values, end = elements(text, offset, decode)
        return _Elements(offsets, values), end

    if text.startswith("[", offset):
        parsed.elements[""], parsed.value, end = elements(text, offset, decode)
        return end
    if not text.startswith("{", offset):
        parsed.value, end = decode(text, offset)
        return end
    parsed.value = {}
    found, end = members(text, offset, decode_member)
    for member in found:
        value = member.value
        if member.key in parsed.members:
            first = parsed.place(parsed.members[member.key].key_offset)[0]
            parsed.faults.append(Fault(member.key_offset, _duplicate(member.key, first)))
        if isinstance(value, _Elements):
            parsed.elements[member.key] = value.offsets
            value = value.values
        parsed.members[member.key] = Member(member.key, member.key_offset, member.offset, None)
        parsed.value[member.key] = value
    return end


@dataclass(frozen=True, slots=True)
class _Elements:
    offsets: list[int]
    values: list[Any]


def blanks(text: str, offset: int) -> int:
    """Return the offset of the next character that is not white space."""
    match = _BLANKS.match(text, offset)
    return match.end() if match else offset


def members(text: str, offset: int, decode: Decode) -> tuple[list[Member], int]:
    """Walk the object at ``offset``; return its members and the offset behind it."""
    found: list[Member] = []
    index = blanks(text, offset + 1)
    if text.startswith("}", index):
        return found, index + 1
    while True:
        if not text.startswith('"', index):
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, index)
        key, end = scanstring(text, index + 1)
        end = blanks(text, end)
        if not text.startswith(":", end):
            raise json.JSONDecodeError("Expecting ':' delimiter", text, end)
        start = blanks(text, end + 1)
        value, end = decode(text, start)
        found.append(Member(key, index, start, value))
        end = blanks(text, end)
        if text.startswith("}", end):
            return found, end + 1
        index = _behind_comma(text, end)


def elements(text: str, offset: int, decode: Decode) -> tuple[list[int], list[Any], int]:
    """Walk the list at ``offset``; return the offsets and the values of its elements, and the offset behind it."""
    offsets: list[int] = []
    values: list[Any] = []
    index = blanks(text, offset + 1)
    if text.startswith("]", index):
        return offsets, values, index + 1
    while True:
        offsets.append(index)
        value, end = decode(text, index)
        values.append(value)
        end = blanks(text, end)
        if text.startswith("]", end):
            return offsets, values, end + 1
        index = _behind_comma(text, end)


def _behind_comma(text: str, offset: int) -> int:
    if not text.startswith(",", offset):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, offset)
    return blanks(text, offset + 1)


def _inner(text: str, offset: int, part: str | int) -> tuple[int, int] | None:
    """Return the offsets of the key and the value of a member, or twice that of an element; None where it is not."""
    if isinstance(part, str) and text.startswith("{", offset):
        found, _ = members(text, offset, _plain)
        return next(((member.key_offset, member.offset) for member in found if member.key == part), None)
    if isinstance(part, int) and text.startswith("[", offset):
        offsets, _, _ = elements(text, offset, _plain)
        return (offsets[part],) * 2 if part < len(offsets) else None
    return None


class _TooDeepError(Exception):
    """A value is nested so deeply that it cannot be decoded."""


class _RefusedError(Exception):
    """The strict decoder met something that is to be reported with its place."""


def _decode_checked(text: str, offset: int, faults: list[Fault]) -> tuple[Any, int]:
    """Decode the value at ``offset``, and note what the decoder of the standard library lets pass."""
    try:
        value, end = _strict(text, offset)
        if text.count("{", offset, end) + text.count("[", offset, end) <= DEEPEST or not _too_deep(value):
            return value, end
        _, end = _plain(text, offset)
    except _RefusedError:
        _, end = _plain(text, offset)
    except RecursionError:
        faults.extend(_faults(text, offset, len(text)))
        raise _TooDeepError from None
    faults.extend(_faults(text, offset, end))
    return None, end


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _faults(text: str, offset: int, end: int) -> list[Fault]:
    """Find duplicate keys, numbers that are none and too deep nesting in a valid JSON value."""
    faults: list[Fault] = []
    keys: list[dict[str, int]] = []
    for match in _TOKEN.finditer(text, offset, end):
        token = match.group()
        if token in "{[":
            keys.append({})
            if len(keys) > DEEPEST:
                return [*faults, Fault(match.start(), f"nested too deeply: more than {DEEPEST} levels")]
        elif token in "}]":
            keys.pop()
        elif match.lastgroup == "key":
            key = json.loads(token, strict=False)
            if key in keys[-1]:
                faults.append(Fault(match.start(), _duplicate(key, text.count("\n", 0, keys[-1][key]) + 1)))
            keys[-1].setdefault(key, match.start())
        elif match.lastgroup == "number" and not _is_number(token):
            shown = token if len(token) <= 20 else f"{token[:17]}…"
            faults.append(Fault(match.start(), f"{shown} is no number that JSON can carry"))
    return faults


def _is_number(token: str) -> bool:
    try:
        return math.isfinite(float(token)) and len(token) <= LONGEST_NUMBER
    except ValueError:
        return False


#: Characters of a number; Python itself refuses to read integers of more than 4300 digits.
LONGEST_NUMBER = 1000


def _duplicate(key: str, line: int) -> str:
    return f"duplicate key {json.dumps(key, ensure_ascii=False)}: it is already on line {line}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _RefusedError
    return value


def _finite(token: str) -> float:
    if not _is_number(token):
        raise _RefusedError
    return float(token)


def _integer(token: str) -> int:
    if len(token) > LONGEST_NUMBER:
        raise _RefusedError
    return int(token)


def _constant(token: str) -> None:
    raise _RefusedError(token)


def _lone_surrogate(text: str) -> int | None:
    """Return the offset of the first escape of a lone surrogate."""
    if not _SURROGATE.search(text):
        return None
    match = _PAIRED.match(text)
    end = match.end() if match else 0
    return end if end < len(text) and _SURROGATE.match(text, end) else None


_BLANKS = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]++|\\.)*+"(?=[ \t\n\r]*:))|"(?:[^"\\]++|\\.)*+"|[\[{\]}]|(?P<number>-?(?:\d[\d.eE+-]*|Infinity)|NaN)',
    re.DOTALL,
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_PAIRED = re.compile(
    r"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*+", re.DOTALL
)
_plain = json.JSONDecoder(parse_int=float, parse_float=str).raw_decode
_strict = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite, parse_int=_integer
).raw_decode
