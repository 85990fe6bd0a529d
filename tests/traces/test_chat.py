"""Chat logs: what a line may look like, and what becomes of it."""

from __future__ import annotations

import json

import pytest

from pytest_agentevals.errors import DocumentError

SYSTEM = {"role": "system", "content": "You help."}
HELLO = {"role": "user", "content": "Hello"}
HI = {"role": "assistant", "content": "Hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": 7}'}}
ASKED = {"role": "assistant", "content": "I look it up.", "tool_calls": [CALL]}
RETURNED = {"role": "tool", "tool_call_id": "c1", "content": '{"place": "here"}'}
TOOL = {"type": "function", "function": {"name": "find", "parameters": {}}}


@pytest.mark.parametrize(
    "line",
    [
        {"messages": [SYSTEM, HELLO, HI]},
        [SYSTEM, HELLO, HI],
        {"messages": [HELLO], "choices": [{"index": 0, "message": HI}]},
        {"request": {"model": "m", "messages": [SYSTEM, HELLO]}, "response": {"choices": [{"message": HI}]}},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}, HI]},
        {"messages": [HELLO, {"role": "assistant", "content": None, "refusal": "Hi"}]},
    ],
)
def test_a_line_is_a_conversation_in_any_usual_form(line, imported):
    items, notes = imported(line)

    assert notes == []
    assert [(item["prompt"], item["response"]) for item in items] == [("Hello", "Hi")]


def test_a_document_may_be_one_list_of_conversations(imported):
    items, _ = imported([{"messages": [HELLO, HI]}, {"messages": [HELLO, HI]}])

    assert len(items) == 2


def test_prompts_and_answers_of_a_conversation_are_the_turns_of_a_thread(imported):
    items, _ = imported(
        {"id": "chat-1", "messages": [HELLO, HI, {**HELLO, "content": "Bye"}, {**HI, "content": "Ciao"}]}
    )

    assert items[0]["conversation_id"] == "chat-1"
    assert [(turn["prompt"], turn["response"]) for turn in items[0]["turns"]] == [("Hello", "Hi"), ("Bye", "Ciao")]


def test_the_answer_is_what_was_said_after_the_last_tool_call(imported):
    items, _ = imported({"messages": [HELLO, ASKED, RETURNED, {**HI, "content": "It is here."}], "tools": [TOOL]})

    call = {"plugin_name": "functions", "function_name": "find", "tool_call_id": "c1", "arguments": {"id": 7}}
    assert items[0]["response"] == "It is here."
    assert items[0]["diagnostics"] == {
        "tool_calls": {
            "selected_functions": [call],
            "executions": [{**call, "response_status": None, "result": {"place": "here"}}],
        },
        "tool_definitions": [TOOL],
    }


def test_calls_without_results_are_not_said_to_have_run_or_not(imported):
    items, _ = imported({"messages": [HELLO, ASKED]})

    assert items[0]["response"] == ""
    assert len(items[0]["diagnostics"]["tool_calls"]["selected_functions"]) == 1
    assert items[0]["diagnostics"]["tool_calls"]["executions"] is None


def test_messages_in_a_row_on_one_side_are_one(imported):
    items, _ = imported([HELLO, {**HELLO, "content": "Anybody?"}, HI, {**HI, "content": "How can I help?"}])

    assert (items[0]["prompt"], items[0]["response"]) == ("Hello\n\nAnybody?", "Hi\n\nHow can I help?")


def test_usage_latency_and_time_are_those_of_the_last_answer(imported):
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    line = {"messages": [HELLO, HI], "usage": usage, "latency_ms": 12.5, "created": 1764400000}
    items, _ = imported(line)

    assert items[0]["diagnostics"]["usage"] == {"prompt_tokens": 5, "completion_tokens": 2}
    assert items[0]["diagnostics"]["latency_ms"] == 12.5
    assert items[0]["extensions"]["time"] == "2025-11-29T07:06:40+00:00"


def test_what_is_no_conversation_is_told_with_its_line(imported):
    items, notes = imported(
        {"messages": [HELLO, HI]}, {"message": "hello"}, "[", {"messages": [HELLO]}, {"messages": [HI, HELLO, HI]}
    )

    assert len(items) == 2
    assert [note.rpartition("traffic.jsonl")[2] for note in notes] == [
        ":3: not valid JSON, left out: Expecting value: line 1 column 2 (char 1)",
        ':2: no chat, left out: it has no list "messages" of objects with a "role"',
        ":4: a chat without a prompt and an answer, left out",
        "prompts without an answer: 1",
        "messages before the first prompt of their conversation: 1",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("hello\nworld", "neither JSON nor JSON Lines"),
        ('{"prompt": "a"}', "--format otlp or --format chat says which is meant"),
        ('[{"a": ' * 400 + "1" + "}]" * 400, "nested too deeply"),
        ('{"messages": NaN}', "NaN is no number"),
    ],
)
def test_a_file_that_holds_no_traffic_is_an_error(content, problem, imported):
    with pytest.raises(DocumentError, match=problem):
        imported(content)


def test_an_empty_file_is_told(imported):
    """Exporters begin a new file before there is something to write."""
    items, notes = imported("")

    assert items == []
    assert notes[0].endswith("traffic.jsonl: the file is empty")


def test_a_file_that_shows_nothing_is_what_the_user_says(imported):
    items, notes = imported({"prompt": "a"}, form="chat")

    assert items == []
    assert len(notes) == 1


def test_lines_end_at_line_feeds_only(imported):
    """Other separators of lines may stand in JSON strings."""
    items, _ = imported(*(json.dumps([HELLO, {**HI, "content": "a\u2028b\x85c"}], ensure_ascii=False) for _ in "ab"))

    assert [item["response"] for item in items] == ["a\u2028b\x85c"] * 2
