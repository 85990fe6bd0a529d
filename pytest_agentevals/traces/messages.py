"""Chat messages in the shapes in which instrumentations and chat logs write them.

Three families: ``{"role", "parts"}`` of the GenAI conventions since version 1.37, ``{"role", "content", "tool_calls"}``
of OpenAI's chat completions, which the older conventions share, and lists of content blocks as Anthropic writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.wording import quoted
from pytest_agentevals.traces.files import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_agentevals.traces.notes import Notes

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
TEXTS = {"text", "input_text", "output_text"}
CALLS = {"tool_call", "tool_use", "function_call"}
RESULTS = {"tool_call_response", "tool_result", "function_call_output"}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model asked for; ``arguments`` are None where they were not recorded."""

    name: str
    id: str | None = None
    arguments: Any = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool returned, and the id of the call where it is known."""

    id: str | None
    value: Any


@dataclass(slots=True)
class Message:
    """One message: its role is ``system``, ``user``, ``assistant`` or ``tool``."""

    role: str
    text: str = ""
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not (self.text or self.calls or self.results)


def read_messages(value: Any, notes: Notes, *, role: str = "user") -> list[Message]:
    """Read a list of messages, or a single one; ``role`` is that of bare text."""
    value = decoded(value)
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, str):
        return [Message(role, value)] if value else []
    if not isinstance(value, list):
        return []
    if value and all(isinstance(entry, dict) and "role" not in entry and "message" not in entry for entry in value):
        # Content blocks, without a message around them.
        value = [{"role": role, "content": value}]
    found = [read_message(entry, notes, role=role) for entry in value]
    return [message for message in found if message is not None]


def read_message(value: Any, notes: Notes, *, role: str = "user") -> Message | None:
    """Read one message; None, counted in ``notes``, for what is none."""
    if isinstance(value, str):
        return Message(role, value)
    if not isinstance(value, dict):
        notes.count("messages in a form that is not known")
        return None
    inner = decoded(value.get("message"))
    if isinstance(inner, dict | str):
        # A choice: the message is one of its fields.
        return read_message(inner, notes, role="assistant")
    given = value.get("role", role)
    if not isinstance(given, str) or given.lower() not in ROLES:
        notes.count(f"messages with the unknown role {quoted(str(given))}")
        return None
    message = Message(ROLES[given.lower()])
    texts: list[str] = []
    for part in _parts(value):
        _add(part, message, texts, notes)
    message.text = "".join(texts)
    for call in _tool_calls(value):
        message.calls.append(call)
    if message.role == "tool" and not message.results:
        identity = value.get("tool_call_id") or value.get("id")
        message.results.append(Result(identity if isinstance(identity, str) else None, decoded(message.text)))
        message.text = ""
    return message


def _parts(value: Mapping[str, Any]) -> list[Any]:
    """Return the parts of a message's content: of plain text, one."""
    content = value.get("parts", value.get("content"))
    blocks = decoded(content)
    known = TEXTS | CALLS | RESULTS
    if (
        isinstance(blocks, list)
        and blocks
        and all(isinstance(block, dict) and _kind(block) in known for block in blocks)
    ):
        return blocks
    if isinstance(content, list):
        return content
    refusal = value.get("refusal")
    return [text for text in (content, refusal) if isinstance(text, str) and text]


def _kind(block: Mapping[str, Any]) -> str:
    """Return the type of a part; a block with nothing but text needs none."""
    kind = block.get("type", "")
    return kind if isinstance(kind, str) and kind else "text" if isinstance(block.get("text"), str) else ""


def _add(part: Any, message: Message, texts: list[str], notes: Notes) -> None:
    """Add one part of a message's content to it."""
    if isinstance(part, str):
        texts.append(part)
        return
    kind = _kind(part) if isinstance(part, dict) else ""
    if kind in TEXTS:
        text = part.get("content", part.get("text"))
        texts.append(text if isinstance(text, str) else "")
    elif kind in CALLS and isinstance(part.get("name"), str):
        message.calls.append(_call(part["name"], part.get("id") or part.get("call_id"), part, "input"))
    elif kind in RESULTS:
        identity = part.get("id") or part.get("tool_use_id") or part.get("call_id")
        value = next((part[key] for key in ("response", "result", "output", "content") if key in part), None)
        message.results.append(Result(identity if isinstance(identity, str) else None, decoded(value)))
    else:
        notes.count(f"parts of messages that are no text ({quoted(kind or 'unknown')})")


def _tool_calls(value: Mapping[str, Any]) -> Iterable[Call]:
    """Return the calls beside a message's content: in chat completions they have a list of their own."""
    calls = decoded(value.get("tool_calls"))
    calls = calls if isinstance(calls, list) else []
    if isinstance(value.get("function_call"), dict):
        calls = [*calls, value["function_call"]]
    for call in calls:
        function = call.get("function", call) if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            yield _call(function["name"], call.get("id"), function, "arguments")


def _call(name: str, identity: Any, function: Mapping[str, Any], other: str) -> Call:
    arguments = function.get("arguments", function.get(other))
    return Call(name, identity if isinstance(identity, str) else None, decoded(arguments))
