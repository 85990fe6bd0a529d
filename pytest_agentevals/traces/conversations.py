"""Conversations: turns that belong together, in their order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_agentevals.traces.exchanges import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentevals.traces.exchanges import Exchange
    from pytest_agentevals.traces.notes import Notes
    from pytest_agentevals.traces.otlp import Span
    from pytest_agentevals.traces.turns import Turn

#: Turns that a thread of an eval document may have.
LONGEST = 20


@dataclass(slots=True)
class Conversation:
    """The turns of one conversation. ``last`` is when its last turn began, None where that is not known."""

    turns: list[Turn]
    id: str | None = None
    last: datetime | None = None
    #: Where it comes from: ids of traces, or the place of a line in a log.
    sources: list[str] = field(default_factory=list)
    instructions: str = ""
    #: Number of this part of a conversation that was split, from 1; 0 for one that was not.
    part: int = 0


def from_spans(spans: Sequence[Span], notes: Notes) -> list[Conversation]:
    """Return the conversations of all spans, in the order in which they began."""
    traces: defaultdict[str, list[Span]] = defaultdict(list)
    for span in spans:
        traces[span.trace].append(span)
    exchanges = [one for group in traces.values() for one in Trace(group, notes).exchanges()]
    exchanges.sort(key=lambda exchange: exchange.started)
    return [_conversation(group) for group in _grouped(exchanges)]


def _grouped(exchanges: Iterable[Exchange]) -> list[list[Exchange]]:
    """Gather the exchanges of each conversation: by its id; without one, by the history that an exchange repeats."""
    groups: list[list[Exchange]] = []
    named: dict[str, list[Exchange]] = {}
    #: Everything said in a conversation so far -> the conversation.
    said: dict[tuple[tuple[str, str | None], ...], list[Exchange]] = {}
    for exchange in exchanges:
        history = tuple(turn.said for turn in exchange.history)
        group = named.get(exchange.conversation) if exchange.conversation else _continued(history, said)
        if group is None:
            group = []
            groups.append(group)
            if exchange.conversation:
                named[exchange.conversation] = group
        group.append(exchange)
        if not exchange.conversation:
            said[*history, exchange.turn.said] = group
    return groups


def _continued(
    history: tuple[tuple[str, str | None], ...], said: dict[tuple[tuple[str, str | None], ...], list[Exchange]]
) -> list[Exchange] | None:
    """Return the conversation of which a history is the whole, or the beginning is; each is continued once."""
    for length in range(len(history), 0, -1):
        group = said.pop(history[:length], None)
        if group is not None:
            return group
    return None


def _conversation(exchanges: Sequence[Exchange]) -> Conversation:
    turns: list[Turn] = []
    for exchange in exchanges:
        # Turns that were traced elsewhere, or not at all, are known from what the next one repeats.
        turns.extend(exchange.history[len(turns) :])
        turns.append(exchange.turn)
    started = exchanges[-1].started
    return Conversation(
        turns=turns,
        id=exchanges[0].conversation,
        last=datetime.fromtimestamp(started / 1e9, UTC) if started else None,
        sources=list(dict.fromkeys(exchange.trace for exchange in exchanges)),
        instructions=exchanges[0].instructions,
    )


def split(conversations: Iterable[Conversation], notes: Notes) -> Iterator[Conversation]:
    """Yield conversations of at most 20 turns: longer ones in parts, which is counted in ``notes``."""
    for conversation in conversations:
        if len(conversation.turns) <= LONGEST:
            yield conversation
            continue
        notes.count(f"conversations of more than {LONGEST} turns, split (later parts lack what was said before)")
        for part, start in enumerate(range(0, len(conversation.turns), LONGEST), start=1):
            yield Conversation(
                turns=conversation.turns[start : start + LONGEST],
                id=conversation.id,
                last=conversation.last,
                sources=conversation.sources,
                instructions=conversation.instructions,
                part=part,
            )
