"""From files to conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pytest_agentevals.errors import DocumentError
from pytest_agentevals.traces import chat, conversations, otlp
from pytest_agentevals.traces.files import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pytest_agentevals.traces.conversations import Conversation
    from pytest_agentevals.traces.files import Record
    from pytest_agentevals.traces.notes import Notes

Format = Literal["otlp", "chat"]


def read_conversations(paths: Iterable[Path], notes: Notes, *, form: Format | None = None) -> list[Conversation]:
    """Read traces and chat logs; ``form`` says what they are where they do not show it.

    Spans of one trace may be spread over files. Raises `DocumentError` for a file that cannot be read or recognised.
    """
    traced: list[Record] = []
    logged: list[Record] = []
    for path in paths:
        records = read(path, notes)
        if records:
            target = {"otlp": traced, "chat": logged}[form or recognised(path, records)]
            target.extend(records)
    found = conversations.from_spans(otlp.spans(traced, notes), notes) if traced else []
    return [*found, *chat.conversations(logged, notes)]


def recognised(path: Path, records: Sequence[Record]) -> Format:
    """Tell what a file holds by the first of its values that shows it; raises `DocumentError` where none does."""
    for record in records:
        if otlp.is_export(record.value):
            return "otlp"
        if chat.is_chat(record.value):
            return "chat"
    raise DocumentError(
        f'{path}: neither traces (objects with "resourceSpans") nor chats (objects with "messages"); '
        "--format otlp or --format chat says which is meant"
    )
