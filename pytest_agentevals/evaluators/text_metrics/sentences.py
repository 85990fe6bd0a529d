"""Sentences of an English text."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class SentenceSplitter:
    """Punkt (Kiss and Strunk, 2006) with the parameters of one source."""

    split: Callable[[str], list[str]]
    #: ``nltk`` for the user's own NLTK data, ``embedded`` for that of this package.
    source: Literal["nltk", "embedded"]


@cache
def english() -> SentenceSplitter:
    """Return NLTK's splitter for English, with the user's NLTK data where it is installed."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTokenizer

    try:
        return SentenceSplitter(PunktTokenizer("english").tokenize, "nltk")
    except LookupError:
        return SentenceSplitter(PunktSentenceTokenizer(_embedded_parameters()).tokenize, "embedded")


def _embedded_parameters() -> Any:
    """Load the parameters that ``scripts/generate-punkt`` wrote."""
    from nltk.tokenize.punkt import PunktParameters

    stored = json.loads(gzip.decompress((files(__package__) / "data" / "punkt-english.json.gz").read_bytes()))
    parameters = PunktParameters()
    parameters.abbrev_types = set(stored["abbrev_types"])
    parameters.collocations = {tuple(pair) for pair in stored["collocations"]}
    parameters.sent_starters = set(stored["sent_starters"])
    parameters.ortho_context.update(stored["ortho_context"])
    return parameters
