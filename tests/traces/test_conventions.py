"""One exchange, written as every version of the conventions writes it, is imported the same."""

from __future__ import annotations

import json

import pytest
from traces.otlp_files import event, export, log_record, logs, span, text

NEW_INPUT = [text("system", "You help."), text("user", "Hello")]
NEW_OUTPUT = [text("assistant", "Hi", finish_reason="stop")]
OLD_INPUT = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Hello"}]
OLD_OUTPUT = [{"role": "assistant", "content": "Hi"}]
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 1}
CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}
DETAILS = "gen_ai.client.inference.operation.details"

FORMS = {
    "attributes": [
        export(span("s", {**CHAT, "gen_ai.input.messages": NEW_INPUT, "gen_ai.output.messages": NEW_OUTPUT}))
    ],
    "attributes as JSON": [
        export(
            span(
                "s",
                {
                    **CHAT,
                    "gen_ai.input.messages": json.dumps(NEW_INPUT),
                    "gen_ai.output.messages": json.dumps(NEW_OUTPUT),
                },
            )
        )
    ],
    "instructions apart": [
        export(
            span(
                "s",
                {
                    **CHAT,
                    "gen_ai.system_instructions": [{"type": "text", "content": "You help."}],
                    "gen_ai.input.messages": NEW_INPUT[1:],
                    "gen_ai.output.messages": NEW_OUTPUT,
                },
            )
        )
    ],
    "event with details": [
        export(
            span(
                "s",
                CHAT,
                events=[
                    event(DETAILS, **{"gen_ai.input.messages": NEW_INPUT, "gen_ai.output.messages": NEW_OUTPUT}),
                ],
            )
        )
    ],
    "log records": [
        logs(
            log_record("gen_ai.system.message", "s", {"content": "You help."}),
            log_record("gen_ai.user.message", "s", {"content": "Hello"}),
            log_record("gen_ai.choice", "s", CHOICE),
        ),
        export(span("s", CHAT)),
    ],
    "span events": [
        export(
            span(
                "s",
                CHAT,
                events=[
                    event("gen_ai.system.message", content="You help."),
                    event("gen_ai.user.message", content="Hello"),
                    event("gen_ai.choice", message='{"role": "assistant", "content": "Hi"}', finish_reason="stop"),
                ],
            )
        )
    ],
    "span events with JSON": [
        export(
            span(
                "s",
                CHAT,
                events=[
                    event("gen_ai.system.message", **{"gen_ai.event.content": json.dumps(OLD_INPUT[0])}),
                    event("gen_ai.user.message", **{"gen_ai.event.content": json.dumps(OLD_INPUT[1])}),
                    event("gen_ai.choice", **{"gen_ai.event.content": json.dumps(CHOICE)}),
                ],
            )
        )
    ],
    "prompt and completion": [
        export(span("s", {**CHAT, "gen_ai.prompt": json.dumps(OLD_INPUT), "gen_ai.completion": json.dumps(OLD_OUTPUT)}))
    ],
    "prompt and completion events": [
        export(
            span(
                "s",
                CHAT,
                events=[
                    event("gen_ai.content.prompt", **{"gen_ai.prompt": json.dumps(OLD_INPUT)}),
                    event("gen_ai.content.completion", **{"gen_ai.completion": json.dumps(OLD_OUTPUT)}),
                ],
            )
        )
    ],
    "numbered attributes": [
        export(
            span(
                "s",
                {
                    "llm.request.type": "chat",
                    "gen_ai.usage.prompt_tokens": 3,
                    "gen_ai.usage.completion_tokens": 1,
                    "gen_ai.prompt.0.role": "system",
                    "gen_ai.prompt.0.content": "You help.",
                    "gen_ai.prompt.1.role": "user",
                    "gen_ai.prompt.1.content": "Hello",
                    "gen_ai.completion.0.role": "assistant",
                    "gen_ai.completion.0.content": "Hi",
                },
            )
        )
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_record_messages_is_read(form, imported):
    items, notes = imported(*FORMS[form])

    assert notes == []
    assert [(item["prompt"], item["response"]) for item in items] == [("Hello", "Hi")]
    assert items[0]["diagnostics"]["usage"] == {"prompt_tokens": 3, "completion_tokens": 1}
    assert items[0]["diagnostics"]["tool_calls"]["selected_functions"] == []


def calling(form):
    """One call of a tool and its result."""
    if form == "numbered attributes":
        return span(
            "s",
            {
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": "Where is 7?",
                "gen_ai.prompt.1.role": "assistant",
                "gen_ai.prompt.1.tool_calls.0.id": "c1",
                "gen_ai.prompt.1.tool_calls.0.name": "find",
                "gen_ai.prompt.1.tool_calls.0.arguments": '{"id": 7}',
                "gen_ai.prompt.2.role": "tool",
                "gen_ai.prompt.2.tool_call_id": "c1",
                "gen_ai.prompt.2.content": "here",
                "gen_ai.completion.0.content": "Here.",
                "llm.request.functions.0.name": "find",
                "llm.request.functions.0.parameters": '{"type": "object"}',
            },
        )
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": 7}'}}
    return span(
        "s",
        {"gen_ai.operation.name": "chat"},
        events=[
            event("gen_ai.user.message", content="Where is 7?"),
            event("gen_ai.assistant.message", **{"gen_ai.event.content": json.dumps({"tool_calls": [call]})}),
            event("gen_ai.tool.message", **{"gen_ai.event.content": json.dumps({"id": "c1", "content": "here"})}),
            event("gen_ai.choice", **{"gen_ai.event.content": json.dumps({"message": {"content": "Here."}})}),
        ],
    )


@pytest.mark.parametrize("form", ["numbered attributes", "events"])
def test_tool_calls_of_the_older_conventions_are_read(form, imported):
    items, _ = imported(export(calling(form)))

    call = {"plugin_name": "functions", "function_name": "find", "tool_call_id": "c1", "arguments": {"id": 7}}
    assert items[0]["response"] == "Here."
    assert items[0]["diagnostics"]["tool_calls"] == {
        "selected_functions": [call],
        "executions": [{**call, "response_status": None, "result": "here"}],
    }


def test_tool_definitions_of_numbered_attributes_are_read(imported):
    items, _ = imported(export(calling("numbered attributes")))

    assert items[0]["diagnostics"]["tool_definitions"] == [
        {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
    ]


def test_a_retriever_of_openinference_is_a_retrieval(imported):
    retriever = span(
        "r",
        {
            "openinference.span.kind": "RETRIEVER",
            "input.value": "order 7",
            "retrieval.documents.0.document.content": "On Monday.",
            "retrieval.documents.0.document.id": "d1",
            "retrieval.documents.0.document.metadata": '{"url": "https://kb.example/7"}',
            "retrieval.documents.1.document.content": "On Tuesday.",
        },
        name="VectorStoreRetriever",
    )
    values = {**CHAT, "gen_ai.input.messages": NEW_INPUT, "gen_ai.output.messages": NEW_OUTPUT}
    items, _ = imported(export(retriever, span("s", values, start=1)))

    (execution,) = items[0]["diagnostics"]["retrieval_executions"]
    assert execution["capability"] == "VectorStoreRetriever"
    assert execution["queries"] == [{"queryString": "order 7"}]
    assert [hit["extracts"][0]["text"] for hit in execution["retrievalHits"]] == ["On Monday.", "On Tuesday."]
    assert [hit["webUrl"] for hit in execution["retrievalHits"]] == ["https://kb.example/7", None]


def test_parts_that_are_no_text_are_counted(imported):
    picture = {
        "role": "user",
        "parts": [{"type": "text", "content": "What is it?"}, {"type": "blob", "content": "aGk="}],
    }
    items, notes = imported(
        export(span("s", {**CHAT, "gen_ai.input.messages": [picture], "gen_ai.output.messages": NEW_OUTPUT}))
    )

    assert items[0]["prompt"] == "What is it?"
    assert notes == ['parts of messages that are no text ("blob"): 1']


def test_further_choices_and_unknown_roles_are_counted(imported):
    values = {
        **CHAT,
        "gen_ai.input.messages": [text("narrator", "Once upon a time"), text("user", "Hello")],
        "gen_ai.output.messages": [text("assistant", "Hi"), text("assistant", "Hey")],
    }
    items, notes = imported(export(span("s", values)))

    assert items[0]["response"] == "Hi"
    assert notes == ['messages with the unknown role "narrator": 1', "choices beside the first one: 1"]


def test_text_that_happens_to_be_json_stays_text(imported):
    values = {**CHAT, "gen_ai.input.messages": [text("user", "[1, 2]")]}
    items, _ = imported(export(span("s", {**values, "gen_ai.output.messages": [text("assistant", '{"a": 1}')]})))

    assert (items[0]["prompt"], items[0]["response"]) == ("[1, 2]", '{"a": 1}')
