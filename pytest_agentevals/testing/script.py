"""What a scripted judge answers to which question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of a scripted judge in every detail; the last five fields need a server."""

    content: str | None = None
    refusal: str | None = None
    finish_reason: str = "stop"
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    #: Token counts; None leaves them out.
    prompt_tokens: int | None = 100
    completion_tokens: int | None = 20
    #: Seconds before the answer.
    delay: float = 0.0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    #: The whole body in place of a chat completion; for an error status by default an error object.
    body: bytes | None = None
    #: Bytes of the body after which the connection is reset.
    reset_after: int | None = None
    #: Seconds between the bytes of the body.
    drip: float = 0.0


#: A text; a JSON object; or a reply in every detail.
Answer: TypeAlias = str | Mapping[str, Any] | Reply
#: From the body of a request (``messages``, ``model``, ``temperature``, …) to an answer.
Function: TypeAlias = Callable[[Mapping[str, Any]], Answer]
#: From a part of the messages' text to an answer, or to a list of answers given one after the other, the last one
#: again and again. The first part that occurs counts; the empty string occurs everywhere.
Table: TypeAlias = Mapping[str, "Answer | list[Answer]"]


class Script:
    """Answers requests from a function or a table, and keeps them in ``requests``."""

    def __init__(self, script: Function | Table) -> None:
        self._script = script
        self._given: dict[str, int] = {}
        self.requests: list[dict[str, Any]] = []

    def reply(self, request: dict[str, Any]) -> Reply:
        """Answer one request; raises `LookupError` where the table has no answer."""
        self.requests.append(request)
        answer = self._script(request) if callable(self._script) else self._look_up(self._script, request)
        if isinstance(answer, Reply):
            return answer
        return Reply(content=answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))

    def _look_up(self, table: Table, request: Mapping[str, Any]) -> Answer:
        text = message_text(request)
        part = next((part for part in table if part in text), None)
        if part is None:
            raise LookupError(f"the script has no answer to: {text}")
        answers = table[part]
        if not isinstance(answers, list):
            return answers
        given = self._given[part] = self._given.get(part, 0) + 1
        return answers[min(given, len(answers)) - 1]


def message_text(request: Mapping[str, Any]) -> str:
    """Return the text of all messages of a request, one after the other."""
    contents = [message.get("content") for message in request["messages"]]
    return "\n".join(content if isinstance(content, str) else json.dumps(content) for content in contents)
