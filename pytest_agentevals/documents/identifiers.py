"""Test ids of the items of a document: readable, stable, unique, and legal in pytest's node ids."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.documents.models import Thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.documents.models import Item

#: Characters of a slug; a hash or a number may follow.
SLUG = 60
#: Characters of an id that the document gives; of longer ones the end is replaced by a hash.
LONGEST = 100

_JOINERS = "\u200c\u200d"
_READ = 10 * SLUG
#: ASCII characters that are neither letters nor digits; runs of them become one hyphen.
_NO_WORD = re.compile(r"[\x00-/:-@\[-`{-\x7f]+")


class Named(NamedTuple):
    """What an item offers for its id. Items with equal ``prompts`` count as identical."""

    #: Position in the document.
    place: int
    prompts: tuple[str, ...]
    explicit: str | None = None
    name: str | None = None


def named(item: Item | Thread, place: int) -> Named:
    """Return what an item of a document offers."""
    given = item.extensions.get("id") if item.extensions else None
    explicit = str(given) if isinstance(given, str | int) and not isinstance(given, bool) else None
    if isinstance(item, Thread):
        return Named(place, tuple(turn.prompt for turn in item.turns), explicit, item.name)
    return Named(place, (item.prompt,), explicit)


def identifiers(items: Sequence[Named]) -> tuple[list[str], list[tuple[Named, Named]]]:
    """Return the id of each item, and the pairs of items whose explicit ids are the same.

    An explicit id stays as it is, as far as that is legal. Else the name or a slug of the prompt is used; where several
    items share it, those with different prompts all get a hash of theirs, and identical ones are numbered.
    """
    explicit = [legal(item.explicit) if item.explicit is not None else "" for item in items]
    first: dict[str, Named] = {}
    duplicates = [
        (first[name], item)
        for name, item in zip(explicit, items, strict=True)
        if name and first.setdefault(name, item) is not item
    ]
    bases = [
        given or (legal(item.name) if item.name else "") or slug(item.prompts[0])
        for given, item in zip(explicit, items, strict=True)
    ]
    sharing: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for base, given, item in zip(bases, explicit, items, strict=True):
        if not given:
            sharing[base].add(item.prompts)
    wanted = [
        base if given or (len(sharing[base]) == 1 and base not in first) else f"{base}-{_hash(*item.prompts)}"
        for base, given, item in zip(bases, explicit, items, strict=True)
    ]
    return _numbered(wanted, explicit), duplicates


def _numbered(wanted: Sequence[str], explicit: Sequence[str]) -> list[str]:
    """Make ids unique: the second of a kind gets ``-2``, the third ``-3``, passing over what another item wants."""
    reserved = set(wanted)
    counts = defaultdict(int, dict.fromkeys(explicit, 1))
    unique = []
    for name, given in zip(wanted, explicit, strict=True):
        if given:
            unique.append(given)
            continue
        counts[name] += 1
        numbered = name
        while counts[name] > 1 and (numbered := f"{name}-{counts[name]}") in reserved:
            counts[name] += 1
        unique.append(numbered)
    return unique


def legal(text: str) -> str:
    """Make a text legal in a node id, changing as little as possible; empty where nothing is left of it."""
    shown = "".join(character if character.isprintable() or character in _JOINERS else " " for character in text)
    shown = shown.translate({ord("["): "(", ord("]"): ")"})
    shown = " ".join(re.sub(":{2,}", ":", shown).split()).strip(": ")
    # The hash included, so that an id that was cut stays as it is.
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 7].rstrip(': ')}-{_hash(text)}"


def slug(prompt: str) -> str:
    """Make a readable id of a prompt: its letters and digits of any script, other characters as single hyphens."""
    text = prompt[:_READ].lower()
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        text = "".join(character if _is_word(character) else "-" for character in text)
    words = _NO_WORD.sub("-", text).strip("-")
    if len(words) > SLUG:
        cut = words.rfind("-", SLUG // 2, SLUG + 1)
        words = words[: cut if cut > 0 else _whole(words, SLUG)]
    return words or "item"


def _whole(text: str, cut: int) -> int:
    """Move a cut to the left until it does not part a letter from its combining marks."""
    while cut > 1 and unicodedata.category(text[cut]).startswith("M"):
        cut -= 1
    return cut


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:6]
