"""The eval document that recorded conversations make."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_agentevals.traces.conversations import Conversation
    from pytest_agentevals.traces.turns import Turn

#: Version of the format in which the documents are written.
VERSION = "1.7.0"
#: Levels of lists and objects in the document; arguments of tools may have any number.
DEEPEST = 60


def document(
    conversations: Sequence[Conversation],
    *,
    name: str,
    created_at: str,
    evaluators: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write conversations as an eval document with recorded responses; ``evaluators`` are its default ones."""
    instructions = _distinct(conversation.instructions for conversation in conversations)
    metadata: dict[str, Any] = {"name": name, "createdAt": created_at, "createdBy": "agentevals import-traces"}
    if instructions:
        metadata["extensions"] = {"system_instructions": instructions}
    defaults = {} if evaluators is None else {"default_evaluators": evaluators}
    items = [_writable(item(conversation)) for conversation in conversations]
    return {"schemaVersion": VERSION, "metadata": _writable(metadata), **defaults, "items": items}


def item(conversation: Conversation) -> dict[str, Any]:
    """Write a conversation: of one turn as an item, of several as a thread."""
    extensions: dict[str, Any] = {"sources": conversation.sources}
    if conversation.last is not None:
        extensions["time"] = conversation.last.isoformat()
    if len(conversation.turns) == 1 and not conversation.part:
        if conversation.id is not None:
            extensions["conversation_id"] = conversation.id
        return {**turn(conversation.turns[0]), "extensions": extensions}
    named: dict[str, Any] = {}
    if conversation.id is not None:
        named["conversation_id"] = conversation.id
        named["name"] = conversation.id + (f" part {conversation.part}" if conversation.part else "")
    elif conversation.part:
        extensions["part"] = conversation.part
    return {**named, "turns": [turn(one) for one in conversation.turns], "extensions": extensions}


def turn(turn: Turn) -> dict[str, Any]:
    """Write a prompt with its recorded response; what is not known is left out."""
    evidence = {
        "retrieval_executions": turn.retrievals,
        "tool_calls": turn.tool_calls,
        "tool_definitions": turn.tool_definitions,
        "usage": turn.usage,
        "latency_ms": turn.latency_ms,
    }
    diagnostics = {name: value for name, value in evidence.items() if value is not None}
    written = {"prompt": turn.prompt, "response": turn.response}
    return {**written, "diagnostics": diagnostics} if diagnostics else written


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _writable(value: Any, depth: int = 0) -> Any:
    """Return a value that an eval document can carry: valid Unicode (else U+FFFD), finite numbers, few levels."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict() | list() | tuple() if depth > DEEPEST:
            return "(nested too deeply to be imported)"
        case dict():
            return {_writable(key): _writable(inner, depth + 1) for key, inner in value.items()}
        case list() | tuple():
            return [_writable(inner, depth + 1) for inner in value]
        case float() if not math.isfinite(value):
            return None
    return value
