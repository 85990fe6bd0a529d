"""A conversation with an agent, as clients see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import uuid4


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said before the prompt that is being asked.

    ``id`` stays the same for all turns of a thread and is new for every thread, single-turn item and repeat.
    ``messages`` are ``{"role": "user" | "assistant", "content": str}`` in order, without the present prompt.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    messages: list[dict[str, str]] = field(default_factory=list)

    def after(self, prompt: str, text: str) -> Conversation:
        """Return the conversation as it stands after one more prompt and the agent's answer to it."""
        turn = [{"role": "user", "content": prompt}, {"role": "assistant", "content": text}]
        return Conversation(self.id, [*self.messages, *turn])

    def copy(self) -> Conversation:
        """Return a copy that a client may change."""
        return Conversation(self.id, [dict(message) for message in self.messages])
