"""Markdown, as the reference pages need it."""

from __future__ import annotations

import inspect
import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GENERATED = "<!-- Written by scripts/generate-reference from the code: change the code, and run it. -->"


def written(title: str, introduction: str, *sections: str) -> str:
    """Put a page together."""
    return "\n\n".join([f"# {title}", GENERATED, introduction, *sections]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"|{'|'.join(f' {cell(text)} ' if text else ' ' for text in line)}|" for line in lines)


def cell(text: str) -> str:
    """Make a text fit into a cell."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """Keep a text from being read as Markdown's links and elements."""
    return text.replace("[", "\\[").replace("<", "\\<")


def code(value: Any) -> str:
    """Write a value as code; nothing for nothing."""
    if value in {None, ""}:
        return ""
    # A bar in backticks would end a cell of a table, and one with a backslash keeps the backslash on the site.
    return f"<code>{escape(str(value)).replace('|', '&#124;')}</code>" if "|" in str(value) else f"`{value}`"


def prose(docstring: str | None) -> str:
    """Turn a docstring into Markdown: its double backticks and its indented examples are reStructuredText's."""
    text = inspect.cleandoc(docstring or "").replace("``", "`")
    return re.sub(r"::\n\n((?: {4}.*\n?)+)", lambda match: ":\n\n" + match[1], text)


def summary(docstring: str | None) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join(prose(docstring).partition("\n\n")[0].split())
