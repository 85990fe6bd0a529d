"""How much two descriptions say the same, told by their words."""

from __future__ import annotations

import re

#: Likeness from which two descriptions are taken for one.
NEARLY_THE_SAME = 0.8
#: Likeness from which two dimensions are worth a look.
OVERLAPPING = 0.5

_EMPTY = """\
a about all also an and any are as at be been being both but by can did do does each else every for from had has have
how if in into is it its may might must no not of on only or other out over own same shall should so some such than
that the their them then there these they this those through to under up very was were what when where whether which
while who whom whose will with within without would you your agent agents assistant response responses answer answers
user users
"""
#: Words without a content of their own.
EMPTY = frozenset(_EMPTY.split())
_WORD = re.compile(r"[^\W_]+(?:[:.,][0-9]+)*")
#: English endings that do not change what a word is about; longest first.
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ies", "ed", "es", "er", "ly", "s")
SHORTEST_STEM = 4


def likeness(first: str, second: str) -> float:
    """Return the share of common words among all words of two texts, 0 to 1 (the Jaccard index)."""
    one, other = content_words(first), content_words(second)
    return len(one & other) / len(one | other) if one | other else 0.0


def content_words(text: str) -> set[str]:
    """Return the stems of the words of a text that have a content."""
    return {_stem(word) for word in _WORD.findall(text.casefold()) if word not in EMPTY}


def shared(first: str, second: str) -> list[str]:
    """Return the words of the first text whose stems the second one has too, each stem once."""
    common = content_words(first) & content_words(second)
    return list({stem: word for word in _WORD.findall(first.casefold()) if (stem := _stem(word)) in common}.values())


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)]
    return word
