"""Rows of a table as items: columns by the names that tools give them, all others under ``extensions``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pytest_agentevals.documents.models import Item, Thread
from pytest_agentevals.documents.upgrade import free_name
from pytest_agentevals.documents.versions import newest
from pytest_agentevals.documents.wording import quoted, shown
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_agentevals.cli.conversion.notices import Notices

#: Column in which our own tables carry the rest of the document, in one of the rows.
DOCUMENT = "eval_document"
#: Names of other tools: azure-ai-evaluation, deepeval, and what people write.
NAMES = {
    "query": "prompt",
    "question": "prompt",
    "input": "prompt",
    "ground_truth": "expected_response",
    "expected_output": "expected_response",
    "expected": "expected_response",
    "reference": "expected_response",
    "actual_output": "response",
    "output": "response",
}
TEXTS = {"prompt", "expected_response", "context", "response"}


def to_document(rows: Iterable[Mapping[str, Any]], notices: Notices) -> dict[str, Any]:
    """Make a document of rows; raises `DocumentError` for rows that have no prompt."""
    given = list(rows)
    top = next((row[DOCUMENT] for row in given if DOCUMENT in row), None)
    if top is None:
        items = [_item(row, number, notices) for number, row in enumerate(given, 1)]
        return {"schemaVersion": newest(), "items": items}
    if not isinstance(top, dict):
        raise DocumentError(f"{DOCUMENT} has to be an object, not {shown(top)}")
    return {**top, "items": [{key: row[key] for key in row if key != DOCUMENT} for row in given]}


def from_document(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the items of a document as rows; the first carries the rest of the document."""
    rest = {key: value for key, value in document.items() if key != "items"}
    for number, item in enumerate(document["items"]):
        yield {**item, DOCUMENT: rest} if number == 0 else dict(item)


def _item(row: Mapping[str, Any], number: int, notices: Notices) -> dict[str, Any]:
    item: dict[str, Any] = {"turns": row["turns"]} if "turns" in row else {}
    others: dict[str, Any] = {}
    for column, value in row.items():
        name = column if _fits(item, column, value) else NAMES.get(_plain(column), _plain(column))
        fitting = _as_text(name, value)
        if value is None or column == "turns":
            continue
        taken = name not in item and _fits(item, name, fitting)
        if taken:
            item[name] = fitting
        if not taken or (fitting is not value and isinstance(value, list) and len(value) > 1):
            others[column] = value
    if "prompt" not in item and "turns" not in item:
        found = ", ".join(quoted(column) for column in row) or "nothing"
        wanted = ", ".join(["prompt", *(name for name, meaning in NAMES.items() if meaning == "prompt")])
        raise DocumentError(f"row {number} has no prompt, a text under {wanted}: it has {found}")
    return with_extensions(item, others, notices)


def _as_text(name: str, value: Any) -> Any:
    """Return what stands for a value under a name for texts: numbers are texts of digits, lists are joined."""
    if name not in TEXTS:
        return value
    return json.dumps(value) if isinstance(value, int | float) else joined(value) or value


def _fits(item: Mapping[str, Any], name: str, value: Any) -> bool:
    """Whether a value may stand under a name in an item; whatever is there for the turns of a thread may."""
    kind: type[Item | Thread] = Thread if "turns" in item else Item
    needed = {"turns": [{"prompt": "any"}]} if "turns" in item else {"prompt": "any"}
    try:
        kind.model_validate({**needed, name: value})
    except ValidationError:
        return False
    return True


def with_extensions(item: dict[str, Any], others: Mapping[str, Any], notices: Notices) -> dict[str, Any]:
    """Put what has no place in an item under its ``extensions``, and tell it."""
    for key, value in others.items():
        extensions = item.setdefault("extensions", {})
        if not isinstance(extensions, dict):
            raise DocumentError(f'"extensions" has to be an object, not {shown(extensions)}')
        extensions[free_name(key, extensions)] = value
        notices.tell(f"{quoted(key)} -> extensions")
    return item


def _plain(column: str) -> str:
    return "_".join(column.strip().lower().split())


def joined(texts: Any) -> str | None:
    """Return a list of texts as one text; None for what is no such list."""
    listed = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    return "\n\n".join(texts) if listed and texts else None


def columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns of rows: what is asked first, the rest of the document last, others as they occur."""
    found = dict.fromkeys(key for row in rows for key in row)
    first = [key for key in ("prompt", "name", "turns") if key in found]
    return [*first, *(key for key in found if key not in {*first, DOCUMENT}), DOCUMENT]
