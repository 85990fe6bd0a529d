"""Spans and events in OpenTelemetry's JSON encoding (OTLP), as the collector's file exporter writes them.

Each JSON value is a whole export request: ``resourceSpans`` holds spans, ``resourceLogs`` log records, of which those
that belong to a span are its events. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_agentevals.traces.files import Record
    from pytest_agentevals.traces.notes import Notes

#: Status code of a span that failed.
ERROR = 2


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened during a span. ``body`` is that of a log record; span events have none."""

    name: str
    attributes: Mapping[str, Any]
    body: Any = None


@dataclass(slots=True)
class Span:
    """One operation. Times are nanoseconds since 1970; 0 where the span does not say."""

    place: str
    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    failed: bool
    attributes: Mapping[str, Any]
    events: list[Event] = field(default_factory=list)


def is_export(value: Any) -> bool:
    """Tell whether a JSON value is an export request."""
    return isinstance(value, dict) and ("resourceSpans" in value or "resourceLogs" in value)


def spans(records: Iterable[Record], notes: Notes) -> list[Span]:
    """Return the spans of export requests, with their events; what is none is told or counted in ``notes``."""
    found: dict[tuple[str, str], Span] = {}
    events: defaultdict[tuple[str, str], list[Event]] = defaultdict(list)
    for record in records:
        if not is_export(record.value):
            notes.tell(f'{record.place}: no export of OpenTelemetry, left out: it has no "resourceSpans"')
            continue
        for value in _inner(record.value, "resourceSpans", ("scopeSpans", "instrumentationLibrarySpans"), "spans"):
            span = _span(value, record.place)
            if span is None:
                notes.tell(f'{record.place}: a span without "traceId" or "spanId", left out')
            elif (span.trace, span.id) in found:
                notes.count("spans that were exported twice, taken once")
            else:
                found[span.trace, span.id] = span
        for value in _inner(record.value, "resourceLogs", ("scopeLogs",), "logRecords"):
            events[_text(value, "traceId"), _text(value, "spanId")].append(_log_record(value))
    for key, group in events.items():
        if key in found:
            found[key].events.extend(group)
        else:
            notes.count("log records that belong to no span of these files", len(group))
    return list(found.values())


def _inner(value: Mapping[str, Any], outer: str, scopes: tuple[str, ...], inner: str) -> Iterator[Mapping[str, Any]]:
    for resource in _objects(value.get(outer)):
        for name in scopes:
            for scope in _objects(resource.get(name)):
                yield from _objects(scope.get(inner))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _span(value: Mapping[str, Any], place: str) -> Span | None:
    trace, identity = _text(value, "traceId"), _text(value, "spanId")
    if not trace or not identity:
        return None
    status = value.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    events = [Event(_text(event, "name"), attributes(event)) for event in _objects(value.get("events"))]
    return Span(
        place=place,
        trace=trace,
        id=identity,
        parent=_text(value, "parentSpanId"),
        name=_text(value, "name"),
        start=_nanoseconds(value.get("startTimeUnixNano")),
        end=_nanoseconds(value.get("endTimeUnixNano")),
        failed=code in {ERROR, "STATUS_CODE_ERROR"},
        attributes=attributes(value),
        events=events,
    )


def _log_record(value: Mapping[str, Any]) -> Event:
    found = attributes(value)
    name = _text(value, "eventName") or str(found.get("event.name", ""))
    return Event(name, found, any_value(value.get("body")))


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _nanoseconds(value: Any) -> int:
    """Read a 64-bit integer, which JSON carries as a string."""
    try:
        return max(int(value), 0)
    except (TypeError, ValueError, OverflowError):
        return 0


def attributes(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a span, event or log record as plain values."""
    return {
        entry["key"]: any_value(entry.get("value"))
        for entry in _objects(value.get("attributes"))
        if isinstance(entry.get("key"), str)
    }


def any_value(value: Any) -> Any:
    """Read an ``AnyValue``: a string, bool, number, bytes (base64, as they are), list or map; None for none."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in _READERS:
                return _READERS[name](inner)
    return None


def _list(value: Any) -> list[Any]:
    values = value.get("values") if isinstance(value, dict) else None
    return [any_value(entry) for entry in values] if isinstance(values, list) else []


def _map(value: Any) -> dict[str, Any]:
    return attributes({"attributes": value.get("values")}) if isinstance(value, dict) else {}


def _number(value: Any, kind: type[int | float]) -> Any:
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


#: Field of an ``AnyValue`` -> how its value is read.
_READERS: dict[str, Callable[[Any], Any]] = {
    "stringValue": lambda value: value if isinstance(value, str) else None,
    "boolValue": lambda value: value if isinstance(value, bool) else None,
    "intValue": lambda value: _number(value, int),
    "doubleValue": lambda value: _number(value, float),
    "arrayValue": _list,
    "kvlistValue": _map,
    "bytesValue": lambda value: value if isinstance(value, str) else None,
}
