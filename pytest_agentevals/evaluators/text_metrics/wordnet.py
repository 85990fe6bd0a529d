"""Which English words share a meaning: all that METEOR asks of WordNet."""

from __future__ import annotations

import gzip
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

#: NLTK's loader and reader are not made for several threads.
_LOCK = Lock()


class WordNet(Protocol):
    """What NLTK's METEOR needs, and where the data comes from."""

    #: ``nltk`` for the user's own NLTK data, ``embedded`` for that of this package.
    source: Literal["nltk", "embedded"]

    def synsets(self, word: str) -> Sequence[Any]:
        """Return the sets of synonyms that a word belongs to; each has ``lemmas()``, and these have ``name()``."""
        ...


def wordnet() -> WordNet:
    """Return the user's WordNet from NLTK's data where it is installed, else the embedded one; loaded once."""
    with _LOCK:
        return _load()


@cache
def _load() -> WordNet:
    from nltk.corpus import wordnet as corpus

    try:
        corpus.ensure_loaded()
    except LookupError:
        return EmbeddedWordNet()
    return InstalledWordNet(corpus)


class InstalledWordNet:
    """The WordNet of the user's NLTK data."""

    source: Literal["nltk", "embedded"] = "nltk"

    def __init__(self, corpus: Any) -> None:
        self._corpus = corpus

    def synsets(self, word: str) -> Sequence[Any]:
        """Return NLTK's synsets of a word."""
        with _LOCK:
            return self._corpus.synsets(word)  # type: ignore[no-any-return]  # NLTK is untyped


@dataclass(frozen=True, slots=True)
class Lemma:
    """One word of a set of synonyms."""

    word: str

    def name(self) -> str:
        """Return the word."""
        return self.word


@dataclass(frozen=True, slots=True)
class Synset:
    """A set of synonyms."""

    words: tuple[Lemma, ...]

    def lemmas(self) -> tuple[Lemma, ...]:
        """Return the synonyms."""
        return self.words


@dataclass(frozen=True, slots=True)
class Table:
    """Lists of words by a word; each line is a key, a tab and words with spaces between them, and lines are sorted.

    Searching the lines as they are takes half as long to load as a dictionary.
    """

    lines: list[str]

    def find(self, key: str) -> list[str] | None:
        """Return the words of a key, or None where it is not there."""
        start = f"{key}\t"
        position = bisect_left(self.lines, start)
        if position == len(self.lines) or not self.lines[position].startswith(start):
            return None
        return self.lines[position].removeprefix(start).split(" ")


@dataclass(frozen=True, slots=True)
class PartOfSpeech:
    """The nouns, verbs, adjectives or adverbs of WordNet, by their base form, and how to get there."""

    #: From a base form to the synonyms in all its meanings.
    synonyms: Table
    #: From an irregular form to base forms.
    exceptions: Table
    #: Endings of regular forms, and what the base form has instead.
    endings: Sequence[tuple[str, str]]

    def meanings(self, word: str) -> list[list[str]]:
        """Return the synonyms of each entry that a word is a form of: itself, and by exceptions or else by endings."""
        bases = self.exceptions.find(word)
        if bases is None:
            bases = [word.removesuffix(old) + new for old, new in self.endings if word.endswith(old)]
        return [words for form in dict.fromkeys([word, *bases]) if (words := self.synonyms.find(form))]


class EmbeddedWordNet:
    """WordNet 3.0 as METEOR sees it: of a word only the synonyms in all its meanings, without phrases and names.

    METEOR looks for a lower-case token among the synonyms, which a phrase or a capitalised name never equals.
    """

    source: Literal["nltk", "embedded"] = "embedded"

    def __init__(self) -> None:
        from nltk.corpus.reader.wordnet import WordNetCorpusReader

        # Written by scripts/generate-wordnet: for each part of speech a block of synonyms and one of exceptions.
        text = gzip.decompress((files(__package__) / "data" / "wordnet.gz").read_bytes()).decode()
        tables = [Table(block.split("\n")) for block in text.split("\n\n")]
        self._parts = [
            PartOfSpeech(synonyms, exceptions, WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS[tag])
            for tag, synonyms, exceptions in zip("nvar", tables[::2], tables[1::2], strict=True)
        ]

    def synsets(self, word: str) -> list[Synset]:
        """Return one set of synonyms for each entry that a word is a form of."""
        return [Synset(tuple(map(Lemma, words))) for part in self._parts for words in part.meanings(word.lower())]
