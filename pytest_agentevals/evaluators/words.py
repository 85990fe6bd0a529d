"""Words of texts, and how far two texts share them."""

from __future__ import annotations

import re
import string
from collections import Counter
from dataclasses import dataclass

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)


def words(text: str, *, case_sensitive: bool = False) -> list[str]:
    """Return the words of a text, as the F1 metric of question answering counts them.

    In this order: lower-case (unless ``case_sensitive``), drop ASCII punctuation, drop the English articles a, an and
    the, split at white space. Source: the normalisation of SQuAD's evaluation script (Rajpurkar et al., 2016).
    """
    if not case_sensitive:
        text = text.lower()
    return _ARTICLES.sub(" ", text.translate(_PUNCTUATION)).split()


@dataclass(frozen=True, slots=True)
class Overlap:
    """The words that a response and the expected response share, and those that only one of them has."""

    common: Counter[str]
    #: Words of the expected response that the response lacks.
    missing: Counter[str]
    #: Words of the response that the expected response lacks.
    extra: Counter[str]

    @classmethod
    def of(cls, response: list[str], expected: list[str]) -> Overlap:
        """Compare two lists of words as multisets: a word counts as often as both have it."""
        given, wanted = Counter(response), Counter(expected)
        return cls(common=given & wanted, missing=wanted - given, extra=given - wanted)

    @property
    def precision(self) -> float:
        """Share of the response's words that were expected, 0-1; 0 for a response without words."""
        return _share(self.common, self.extra)

    @property
    def recall(self) -> float:
        """Share of the expected words that the response has, 0-1; 0 where no word was expected."""
        return _share(self.common, self.missing)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0-1; 0 where nothing is shared.

        Computed as ``2 * common / (words of one + words of the other)``, which rounds only once, so that a score that
        equals the threshold is never an ulp below it.
        """
        shared = 2 * self.common.total()
        return shared / (shared + self.missing.total() + self.extra.total()) if shared else 0.0


def _share(common: Counter[str], rest: Counter[str]) -> float:
    return common.total() / (common.total() + rest.total()) if common else 0.0


def contains(text: str, part: str, *, case_sensitive: bool = False) -> bool:
    """Tell whether a text contains another."""
    return part in text if case_sensitive else part.casefold() in text.casefold()
