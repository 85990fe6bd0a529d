"""Words of questions and policies, as far as the help desk needs to understand them."""

from __future__ import annotations

import re
from pathlib import Path

_WORD = re.compile(r"[a-z]+|\d+")
_EMPTY = frozenset(Path(__file__).with_name("empty-words.txt").read_text("utf-8").split())


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning, lower case and in their order, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _EMPTY))


def root(word: str) -> str:
    """Cut a word's ending, so that "returned" finds "return" and "members" finds "membership"."""
    for ending, replacement in (("ship", ""), ("ies", "y"), ("ing", ""), ("ed", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + replacement
    return word
