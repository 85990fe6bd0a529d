"""Words and punctuation marks of a text, as the metrics count them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Literal

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.text_metrics.sentences import english

if TYPE_CHECKING:
    from collections.abc import Callable

Tokenizer = Literal["unicode", "nist"]


def tokens(text: str, tokenizer: Tokenizer) -> list[str]:
    """Split a text into words and punctuation marks, case kept.

    ASCII text is split as NLTK's ``word_tokenize`` does for English, whatever the tokenizer. Other text is split the
    same way by ``unicode``, which keeps words whole (after normalisation form C, so that two ways to write "é" are
    equal), and by ``nist`` with NLTK's international NIST tokenizer, which the SDK uses and which sets every run of
    ASCII letters apart ("café" gives "caf", "é").

    Raises `EvaluationError` where ``nist`` is needed and its data is not installed.
    """
    if not text.isascii():
        if tokenizer == "nist":
            return _nist()(text)
        text = unicodedata.normalize("NFC", text)
    split = _treebank()
    return [token for sentence in english().split(text) for token in split(sentence)]


def alphanumeric_words(text: str, tokenizer: Literal["unicode", "ascii"]) -> list[str]:
    """Split a text into lower-case words of letters and digits, as ROUGE counts them.

    ``ascii`` takes only a-z and 0-9 for letters and digits, as the original does (Lin, 2004); ``unicode`` takes those
    of all scripts, with their combining marks, after normalisation form C.
    """
    text = text.lower()
    if tokenizer == "ascii" or text.isascii():
        return re.findall(r"[a-z0-9]+", text)
    import regex

    words: list[str] = regex.findall(r"[\p{L}\p{M}\p{N}]+", unicodedata.normalize("NFC", text))
    return words


@cache
def _treebank() -> Callable[[str], list[str]]:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize  # type: ignore[no-any-return]  # NLTK is untyped


def _nist() -> Callable[[str], list[str]]:
    try:
        from nltk.tokenize.nist import NISTTokenizer
    except LookupError:
        raise EvaluationError(
            'the tokenizer "nist" needs NLTK\'s data "perluniprops", which is not installed: install it with '
            '"python -m nltk.downloader perluniprops", or use the tokenizer "unicode"'
        ) from None
    return NISTTokenizer().international_tokenize  # type: ignore[no-any-return]  # NLTK is untyped
