"""Which words two texts do not share."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from pytest_agentevals.reports.html.texts import Span

#: Words of a text up to which it is compared.
MOST = 2_000
#: Share of common words, 0 to 1, below which marks would cover everything and say nothing.
ALIKE = 0.25


class Difference(NamedTuple):
    """Two texts in parts: what only one of them has is marked, ``del`` in the expected one and ``ins`` in the other."""

    expected: list[Span]
    actual: list[Span]
    #: Why nothing is marked; empty where something is.
    note: str


def difference(expected: str, actual: str) -> Difference:
    """Compare two texts word by word."""
    plain = [Span(expected)], [Span(actual)]
    if expected == actual:
        return Difference(*plain, "the same text")
    before, after = _words(expected), _words(actual)
    if max(len(before), len(after)) > MOST:
        return Difference(*plain, f"more than {MOST:,} words: differences are not marked")
    matcher = SequenceMatcher(None, [word.split()[0] for word in before], [word.split()[0] for word in after])
    if not before or not after or matcher.ratio() < ALIKE:
        return Difference(*plain, "few words in common: differences are not marked")
    left: list[Span] = []
    right: list[Span] = []
    for operation, i, j, k, m in matcher.get_opcodes():
        same = operation == "equal"
        _append(left, before[i:j], "" if same else "del")
        _append(right, after[k:m], "" if same else "ins")
    return Difference(left, right, "")


def _words(text: str) -> list[str]:
    """Split a text into words with the white space before them; the last has the white space at the end, too."""
    words = re.findall(r"\s*\S+", text)
    if words:
        words[-1] += text[sum(map(len, words)) :]
    return words


def _append(spans: list[Span], words: list[str], kind: str) -> None:
    joined = "".join(words)
    # White space before a marked word is not part of the difference.
    inner = joined.lstrip() if kind else joined
    if len(inner) < len(joined):
        spans.append(Span(joined[: len(joined) - len(inner)]))
    if inner:
        spans.append(Span(inner, kind))
