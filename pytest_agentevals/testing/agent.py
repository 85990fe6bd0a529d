"""A scripted agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Whatever an agent client may return: a text, an `AgentResponse`, or a dict of its fields.
Response: TypeAlias = Any


class ScriptedAgent:
    """An agent client that answers prompts from a table or a function. ``calls`` are the prompts and conversations.

    In a table an exception in place of a response is raised; a prompt that it lacks raises `LookupError`.
    """

    def __init__(self, script: Mapping[str, Response] | Callable[[str], Response]) -> None:
        self._script = script
        self.calls: list[tuple[str, Mapping[str, Any] | None]] = []

    def __call__(self, prompt: str, conversation: Mapping[str, Any] | None = None) -> Response:
        """Answer a prompt."""
        self.calls.append((prompt, conversation))
        if callable(self._script):
            return self._script(prompt)
        if prompt not in self._script:
            raise LookupError(f"the scripted agent has no answer to {prompt!r}")
        response = self._script[prompt]
        if isinstance(response, BaseException):
            raise response
        return response
