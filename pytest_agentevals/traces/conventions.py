"""The names of OpenTelemetry's GenAI semantic conventions, and what the spans that use them say.

Read are the conventions from version 1.27 to those of the repository semantic-conventions-genai, and what widely used
instrumentations write where no convention existed yet: numbered attributes (``gen_ai.prompt.0.content``) and the span
kinds of OpenLLMetry, and OpenInference's retriever spans.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_agentevals.traces.files import decoded
from pytest_agentevals.traces.messages import Call, read_message, read_messages
from pytest_agentevals.traces.tools import Execution

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentevals.traces.messages import Message
    from pytest_agentevals.traces.notes import Notes
    from pytest_agentevals.traces.otlp import Event, Span


class Kind(StrEnum):
    """What a span is to us."""

    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    RETRIEVAL = "retrieval"


#: By ``gen_ai.operation.name``.
OPERATIONS = {
    "invoke_agent": Kind.AGENT,
    "invoke_workflow": Kind.AGENT,
    "chat": Kind.MODEL,
    "generate_content": Kind.MODEL,
    "text_completion": Kind.MODEL,
    "execute_tool": Kind.TOOL,
    "retrieval": Kind.RETRIEVAL,
}
#: By other attributes that say what a span is: attribute -> value -> kind.
OTHERS = {
    "traceloop.span.kind": {"workflow": Kind.AGENT, "agent": Kind.AGENT, "tool": Kind.TOOL},
    "llm.request.type": {"chat": Kind.MODEL, "completion": Kind.MODEL},
    "openinference.span.kind": {"RETRIEVER": Kind.RETRIEVAL},
}
#: Events of the conventions up to 1.36, and the role of the message they carry.
MESSAGE_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
CHOICE = "gen_ai.choice"
#: The event that carries input and output of a span since 1.37, as attributes.
DETAILS = "gen_ai.client.inference.operation.details"
#: Events up to 1.28 that carry all prompts, or all completions, as JSON in the attribute named here.
CONTENT_EVENTS = {"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}

_NUMBERED = re.compile(r"(?:\.|^)(\d+)\.")


def kind(span: Span) -> Kind | None:
    """Tell what a span is; None for what is neither agent, model, tool nor retrieval."""
    found = span.attributes
    operation = found.get("gen_ai.operation.name")
    if isinstance(operation, str):
        return OPERATIONS.get(operation)
    for name, values in OTHERS.items():
        if found.get(name) in values:
            return values[found[name]]
    if any(name.startswith(("gen_ai.prompt", "gen_ai.completion", "gen_ai.input.messages")) for name in found):
        return Kind.MODEL
    if any(event.name in {*MESSAGE_EVENTS, CHOICE, DETAILS, *CONTENT_EVENTS} for event in span.events):
        return Kind.MODEL
    return None


def inputs(span: Span, notes: Notes) -> list[Message]:
    """Return the messages that went in, in their order."""
    for source in _sources(span):
        if "gen_ai.input.messages" in source:
            return read_messages(source["gen_ai.input.messages"], notes)
    found = [_event_message(event, notes) for event in span.events if event.name in MESSAGE_EVENTS]
    if found:
        return [message for message in found if message is not None]
    return _older(span, "gen_ai.prompt", notes, role="user")


def outputs(span: Span, notes: Notes) -> list[Message]:
    """Return what came out: all messages of an agent; of a model the first choice, others are counted in ``notes``."""
    found: list[Message] = []
    for source in _sources(span):
        if "gen_ai.output.messages" in source:
            found = read_messages(source["gen_ai.output.messages"], notes, role="assistant")
            break
    else:
        choices = [_event_message(event, notes) for event in span.events if event.name == CHOICE]
        found = [message for message in choices if message is not None]
        found = found or _older(span, "gen_ai.completion", notes, role="assistant")
    if kind(span) is Kind.AGENT:
        return found
    notes.count("choices beside the first one", max(len(found) - 1, 0))
    return found[:1]


def instructions(span: Span, notes: Notes) -> str:
    """Return the system instructions that are kept apart from the messages."""
    for source in _sources(span):
        if "gen_ai.system_instructions" in source:
            found = read_messages(source["gen_ai.system_instructions"], notes, role="system")
            return "\n\n".join(message.text for message in found)
    return ""


def definitions(span: Span) -> list[Any]:
    """Return the definitions of the tools that the model could choose from."""
    for source in _sources(span):
        given = decoded(source.get("gen_ai.tool.definitions"))
        if isinstance(given, list):
            return given
    functions = _numbered(span.attributes, "llm.request.functions")
    return [
        {"type": "function", "function": {name: decoded(value) for name, value in function.items()}}
        for function in functions
    ]


def usage(span: Span) -> dict[str, int] | None:
    """Return prompt and completion tokens; None where one of them is not known."""
    found = span.attributes
    prompt = found.get("gen_ai.usage.input_tokens", found.get("gen_ai.usage.prompt_tokens"))
    completion = found.get("gen_ai.usage.output_tokens", found.get("gen_ai.usage.completion_tokens"))
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return {"prompt_tokens": prompt, "completion_tokens": completion}


def execution(span: Span) -> Execution:
    """Return the tool that a span ran."""
    found = span.attributes
    name = found.get("gen_ai.tool.name") or found.get("traceloop.entity.name") or span.name
    identity = found.get("gen_ai.tool.call.id")
    arguments = decoded(found.get("gen_ai.tool.call.arguments", found.get("traceloop.entity.input")))
    result = decoded(found.get("gen_ai.tool.call.result", found.get("traceloop.entity.output")))
    call = Call(str(name), identity if isinstance(identity, str) else None, arguments)
    return Execution(call=call, status=status(span), result=result)


def status(span: Span) -> int | None:
    """Return the HTTP status that a span names; None where it names none."""
    found = span.attributes.get("http.response.status_code", span.attributes.get("http.status_code"))
    # The conventions write the status of a failed request as the type of the error.
    if found is None and re.fullmatch("[1-5][0-9]{2}", str(span.attributes.get("error.type"))):
        found = int(span.attributes["error.type"])
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def retrieval(span: Span) -> dict[str, Any]:
    """Return what was retrieved, as eval documents write it; the capability is the data source."""
    found = span.attributes
    query = found.get("gen_ai.retrieval.query.text", found.get("input.value"))
    documents = decoded(found.get("gen_ai.retrieval.documents"))
    if not isinstance(documents, list):
        flat = _numbered(found, "retrieval.documents")
        documents = [{key.removeprefix("document."): value for key, value in one.items()} for one in flat]
    hits = [_hit(document, rank) for rank, document in enumerate(documents, start=1) if isinstance(document, dict)]
    return {
        "capability": found.get("gen_ai.data_source.id", span.name),
        "status": "error" if span.failed else "success",
        "queries": [{"queryString": query}] if isinstance(query, str) else [],
        "retrievalHits": hits,
    }


def _hit(document: Mapping[str, Any], rank: int) -> dict[str, Any]:
    """Return a hit. The conventions name ``id`` and ``score``; instrumentations add the text as ``content``."""
    inner = document.get("document")
    document = {**document, **inner} if isinstance(inner, dict) else document
    metadata = decoded(document.get("metadata"))
    places = [document, metadata] if isinstance(metadata, dict) else [document]
    url = next((place[key] for place in places for key in ("url", "uri", "source") if _is_url(place.get(key))), None)
    text = next((document[key] for key in ("content", "text") if isinstance(document.get(key), str)), None)
    named = {key: document[key] for key in ("id", "score") if key in document}
    return {"rank": rank, "webUrl": url, "extracts": [] if text is None else [{"text": text}], **named}


def _is_url(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _sources(span: Span) -> Iterator[Mapping[str, Any]]:
    """Yield where the newer conventions write content: the span, and the event with its details."""
    yield span.attributes
    for event in span.events:
        if event.name == DETAILS:
            yield event.attributes
            if isinstance(event.body, dict):
                yield event.body


def _event_message(event: Event, notes: Notes) -> Message | None:
    """Read the message of an event, which is its body, or JSON in an attribute, or spread over its attributes."""
    content = event.body if event.body is not None else event.attributes.get("gen_ai.event.content")
    value = decoded(content if content is not None else event.attributes)
    return read_message(value, notes, role=MESSAGE_EVENTS.get(event.name, "assistant"))


def _older(span: Span, name: str, notes: Notes, *, role: str) -> list[Message]:
    """Read messages as they were written before there were events: numbered attributes, or JSON in one."""
    numbered = _numbered(span.attributes, name)
    if numbered:
        messages = [{**one, "tool_calls": _numbered(one, "tool_calls")} for one in numbered]
        return read_messages([{"role": role, **one} for one in messages], notes)
    given = span.attributes.get(name)
    for event in span.events:
        if given is None and CONTENT_EVENTS.get(event.name) == name:
            given = event.attributes.get(name)
    return [] if given is None else read_messages(given, notes, role=role)


def _numbered(found: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Gather attributes ``prefix.N.key`` to one object per number, in the order of the numbers."""
    objects: dict[int, dict[str, Any]] = {}
    for name, value in found.items():
        match = _NUMBERED.match(name, len(prefix)) if name.startswith(f"{prefix}.") else None
        if match:
            objects.setdefault(int(match[1]), {})[name[match.end() :]] = value
    return [objects[number] for number in sorted(objects)]
