"""Whether a JSON file is an eval document, told cheaply and without validation.

Standard library only: this runs for every JSON file that a test run comes across. The bytes are searched first, and
only a file that has the words of an eval document is looked at as JSON, member by member at the top level.
"""

from __future__ import annotations

import codecs
import json
import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_agentevals.documents.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Bytes read of every file. Legacy forms, which folders do not collect, are recognised within them.
HEAD = 1 << 16

_WORDS = ('"schemaVersion"', '"items"', '"prompts"', '"prompt"', '"pytest-agentevals"')

_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Finding:
    """What a JSON file seems to be.

    - ``document``: an eval document, perhaps a broken one;
    - ``results``, ``recording``: written by this package;
    - ``legacy``: has something of an eval document, enough to be one where it is named explicitly, but not by itself;
    - ``other``: nothing of ours.
    """

    kind: Literal["document", "results", "recording", "legacy", "other"]
    #: Why the file is left alone in a folder, as a phrase that follows its name; empty for documents.
    reason: str = ""
    #: Whether it looks like an eval document that was meant to be collected, or cannot be read.
    near: bool = False


def sniff(path: Path) -> Finding:
    """Tell what a JSON file is; never raises for what is in it, and reports what cannot be read as `Finding.near`."""
    try:
        if not path.is_file():
            return Finding("other", "is no file")
        with path.open("rb") as file:
            head = file.read(HEAD)
            if len(head) < HEAD:
                return _judge(head, head)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                return _judge(whole, head)
    except OSError as error:
        return Finding("other", f"cannot be read: {error.strerror}", near=True)


def looped(path: Path) -> bool:
    """Tell whether two of the folders on the way to a file are really the same, through a symbolic link."""
    folders = [(status.st_dev, status.st_ino) for status in (folder.stat() for folder in path.absolute().parents)]
    return len(set(folders)) < len(folders)


def _judge(whole: bytes | mmap.mmap, head: bytes) -> Finding:
    if not head.strip():
        return Finding("other", "is empty")
    encoding = json.detect_encoding(head)
    bare = encoding.removesuffix("-sig")
    if bare in {"utf-16", "utf-32"}:
        bare += "-be" if head.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)) else "-le"

    def has(word: str) -> bool:
        return whole.find(word.encode(bare)) >= 0

    candidate = (
        has('"schemaVersion"')
        and has('"items"')
        and any(map(has, ('"prompt"', '"turns"', '"default_evaluators"', "eval-document")))
    )
    if not (candidate or any(word.encode(bare) in head for word in _WORDS)):
        return Finding("other", "has nothing of an eval document")
    text = (whole[:] if candidate else head).decode(encoding, "replace")
    start = _blanks(text, 0)
    if text[start : start + 1] == "[":
        return _judge_list(_first(text, start))
    if text[start : start + 1] != "{":
        return Finding("other", "is no JSON object")
    found: dict[str, Any] = {}
    try:
        found.update(_members(text, start))
    except (ValueError, RecursionError):
        if candidate:
            return Finding("document")
    return _judge_members(found)


def _members(text: str, start: int) -> Iterator[tuple[str, Any]]:
    """Yield the members of the top-level object.

    Of the member at which a text breaks off, yields a list with the first element if there is one, then raises.
    """
    separator = "{"
    while True:
        index = _expect(text, start, separator)
        if text[index : index + 1] == "}":
            return
        key, index = _decode(text, index)
        index = _expect(text, index, ":")
        try:
            value, start = _decode(text, index)
        except json.JSONDecodeError:
            if text[index : index + 1] == "[":
                yield key, _first(text, index)
            raise
        yield key, value
        start = _blanks(text, start)
        if text[start : start + 1] == "}":
            return
        separator = ","


def _expect(text: str, index: int, character: str) -> int:
    """Return the index behind a character and the white space around it; `ValueError` where it is not there."""
    index = _blanks(text, index)
    if text[index : index + 1] != character:
        raise ValueError(f"no {character}")
    return _blanks(text, index + 1)


def _blanks(text: str, index: int) -> int:
    while text[index : index + 1] in {" ", "\t", "\n", "\r"}:
        index += 1
    return index


def _first(text: str, index: int) -> list[Any]:
    """Return the first element of the list that starts at ``index``, as a list; empty where it breaks off before."""
    try:
        return [_decode(text, _blanks(text, index + 1))[0]]
    except json.JSONDecodeError:
        return []


def _judge_list(first: list[Any]) -> Finding:
    if first and isinstance(first[0], dict) and "prompt" in first[0]:
        return Finding("legacy", "is a bare list of prompts, a legacy form", near="expected_response" in first[0])
    return Finding("other", "is a list")


def _judge_members(found: dict[str, Any]) -> Finding:
    written = _written(found)
    if written:
        return written
    version, items = found.get("schemaVersion"), found.get("items")
    ours = (
        "default_evaluators" in found
        or "eval-document" in str(found.get("$schema"))
        or (isinstance(items, list) and any(isinstance(item, dict) and item.keys() & _ITEM for item in items))
    )
    if isinstance(version, str) and isinstance(items, list) and ours:
        return Finding("document")
    if not found.keys() & {"schemaVersion", "items", "prompts"}:
        return Finding("other", 'has no "schemaVersion", "items" or "prompts"')
    typo = nearest("schemaVersion", found)
    signs = (version is not None or typo is not None, "items" in found or found.keys() >= _LEGACY, ours)
    if version is None:
        reason = 'has no "schemaVersion"' + (f', but "{typo}"' if typo else "")
    elif not isinstance(version, str):
        reason = '"schemaVersion" is not a string'
    elif not isinstance(items, list):
        reason = 'has no "items"' if items is None else '"items" is not a list'
    else:
        reason = 'has no item with "prompt" or "turns"'
    return Finding("legacy", reason, near=sum(signs) > 1 or found.keys() >= _LEGACY)


_ITEM = {"prompt", "turns"}
_LEGACY = {"prompts", "expected_responses"}


def _written(found: dict[str, Any]) -> Finding | None:
    """Recognise what this package writes by ``metadata.extensions["pytest-agentevals"].kind``."""
    value: Any = found
    for key in ("metadata", "extensions", "pytest-agentevals", "kind"):
        value = value.get(key) if isinstance(value, dict) else None
    if value == "results":
        return Finding("results", "is a results document")
    if value == "recording":
        return Finding("recording", "is a recording")
    return None
