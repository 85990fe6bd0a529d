"""Bringing the text of an eval document up to date: legacy forms, older versions, keys that have no place any more."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.decoding import decode_leniently
from pytest_agentevals.documents.legacy import modernise
from pytest_agentevals.documents.models import Item, Thread
from pytest_agentevals.documents.positions import Parsed, parse
from pytest_agentevals.documents.suggestions import nearest
from pytest_agentevals.documents.versions import newest, outdated
from pytest_agentevals.documents.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentevals.documents.positions import Path

VERSION_KEY = "schemaVersion"
#: What legacy forms are called, by the path of the list that has the prompts.
FORMS: Mapping[Path, str] = {(): "a bare list of prompts", ("prompts",): 'lists of "prompts"'}
#: Keys of items, threads and turns.
KNOWN = {*Item.model_fields, *Thread.model_fields}


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What became of a document: its text, what was changed, and whether more than the version was."""

    text: str
    changes: tuple[str, ...] = ()
    form: bool = False


def upgrade(text: str) -> Upgraded:
    """Bring a document up to date, as far as it can be read; whether the result is valid is for the loader to say."""
    parsed = parse(text)
    legacy = None if parsed.faults else modernise(parsed.value)
    value = legacy.value if legacy else parsed.value
    if parsed.faults or not isinstance(value, dict) or (legacy and legacy.problem):
        return Upgraded(text)
    moved = Counter(_move(value.get("items")))
    told = [f"{quoted(key)} -> extensions, in {count} of the items and turns" for key, count in moved.items()]
    if legacy:
        form = FORMS.get(legacy.items)
        told.insert(0, f"{form} -> items" if form else f"no {VERSION_KEY} -> {newest()}")
    old = value.get(VERSION_KEY)
    if legacy or (isinstance(old, str) and _is_version(old) and outdated(old)):
        value[VERSION_KEY] = newest()
        if not legacy:
            told.append(f"{VERSION_KEY} {old} -> {newest()}")
    if legacy or moved:
        return Upgraded(_written(_in_order(value), text), tuple(told), form=True)
    return Upgraded(_with_version(parsed), tuple(told)) if told else Upgraded(text)


def _is_version(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9}){2}", text) is not None


def _move(items: Any) -> Iterator[str]:
    """Move keys that the format does not have to ``extensions``, and yield them; a misspelt key stays where it is."""
    for item in items if isinstance(items, list) else ():
        turns = item.get("turns") if isinstance(item, dict) else None
        for part in (item, *(turns if isinstance(turns, list) else ())):
            if not isinstance(part, dict) or not isinstance(part.get("extensions", {}), dict | None):
                continue
            for key in [key for key in part if key not in KNOWN and not nearest(key, KNOWN)]:
                extensions = part["extensions"] = part.get("extensions") or {}
                extensions[free_name(key, extensions)] = part.pop(key)
                yield key


def free_name(key: str, taken: dict[str, Any]) -> str:
    """Return a key that is not taken, by adding a number where it is."""
    number = 2
    free = key
    while free in taken:
        free, number = f"{key}-{number}", number + 1
    return free


def _in_order(value: dict[str, Any]) -> dict[str, Any]:
    """Put ``$schema`` and the version first; all other keys keep their order."""
    first = {key: value[key] for key in ("$schema", VERSION_KEY) if key in value}
    return {**first, **value}


def _with_version(parsed: Parsed) -> str:
    """Put the newest version in the place of the old one, and touch nothing else."""
    _, start = parsed.members[VERSION_KEY]
    _, end = decode_leniently(parsed.text, start)
    return f'{parsed.text[:start]}"{newest()}"{parsed.text[end:]}'


def _written(value: Any, like: str) -> str:
    """Write JSON in the style of another text: its indentation, line ends, and escapes."""
    indented = re.search(r"\n([ \t]+)\S", like)
    indent = indented[1] if indented else "" if "\n" in like.strip() else None
    text = json.dumps(value, indent=indent, ensure_ascii=like.isascii() and "\\u" in like)
    text += "\n" if like.endswith("\n") else ""
    return text.replace("\n", "\r\n") if "\r\n" in like else text
