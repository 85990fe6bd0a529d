"""Which words two texts do not share."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.html.texts import Span

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

#: Words of a text up to which it is compared.
MOST = 2_000
#: Share of common words, 0 to 1, below which marks would cover nearly everything and say nothing.
ALIKE = 0.35

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
    before, after = _WORD.findall(expected), _WORD.findall(actual)
    if max(len(before), len(after)) > MOST:
        return Difference(*plain, f"more than {MOST:,} words: differences are not marked")
    pairs = list(common(before, after))
    if not pairs or 2 * len(pairs) < ALIKE * (len(before) + len(after)):
        return Difference(*plain, "few words in common: differences are not marked")
    left, right = map(set, zip(*pairs, strict=True))
    return Difference(_marked(expected, left, "del"), _marked(actual, right, "ins"), "")


def common(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of a longest common subsequence of words in both texts, from the end.

    Bit-parallel (Hyyrö, 2004, "Bit-parallel LCS-length computation revisited"): a number holds one column of the usual
    table, one bit per word of ``first``, and a zero bit where the column's value grows.
    """
    places: defaultdict[str, int] = defaultdict(int)
    for place, word in enumerate(first):
        places[word] |= 1 << place
    full = (1 << len(first)) - 1
    columns = [full]
    for word in second:
        column = columns[-1]
        matching = column & places.get(word, 0)
        columns.append((column + matching | column - matching) & full)
    i, j = len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            yield i, j
        elif columns[j] >> (i - 1) & 1:
            i -= 1
        else:
            j -= 1


def _marked(text: str, shared: Container[int], kind: str) -> list[Span]:
    """Mark the words that are not shared; the white space before them is not marked."""
    places = [match.span() for match in _WORD.finditer(text)]
    spans: list[Span] = []
    end = 0
    for same, group in groupby(range(len(places)), shared.__contains__):
        numbers = list(group)
        start, stop = places[numbers[0]][0], places[numbers[-1]][1]
        if same:
            spans.append(Span(text[end:stop]))
        else:
            spans += [Span(text[end:start])] if start > end else []
            spans.append(Span(text[start:stop], kind))
        end = stop
    return [*spans, Span(text[end:])] if end < len(text) else spans
