"""Reading JSON so that every value can be found again in its text.

The top level and the elements of its lists are walked one by one, everything below is decoded at the speed of the
standard library. Places inside an element are looked up when a message needs them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pytest_agentevals.documents.decoding import (
    Fault,
    TooDeepError,
    decode,
    decode_leniently,
    duplicate,
    lone_surrogate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

#: The keys and indices that lead from the top to a value.
Path: TypeAlias = "tuple[str | int, ...]"
#: Returns the value at an offset, and the offset behind it.
Decode: TypeAlias = "Callable[[str, int], tuple[Any, int]]"


class Member(NamedTuple):
    """A member of an object, with the offsets of its key and its value."""

    key: str
    key_offset: int
    offset: int
    value: Any


@dataclass(slots=True)
class Parsed:
    """A JSON text as a value, with the offsets of the top level.

    ``value`` is what it would be without the ``faults``; None where one of them is fatal.
    """

    text: str
    #: Offset of the value at the top.
    offset: int
    value: Any = None
    #: Offsets of the key and the value of each member at the top.
    members: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Offsets of the elements of each list at the top level, by the offset of the list.
    lists: dict[int, list[int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def locate(self, path: Path, *, key: bool = False) -> int:
        """Return the offset of a value, or of its key; where it does not exist, of the innermost value around it."""
        key_offset = offset = self.offset
        for depth, part in enumerate(path):
            inner = self.members.get(str(part)) if depth == 0 and self.members else self._inside(offset, part)
            if inner is None:
                return offset
            key_offset, offset = inner
        return key_offset if key else offset

    def _inside(self, offset: int, part: str | int) -> tuple[int, int] | None:
        """Return the offsets of the key and the value of one member of the value at ``offset``."""
        if isinstance(part, str) and self.text.startswith("{", offset):
            found, _ = members(self.text, offset, decode_leniently)
            # Of duplicate keys the last one counts.
            return next(((member.key_offset, member.offset) for member in reversed(found) if member.key == part), None)
        if isinstance(part, int) and self.text.startswith("[", offset):
            offsets = self.lists.get(offset) or elements(self.text, offset, decode_leniently)[0]
            return (offsets[part], offsets[part]) if part < len(offsets) else None
        return None

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both counted from 1."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

    def lines(self, path: Path) -> list[int]:
        """Return the line of each element of a list at the top level, in one pass over the text."""
        lines = []
        line, before = 1, 0
        for offset in self.lists.get(self.locate(path), ()):
            line += self.text.count("\n", before, offset)
            before = offset
            lines.append(line)
        return lines


def parse(text: str) -> Parsed:
    """Parse a JSON text; what is wrong with it is in `Parsed.faults`."""
    parsed = Parsed(text, blanks(text, 0))
    lone = lone_surrogate(text)
    if lone:
        parsed.faults.append(lone)
    try:
        end = blanks(text, _parse_top(parsed))
        if end < len(text):
            parsed.faults.append(Fault(end, "not JSON: nothing may follow the end of the value", fatal=True))
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
        parsed.faults.append(Fault(error.pos, message, fatal=True))
    except TooDeepError:
        pass  # among the faults; nothing behind it can be read
    if any(fault.fatal for fault in parsed.faults):
        parsed.value = None
    return parsed


def _parse_top(parsed: Parsed) -> int:
    """Fill in the value and its offsets; return the offset behind it."""
    strictly = partial(decode, faults=parsed.faults)

    def walk_list(text: str, offset: int) -> tuple[Any, int]:
        if not text.startswith("[", offset):
            return strictly(text, offset)
        parsed.lists[offset], values, end = elements(text, offset, strictly)
        return values, end

    if not parsed.text.startswith("{", parsed.offset):
        parsed.value, end = walk_list(parsed.text, parsed.offset)
        return end
    found, end = members(parsed.text, parsed.offset, walk_list)
    for key, key_offset, offset, _ in found:
        if key in parsed.members:
            line, _ = parsed.place(parsed.members[key][0])
            parsed.faults.append(Fault(key_offset, duplicate(key, line)))
        parsed.members[key] = key_offset, offset
    parsed.value = {member.key: member.value for member in found}
    return end


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
        key, end = decode_leniently(text, index)
        start = blanks(text, _behind(":", text, end))
        value, end = decode(text, start)
        found.append(Member(key, index, start, value))
        end = blanks(text, end)
        if text.startswith("}", end):
            return found, end + 1
        index = blanks(text, _behind(",", text, end))


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
        index = blanks(text, _behind(",", text, end))


def _behind(delimiter: str, text: str, offset: int) -> int:
    offset = blanks(text, offset)
    if not text.startswith(delimiter, offset):
        raise json.JSONDecodeError(f"Expecting '{delimiter}' delimiter", text, offset)
    return offset + 1


_BLANKS = re.compile(r"[ \t\n\r]*")
