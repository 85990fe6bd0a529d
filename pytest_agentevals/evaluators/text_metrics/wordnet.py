"""Which English words share a meaning: all that METEOR asks of WordNet."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
class PartOfSpeech:
    """The nouns, verbs, adjectives or adverbs of WordNet, by their base form, and how to get there."""

    #: Base form -> the synonyms in all its meanings, separated by spaces.
    synonyms: dict[str, str]
    #: Irregular form -> base forms, separated by spaces.
    exceptions: dict[str, str]
    #: Endings and what the base form has instead.
    endings: Iterable[tuple[str, str]]

    def base_forms(self, word: str) -> set[str]:
        """Return the entries that a word is a form of: itself, and by exceptions or else by its ending."""
        if word in self.exceptions:
            candidates = self.exceptions[word].split()
        else:
            candidates = [word.removesuffix(old) + new for old, new in self.endings if word.endswith(old)]
        return self.synonyms.keys() & {word, *candidates}


class EmbeddedWordNet:
    """WordNet 3.0 as METEOR sees it: of a word only the synonyms in all its meanings, without phrases and names.

    METEOR looks for a lower-case token among the synonyms, which a phrase or a capitalised name never equals.
    """

    source: Literal["nltk", "embedded"] = "embedded"

    def __init__(self) -> None:
        from nltk.corpus.reader.wordnet import WordNetCorpusReader

        # Blocks of lines as ``scripts/generate-wordnet`` wrote them: for each part of speech one of synonyms and one of
        # exceptions, in which keys and values take turns.
        text = gzip.decompress((files(__package__) / "data" / "wordnet.gz").read_bytes()).decode()
        blocks = [iter(block.split("\n")) for block in text.split("\n\n")]
        tables = [dict(zip(lines, lines, strict=True)) for lines in blocks]
        self._parts = [
            PartOfSpeech(synonyms, exceptions, WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS[tag])
            for tag, synonyms, exceptions in zip("nvar", tables[::2], tables[1::2], strict=True)
        ]

    def synsets(self, word: str) -> list[Synset]:
        """Return one set of synonyms for each base form of a word."""
        return [
            Synset(tuple(map(Lemma, part.synonyms[form].split())))
            for part in self._parts
            for form in part.base_forms(word.lower())
        ]
