"""Foreign text in Markdown, where it is text and nothing else.

On GitHub, mentions, references (``#12``, commit hashes) and addresses become links wherever they stand in prose,
however they are escaped, but not in code. So foreign text is always code.
"""

from __future__ import annotations

import html
import re

from pytest_agentevals.reports.visible import one_line, shortened, visible


def code(text: str, limit: int = 200) -> str:
    """Write text as a code span of one line, of at most about ``limit`` characters; nothing for no text."""
    line = shortened(one_line(text), limit)
    if not line:
        return ""
    marks = "`" * (_longest_run(line) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{marks}{space}{line}{space}{marks}"


def cell(text: str, limit: int = 200) -> str:
    """Write text as a code span for the cell of a table, which ends at a bar, also in code."""
    return code(text, limit).replace("|", "\\|")


def element(text: str, limit: int = 200) -> str:
    """Write text for a place where only HTML is read, as in a ``<summary>``."""
    return f"<code>{html.escape(shortened(one_line(text), limit))}</code>"


def fenced(text: str, limit: int = 1000) -> str:
    """Write text as a code block, of at most about ``limit`` characters."""
    shown = shortened(visible(text), limit)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
