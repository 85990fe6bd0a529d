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

_WORD = re.compile(r"\S+")


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
    left, right = _Words(expected), _Words(actual)
    if max(len(left.words), len(right.words)) > MOST:
        return Difference(*plain, f"more than {MOST:,} words: differences are not marked")
    matcher = SequenceMatcher(None, left.words, right.words)
    if not left.words or not right.words or matcher.ratio() < ALIKE:
        return Difference(*plain, "few words in common: differences are not marked")
    for operation, i, j, k, m in matcher.get_opcodes():
        same = operation == "equal"
        left.add(i, j, "" if same else "del")
        right.add(k, m, "" if same else "ins")
    return Difference(left.spans(), right.spans(), "")


class _Words:
    """The words of a text, and its parts as far as it was gone through."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = [match.span() for match in _WORD.finditer(text)]
        self.words = [text[start:end] for start, end in self._places]
        self._spans: list[Span] = []
        self._end = 0

    def add(self, first: int, end: int, kind: str) -> None:
        """Go on to the word before ``end``; the white space before words that are marked is not."""
        if first == end:
            return
        start = self._end
        if kind and start < self._places[first][0]:
            self._spans.append(Span(self._text[start : self._places[first][0]]))
            start = self._places[first][0]
        self._end = self._places[end - 1][1]
        self._spans.append(Span(self._text[start : self._end], kind))

    def spans(self) -> list[Span]:
        """Return the parts, the white space at the end of the text included."""
        rest = self._text[self._end :]
        return [*self._spans, Span(rest)] if rest else self._spans
