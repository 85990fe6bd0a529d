"""Reading the body of a chat completion, from servers that follow the interface more or less."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pytest_agentevals.judge.faults import Fault, unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a server answered; None where it does not say."""

    content: str | None
    refusal: str | None
    finish_reason: str | None
    prompt_tokens: int | None
    completion_tokens: int | None


def read_completion(body: bytes) -> Completion | Fault:
    """Read the first choice of a completion; a fault where there is none."""
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        content = _text(message, "content")
        refusal = _text(message, "refusal")
    except (UnicodeError, RecursionError, ValueError):
        return unreadable(body, "no JSON in UTF-8")
    except (LookupError, TypeError, AttributeError):
        return unreadable(body, "no choices with a message")
    usage = data.get("usage")
    return Completion(
        content=content,
        refusal=refusal,
        finish_reason=_text(choice, "finish_reason"),
        prompt_tokens=_tokens(usage, "prompt_tokens"),
        completion_tokens=_tokens(usage, "completion_tokens"),
    )


def _text(values: dict[str, Any], key: str) -> str | None:
    """Return a text or None; raises `TypeError` for other values and `UnicodeError` for half of a surrogate pair."""
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise TypeError(key)
    if value is not None:
        value.encode()
    return value


def _tokens(usage: Any, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
