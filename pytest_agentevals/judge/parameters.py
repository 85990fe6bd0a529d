"""The parameters of a request as the model takes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What the SDK puts in the place of ``max_tokens`` for reasoning models: thinking counts, and no prompt knows how long.
REASONING_TOKENS = 60_000
#: What reasoning models refuse.
SAMPLING = frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty"})
#: What a request can do without, because the answer is checked anyhow.
DISPENSABLE = SAMPLING | {"seed", "max_completion_tokens"}


class Dialect:
    """The parameters that one model takes, learned from what it refuses."""

    def __init__(self, *, reasoning: bool) -> None:
        self.reasoning = reasoning
        self._refused: set[str] = set()

    def translate(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters as this model takes them."""
        taken = dict(parameters)
        if self.reasoning and "max_tokens" in taken and "max_completion_tokens" not in self._refused:
            del taken["max_tokens"]
            taken["max_completion_tokens"] = REASONING_TOKENS
        if "json_schema" in self._refused and taken.get("response_format", {}).get("type") == "json_schema":
            taken["response_format"] = {"type": "json_object"}
        dropped = self._refused | SAMPLING if self.reasoning else self._refused
        return {name: value for name, value in taken.items() if name not in dropped}

    def learn(self, refusal: str, sent: Mapping[str, Any]) -> None:
        """Learn from a refusal that names exactly one of the parameters sent."""
        named = [name for name in sent if re.search(rf"\b{re.escape(name)}\b", refusal)]
        if len(named) != 1:
            return
        name = named[0]
        if name == "max_tokens":
            self.reasoning = True
        elif name == "response_format":
            self._refused.add("json_schema" if sent[name].get("type") == "json_schema" else name)
        elif name in DISPENSABLE:
            self._refused.add(name)
