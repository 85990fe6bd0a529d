"""Server-sent events, as the HTML standard defines their stream (section 9.2.6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

#: The only line ends of the format; `str.splitlines` would also break the text at U+2028.
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    name: str
    data: str


async def read_events(chunks: AsyncIterator[str]) -> AsyncIterator[Event]:
    """Yield the events of a stream that have data; one that the end cuts off is dropped, as the format says."""
    name, data = "", list[str]()
    async for line in _lines(chunks):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line:
            if data:
                yield Event(name or "message", "\n".join(data))
            name, data = "", []


async def _lines(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield complete lines; a line end may itself be cut in two."""
    rest = ""
    async for chunk in chunks:
        rest += chunk
        held = rest.endswith("\r")
        *lines, rest = _LINE_END.split(rest[:-1] if held else rest)
        rest += "\r" if held else ""
        for line in lines:
            yield line.removeprefix("\ufeff")
    if rest.endswith("\r"):
        yield rest[:-1]
