"""Chat logs: conversations as OpenAI's chat completions write them, one per line.

A conversation is a list of messages, or an object with ``messages``. Beside them may stand ``tools`` (definitions),
``id`` or ``conversation_id``, ``timestamp``, ``created_at`` (ISO 8601) or ``created`` (seconds since 1970), ``usage``,
``latency_ms``, and the completion that answered, as ``choices`` or as ``response``; what was asked may also be nested
as ``request``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_agentevals.traces.conversations import Conversation
from pytest_agentevals.traces.exchanges import NO_ANSWER
from pytest_agentevals.traces.messages import read_messages
from pytest_agentevals.traces.tools import definitions
from pytest_agentevals.traces.turns import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_agentevals.traces.files import Record
    from pytest_agentevals.traces.notes import Notes
    from pytest_agentevals.traces.turns import Turn

NAMES = ("conversation_id", "thread_id", "session_id", "id")
TIMES = ("timestamp", "created_at", "created")


def is_chat(value: Any) -> bool:
    """Tell whether a JSON value is a conversation, or a list of conversations."""
    if isinstance(value, list):
        return bool(value) and (is_messages(value) or all(is_chat(entry) for entry in value))
    return isinstance(value, dict) and _asked(value) is not None


def is_messages(value: Any) -> bool:
    """Tell whether a JSON value is a list of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "role" in one for one in value)


def conversations(records: Iterable[Record], notes: Notes) -> Iterator[Conversation]:
    """Yield the conversations of chat logs; what is none is told in ``notes``."""
    for record in records:
        several = isinstance(record.value, list) and not is_messages(record.value)
        for value in record.value if several else [record.value]:
            found = _conversation({"messages": value} if is_messages(value) else value, record.place, notes)
            if found is not None:
                yield found


def _asked(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the part of a logged object that has the messages."""
    return next(
        (
            part
            for part in (value, value.get("request"))
            if isinstance(part, dict) and is_messages(part.get("messages"))
        ),
        None,
    )


def _conversation(value: Any, place: str, notes: Notes) -> Conversation | None:
    asked = _asked(value) if isinstance(value, dict) else None
    if asked is None:
        notes.tell(f'{place}: no chat, left out: it has no list "messages" of objects with a "role"')
        return None
    messages = read_messages([*asked["messages"], *_completion(value, notes)], notes)
    turns = [one.turn for one in spoken(messages, notes)]
    if turns and turns[-1].response is None:
        notes.count(NO_ANSWER)
        turns.pop()
    if not turns:
        notes.tell(f"{place}: a chat without a prompt and an answer, left out")
        return None
    _describe(turns[-1], value)
    tools = asked.get("tools", asked.get("functions"))
    for turn in turns:
        turn.tool_definitions = definitions(tools if isinstance(tools, list) else ()) or None
    return Conversation(
        turns=turns,
        id=next((value[name] for name in NAMES if isinstance(value.get(name), str) and value[name]), None),
        last=next((time for name in TIMES if (time := _time(value.get(name))) is not None), None),
        sources=[place],
        instructions="\n\n".join(message.text for message in messages if message.role == "system" and message.text),
    )


def _completion(value: Mapping[str, Any], notes: Notes) -> list[Any]:
    """Return the message of the completion that was logged beside the request."""
    choices = value.get("choices")
    response = value.get("response")
    if isinstance(response, dict):
        choices = response.get("choices", choices)
    if not isinstance(choices, list) or not choices:
        return []
    notes.count("choices beside the first one", len(choices) - 1)
    return choices[:1]


def _describe(turn: Turn, value: Mapping[str, Any]) -> None:
    """Add what is logged about the last answer."""
    response = value.get("response")
    usage: Any = value.get("usage", response.get("usage") if isinstance(response, dict) else None)
    if isinstance(usage, dict):
        counts: dict[str, Any] = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
        if all(isinstance(count, int) for count in counts.values()):
            turn.usage = counts
    latency = value.get("latency_ms")
    if isinstance(latency, int | float) and not isinstance(latency, bool) and latency >= 0:
        turn.latency_ms = latency


def _time(value: Any) -> datetime | None:
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return time if time.tzinfo else time.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
