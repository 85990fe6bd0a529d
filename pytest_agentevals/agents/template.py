"""The body of a request, with the prompt and the conversation filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation

#: The request of a client whose settings give no other.
DEFAULT = {"prompt": "{prompt}", "conversation": {"id": "{conversation_id}", "messages": "{history}"}}

_PLACEHOLDER = re.compile(r"\{(prompt|conversation_id|messages|history)\}")


def fill(template: Any, prompt: str, conversation: Conversation) -> Any:
    """Fill ``{prompt}``, ``{conversation_id}``, ``{messages}`` and ``{history}`` into the strings of a JSON value.

    A string that is nothing but a placeholder becomes the value: ``{messages}`` is then the list of all messages with
    the prompt as the last one, ``{history}`` those before it. Within other text the two are not filled in.
    """
    history = conversation.messages
    values = {
        "prompt": prompt,
        "conversation_id": conversation.id,
        "messages": [*history, {"role": "user", "content": prompt}],
        "history": history,
    }

    def filled(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: filled(value) for key, value in part.items()}
        if isinstance(part, list):
            return [filled(value) for value in part]
        if not isinstance(part, str):
            return part
        if alone := _PLACEHOLDER.fullmatch(part):
            return values[alone[1]]
        return _PLACEHOLDER.sub(lambda match: _text(values[match[1]], match[0]), part)

    return filled(template)


def fill_url(url: str, prompt: str, conversation: Conversation) -> str:
    """Fill ``{prompt}`` and ``{conversation_id}`` into a URL, percent-encoded."""
    values = {"prompt": prompt, "conversation_id": conversation.id}
    return _PLACEHOLDER.sub(lambda match: quote(values[match[1]], safe="") if match[1] in values else match[0], url)


def _text(value: Any, placeholder: str) -> str:
    return value if isinstance(value, str) else placeholder
