"""What is wrong with a document, with the place, and how all of it is told at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.documents.wording import plain, relative
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

#: Problems of one file that are told; further ones are counted.
MOST = 50


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong; ``line`` and ``column`` count from 1, ``pointer`` is a JSON pointer (RFC 6901)."""

    line: int
    column: int
    pointer: str
    message: str

    def __str__(self) -> str:
        where = f"{self.pointer}: " if self.pointer else ""
        return f"{self.line}:{self.column}: {where}{self.message}"


def pointer(path: Iterable[str | int]) -> str:
    """Write the way to a value as a JSON pointer, long keys shortened."""
    return "".join("/" + plain(str(part)).replace("~", "~0").replace("/", "~1") for part in path)


class InvalidDocument(DocumentError):
    """A document has ``problems``, in the order of the file; ``more`` counts those that were left out."""

    def __init__(self, path: Path, problems: Sequence[Problem], *, more: int = 0) -> None:
        name = relative(path)
        self.problems = tuple(sorted(problems))
        self.more = more
        lines = [f"{name}:{problem}" for problem in self.problems]
        if more:
            lines.append(f"{name}: and {more} more")
        super().__init__("\n".join(lines))
