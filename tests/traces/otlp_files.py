"""OpenTelemetry's JSON encoding, written for tests."""

from __future__ import annotations

import json

MILLISECOND = 1_000_000
START = 1_764_400_000_000 * MILLISECOND


def any_value(value):
    """Encode a plain value."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(entry) for entry in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes(value)}}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"intValue": str(value)}
    names = {bool: "boolValue", float: "doubleValue", str: "stringValue"}
    return {names[type(value)]: value} if type(value) in names else {}


def attributes(values):
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def event(name, **values):
    """A span event; underscores of the names stand for dots."""
    return {"timeUnixNano": "0", "name": name, "attributes": attributes(values)}


def log_record(name, span, body, trace="t1"):
    return {"eventName": name, "traceId": trace, "spanId": span, "body": any_value(body), "attributes": []}


def span(identity, values, *, parent="", trace="t1", start=0, end=100, name="span", events=(), failed=False):
    """Encode a span; ``start`` and ``end`` are milliseconds."""
    return {
        "traceId": trace,
        "spanId": identity,
        "parentSpanId": parent,
        "name": name,
        "kind": 3,
        "startTimeUnixNano": str(START + start * MILLISECOND),
        "endTimeUnixNano": str(START + end * MILLISECOND),
        "attributes": attributes(values),
        "events": list(events),
        "status": {"code": 2} if failed else {},
    }


def export(*spans):
    """An export request with these spans."""
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "test"}, "spans": list(spans)}]}]}


def logs(*records):
    """An export request with these log records."""
    return {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": {}, "logRecords": list(records)}]}]}


def text(role, content, **more):
    """A message of the newer conventions."""
    return {"role": role, "parts": [{"type": "text", "content": content}], **more}


def chat(identity, prompt, answer, *, history=(), values=None, **more):
    """A request to a model in the newer conventions; ``history`` are pairs of prompt and answer."""
    earlier = [text(role, said) for pair in history for role, said in zip(("user", "assistant"), pair, strict=True)]
    return span(
        identity,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([*earlier, text("user", prompt)]),
            "gen_ai.output.messages": json.dumps([text("assistant", answer, finish_reason="stop")]),
            **(values or {}),
        },
        **more,
    )
