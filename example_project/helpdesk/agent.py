"""The agent: it answers from the policies, and about orders with the help of a tool."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .orders import Orders
from .policies import Policies
from .words import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .policies import Hit, Passage

HERE = Path(__file__).parent
UNKNOWN = "I found nothing about that in our policies. Please write to help@larkspur.example."
#: A second passage is cited too if it fits practically as well as the best one.
CITED = 0.98

_ORDER = re.compile(r"\bL-\d{4}\b")
_FOLLOW_UP = re.compile(r"^(and|but|what about|how about)\b|\b(it|that|they)\b", re.IGNORECASE)
_STATES = {
    "packing": "Order {number} is being packed and should arrive on {arrives}.",
    "shipped": "Order {number} is on its way with {carrier} and should arrive on {arrives}.",
    "delivered": "Order {number} was delivered on {arrives}.",
}


@dataclass(frozen=True)
class Search:
    """A search that the agent made, with what it found."""

    query: str
    hits: Sequence[Hit]


@dataclass(frozen=True)
class ToolCall:
    """A tool that the agent called, and the HTTP status of the reply."""

    plugin: str
    function: str
    status: int


@dataclass(frozen=True)
class Answer:
    """What the agent says, the passages that it cites as [1], [2], …, and how it came to it."""

    text: str
    sources: Sequence[Passage] = ()
    searches: Sequence[Search] = ()
    tool_calls: Sequence[ToolCall] = ()


class HelpDesk:
    """Answers questions, one at a time; ``earlier`` are the user's questions before it in the conversation."""

    def __init__(self) -> None:
        self._policies = Policies.read(HERE / "policies")
        self._orders = Orders(HERE / "orders.json")

    def answer(self, question: str, earlier: Sequence[str] = ()) -> Answer:
        context = earlier[-1] if earlier and _FOLLOW_UP.search(question) else ""
        numbers = _ORDER.findall(f"{context} {question}")
        if numbers:
            return self._about_order(numbers[-1], as_json="json" in question.lower())
        return self._from_policies(question, context)

    def _from_policies(self, question: str, context: str) -> Answer:
        hits = self._policies.search(question, context)
        searches = [Search(" ".join(content_words(f"{context} {question}")), hits)]
        if not hits:
            return Answer(UNKNOWN, searches=searches)
        sources = [hit.passage for hit in hits if hit.score >= CITED * hits[0].score][:2]
        text = " ".join(f"{source.text} [{number}]" for number, source in enumerate(sources, 1))
        return Answer(text, sources, searches)

    def _about_order(self, number: str, *, as_json: bool) -> Answer:
        reply = self._orders.get_order(number)
        if reply.order is None:
            text = f"I cannot find order {number}. Please check the number in your confirmation."
        elif as_json:
            text = json.dumps({"number": number, **reply.order})
        else:
            text = _STATES[reply.order["state"]].format(number=number, **reply.order)
        return Answer(text, tool_calls=[ToolCall("orders", "get_order", reply.status)])
