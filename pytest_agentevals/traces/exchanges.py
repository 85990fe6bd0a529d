"""From the spans of a trace to exchanges: one prompt, the answer to it, and all that was done in between."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.traces import conventions
from pytest_agentevals.traces.conventions import Kind, kind
from pytest_agentevals.traces.notes import Notes
from pytest_agentevals.traces.tools import definitions, evidence
from pytest_agentevals.traces.turns import Turn, spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentevals.traces.messages import Call, Message, Result
    from pytest_agentevals.traces.otlp import Span
    from pytest_agentevals.traces.turns import Spoken

#: Stands for what is above the topmost spans of a trace.
TOP = ""
TALKING = {Kind.AGENT, Kind.MODEL}
CONVERSATION = "gen_ai.conversation.id"

NO_MESSAGES = "agent and model spans without a prompt (their instrumentation does not capture content)"
NO_ANSWER = "prompts without an answer"
NO_PROMPT = "tool and retrieval spans of traces without a prompt"


@dataclass(slots=True)
class Exchange:
    """A turn, what was said before it, and where it comes from. ``started`` is in nanoseconds since 1970, 0 unknown."""

    turn: Turn
    history: list[Turn]
    trace: str
    conversation: str | None
    started: int
    instructions: str = ""


@dataclass(slots=True)
class Unit:
    """A span with messages of its own: those of an agent, or of one request to a model; and all spans under it."""

    span: Span
    turns: list[Spoken]
    output: list[Message]
    system: str
    members: list[Span]
    notes: Notes

    @property
    def response(self) -> str | None:
        """The answer; None where the span has none, whatever its input says of earlier ones."""
        return self.turns[-1].response if self.output else None


class Trace:
    """The spans of one trace as a tree."""

    def __init__(self, spans: Iterable[Span], notes: Notes) -> None:
        self._notes = notes
        self._spans = {span.id: span for span in sorted(spans, key=lambda span: (span.start, span.end))}
        self._children: defaultdict[str, list[Span]] = defaultdict(list)
        for span in self._spans.values():
            # A span whose parent was not exported, or is itself, stands at the top.
            known = span.parent in self._spans and span.parent != span.id
            self._children[span.parent if known else TOP].append(span)
        lost = len(self._spans) - sum(1 for _ in self._below(TOP))
        notes.count("spans that are above themselves, left out", lost)

    def exchanges(self) -> Iterator[Exchange]:
        """Yield the exchanges in the order of their prompts."""
        groups: dict[tuple[int, str], list[Unit]] = {}
        for unit in self._units():
            # The requests that a model gets while it calls tools end with the same prompt.
            groups.setdefault((len(unit.turns), unit.turns[-1].prompt), []).append(unit)
        above = [{name for unit in units for name in self._above(unit.span)} for units in groups.values()]
        others = self._others(list(groups.values()), above)
        below = Counter(name for names in above for name in names)
        for units, names, spans in zip(groups.values(), above, others, strict=True):
            # Agents without messages of their own that had this exchange only.
            alone = [self._spans[name] for name in names if name != TOP and below[name] == 1]
            exchange = self._exchange(units, [*(span for span in alone if kind(span) is Kind.AGENT), *spans])
            if exchange.turn.response is None:
                self._notes.count(NO_ANSWER)
            else:
                yield exchange

    def _units(self) -> Iterator[Unit]:
        """Yield the outermost spans with messages. What a tool does inside is its own business."""
        waiting = self._children[TOP][::-1]
        while waiting:
            span = waiting.pop()
            what = kind(span)
            if what in TALKING:
                unit = self._unit(span)
                if unit.turns and (what is Kind.MODEL or unit.response is not None):
                    yield unit
                    continue
                if not unit.turns and not any(kind(inner) in TALKING for inner in unit.members[1:]):
                    self._notes.count(NO_MESSAGES)
            if what is not Kind.TOOL:
                waiting.extend(reversed(self._children[span.id]))

    def _unit(self, span: Span) -> Unit:
        notes = Notes()
        messages, output = conventions.inputs(span, notes), conventions.outputs(span, notes)
        system = [conventions.instructions(span, notes), *(one.text for one in messages if one.role == "system")]
        return Unit(
            span=span,
            turns=spoken([*messages, *output], notes),
            output=output,
            system="\n\n".join(filter(None, system)),
            members=[span, *self._below(span.id)],
            notes=notes,
        )

    def _below(self, name: str) -> Iterator[Span]:
        """Yield all spans under one."""
        waiting = [name]
        while waiting:
            inner = self._children.get(waiting.pop(), [])
            yield from inner
            waiting.extend(span.id for span in inner)

    def _above(self, span: Span) -> Iterator[str]:
        """Yield the ids on the way up from a span, ending with `TOP`."""
        seen = {span.id}
        while span.parent in self._spans and span.parent not in seen:
            seen.add(span.parent)
            yield span.parent
            span = self._spans[span.parent]
        yield TOP

    def _others(self, groups: Sequence[Sequence[Unit]], above: Sequence[set[str]]) -> list[list[Span]]:
        """Give the tools and retrievals beside the units to the exchange that they belong to.

        That is the one nearest in the tree; of several the first that ended after they began: documents are retrieved
        before the model is asked.
        """
        taken = {span.id for units in groups for unit in units for span in unit.members}
        ends = [max(unit.span.end for unit in units) for units in groups]
        found: list[list[Span]] = [[] for _ in groups]
        for span in self._spans.values():
            if span.id in taken or kind(span) not in {Kind.TOOL, Kind.RETRIEVAL}:
                continue
            if not groups:
                self._notes.count(NO_PROMPT)
                continue
            near = next(
                near
                for name in self._above(span)
                if (near := [number for number, names in enumerate(above) if name in names])
            )
            chosen = next((number for number in near if ends[number] >= span.start), near[-1])
            inner = list(self._below(span.id))
            taken.update(one.id for one in inner)
            found[chosen].extend([span, *inner])
        return found

    def _exchange(self, units: Sequence[Unit], others: Sequence[Span]) -> Exchange:
        last = max(units, key=lambda unit: unit.span.end)
        self._notes.add(last.notes)
        spans = [*(span for unit in units for span in unit.members), *others]
        talking = [span for span in spans if kind(span) in TALKING and not self._in_tool(span)]
        retrievals = [conventions.retrieval(span) for span in spans if kind(span) is Kind.RETRIEVAL]
        starts, ends = [span.start for span in spans], [span.end for span in spans]
        turn = Turn(
            last.turns[-1].prompt,
            next((unit.response for unit in (last, *reversed(units)) if unit.response is not None), None),
            tool_calls=self._tool_calls(units, talking, spans),
            tool_definitions=definitions(one for span in talking for one in conventions.definitions(span)) or None,
            retrievals=retrievals or None,
            usage=self._usage(spans),
            latency_ms=(max(ends) - min(starts)) / 1e6 if min(starts) and max(ends) >= min(starts) else None,
        )
        return Exchange(
            turn=turn,
            history=[one.turn for one in last.turns[:-1]],
            trace=last.span.trace,
            conversation=self._conversation(last.span, spans),
            started=min(starts),
            instructions=next((unit.system for unit in units if unit.system), ""),
        )

    def _in_tool(self, span: Span) -> bool:
        return any(name != TOP and kind(self._spans[name]) is Kind.TOOL for name in self._above(span))

    def _tool_calls(
        self, units: Sequence[Unit], talking: Sequence[Span], spans: Sequence[Span]
    ) -> dict[str, Any] | None:
        """Return the evidence of tool calls; None where nothing shows whether there were any."""
        models = [span for span in talking if kind(span) is Kind.MODEL]
        given = [conventions.outputs(span, Notes()) for span in models]
        calls = _united(
            [call for messages in given for message in messages for call in message.calls],
            [call for unit in units for call in unit.turns[-1].calls],
        )
        results = _returned(units)
        executions = [
            conventions.execution(span) for span in spans if kind(span) is Kind.TOOL and not self._in_tool(span)
        ]
        if not (any(given) or calls or results or executions):
            return None
        return evidence(calls, results, executions)

    def _usage(self, spans: Sequence[Span]) -> dict[str, int] | None:
        """Return the tokens of an exchange: what its agent says, else the sum over all models; unknown if one is."""
        agents = [span for span in spans if kind(span) is Kind.AGENT]
        names = {span.id for span in agents}
        outermost = [span for span in agents if names.isdisjoint(self._above(span))]
        if len(outermost) == 1 and (said := conventions.usage(outermost[0])):
            return said
        counts = [conventions.usage(span) for span in spans if kind(span) is Kind.MODEL]
        known = [count for count in counts if count is not None]
        if not known or len(known) < len(counts):
            return None
        return {name: sum(count[name] for count in known) for name in ("prompt_tokens", "completion_tokens")}

    def _conversation(self, span: Span, spans: Iterable[Span]) -> str | None:
        """Return the conversation's id, which may stand on any span of the exchange or above it."""
        above = [self._spans[name] for name in self._above(span) if name != TOP]
        found = (one.attributes.get(CONVERSATION) for one in (span, *above, *spans))
        return next((value for value in found if isinstance(value, str) and value), None)


def _united(first: Sequence[Call], second: Iterable[Call]) -> list[Call]:
    """Return calls, each once. Calls without an id cannot be told apart: those of ``first`` are then all there are."""
    calls = list({call.id or number: call for number, call in enumerate(first)}.values())
    known = {call.id for call in calls}
    for call in second:
        if call.id not in known if call.id is not None else not first:
            calls.append(call)
            known.add(call.id)
    return calls


def _returned(units: Sequence[Unit]) -> list[Result]:
    """Return what tools returned, each once: the input of a later request repeats that of the earlier ones."""
    found = {result.id: result for unit in units for result in unit.turns[-1].results if result.id is not None}
    return [*found.values(), *(result for result in units[-1].turns[-1].results if result.id is None)]
