"""Results documents of this package, read as datasets of recorded responses.

A results document follows the public schema. What that forbids, and what identifies an item in its own document, stands
in the item's extension of ours; here it is put back to where datasets have it.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Key of ours in ``extensions``.
EXTENSION = "pytest-agentevals"

#: Bytes of a file within which a results document says that it is one.
HEAD = 1 << 16

#: Keys of items, turns and threads that say what a run found, and what an agent answered.
FOUND = frozenset({"scores", "status", "error", "summary"})
ANSWERED = frozenset({"response", "citations", "diagnostics"})
#: What is known of an evaluated item in another form: resolved.
_RESOLVED = frozenset({"evaluators", "evaluators_mode"})


def extension(part: Any) -> Mapping[str, Any]:
    """Return what we wrote into the ``extensions`` of a part of a document; empty where there is nothing."""
    found = part.get("extensions") if isinstance(part, dict) else None
    ours = found.get(EXTENSION) if isinstance(found, dict) else None
    return ours if isinstance(ours, dict) else {}


def is_results(value: Any) -> bool:
    """Whether a document was written by this package as the results of a run."""
    return isinstance(value, dict) and extension(value.get("metadata")).get("kind") == "results"


def sources(path: Path) -> tuple[str, ...]:
    """Return the paths of the documents whose results a file has; empty for every other file.

    Of other files only the beginning is read, where results documents say what they are.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            if f'"{EXTENSION}"'.encode() not in head or b'"results"' not in head:
                return ()
            value = json.loads(head + file.read())
    except (OSError, ValueError, RecursionError):
        return ()
    documents = extension(value.get("metadata")).get("documents") if is_results(value) else None
    return tuple(documents) if isinstance(documents, dict) else ()


def as_dataset(value: Mapping[str, Any]) -> dict[str, Any]:
    """Make a dataset of a results document: its prompts, evaluators and ids, with the recorded responses.

    Items of several documents may share an id; then their document is added to it. Raises `ValueError` where our
    extensions are not as we wrote them.
    """
    metadata = without_extension(value["metadata"])
    # Every item has its own tags and those of its document.
    metadata.pop("tags", None)
    items = value.get("items")
    if isinstance(items, list):
        ids = Counter(str(extension(item).get("id")) for item in items)
        try:
            items = [_item(item, ids) if isinstance(item, dict) else item for item in items]
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{EXTENSION} in its extensions was changed: {error!r}") from None
    return {**value, "metadata": metadata, "items": items}


def without_extension(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a document without what we wrote into its ``extensions``."""
    rest = dict(part)
    extensions = rest.get("extensions")
    if isinstance(extensions, dict) and EXTENSION in extensions:
        rest["extensions"] = {key: value for key, value in extensions.items() if key != EXTENSION}
        if not rest["extensions"]:
            del rest["extensions"]
    return rest


def question(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item or thread of a dataset without answers, results, evaluators and tags: what it asks, and why."""
    left_out = FOUND | ANSWERED | _RESOLVED

    def of(part: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in part.items() if key not in left_out and value is not None}

    rest = of({key: value for key, value in item.items() if key != "tags"})
    if "turns" in rest:
        rest["turns"] = [of(turn) for turn in rest["turns"]]
    return rest


def restored(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item or thread of a results document as its dataset has it, with the responses of the run."""
    rest = _restored(item)
    if isinstance(rest.get("turns"), list):
        rest["turns"] = [_restored(turn) if isinstance(turn, dict) else turn for turn in rest["turns"]]
    return rest


def _restored(part: Mapping[str, Any]) -> dict[str, Any]:
    ours = extension(part)
    rest = {key: value for key, value in without_extension(part).items() if key not in FOUND}
    rest |= ours.get("fields", {})
    if "citations" in ours:
        rest["citations"] = ours["citations"]
    if "evaluators" in rest:
        rest["evaluators"] = _evaluators(rest["evaluators"], ours)
    return rest


def _evaluators(public: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Return evaluators with their options where the dataset has them."""
    own = dict(public)
    for name in ours.get("moved", ()):
        own[name] = {key: value for key, value in own[name].items() if key != "options"} | own[name]["options"]
    told = ours.get("options", dict.fromkeys(own))
    return {name: own[name] if options is None else options for name, options in told.items()}


def _item(item: Mapping[str, Any], ids: Counter[str]) -> dict[str, Any]:
    ours = extension(item)
    rest = restored(item)
    if "tags" in ours:
        rest["tags"] = ours["tags"]
    if "id" in ours:
        shared = ids[ours["id"]] > 1
        named = f"{ours['id']} ({ours['document'].removesuffix('.json')})" if shared else ours["id"]
        rest["extensions"] = {**rest.get("extensions", {}), "id": named}
    return rest
