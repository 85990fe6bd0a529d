"""From the spans of traces to items: what belongs together, and what is known of it."""

from __future__ import annotations

import json

from traces.otlp_files import chat, export, span, text

CALL = {"type": "tool_call", "id": "c1", "name": "find_order", "arguments": {"id": 7}}
ASKED = {"role": "assistant", "parts": [CALL], "finish_reason": "tool_call"}
RETURNED = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "shipped"}]}
DEFINITION = {"type": "function", "name": "find_order", "description": "Finds an order.", "parameters": {}}
DOCUMENTS = [{"id": "d1", "score": 0.9, "content": "Order 7 left on Monday.", "url": "https://kb.example/7"}]


def agent_run(*, agent=None, tool=None):
    """An agent that calls a tool, which retrieves, and then answers."""
    return [
        span("agent", {"gen_ai.operation.name": "invoke_agent", **(agent or {})}, end=900),
        span(
            "model-1",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": [text("user", "Where is order 7?")],
                "gen_ai.output.messages": [ASKED],
                "gen_ai.tool.definitions": json.dumps([DEFINITION]),
                "gen_ai.usage.input_tokens": 10,
                "gen_ai.usage.output_tokens": 5,
            },
            parent="agent",
            start=10,
            end=200,
        ),
        span(
            "tool",
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "find_order",
                "gen_ai.tool.call.id": "c1",
                "gen_ai.tool.call.arguments": '{"id": 7}',
                "gen_ai.tool.call.result": "shipped",
                **(tool or {}),
            },
            parent="agent",
            start=210,
            end=300,
        ),
        span(
            "retrieval",
            {
                "gen_ai.operation.name": "retrieval",
                "gen_ai.data_source.id": "orders",
                "gen_ai.retrieval.query.text": "order 7",
                "gen_ai.retrieval.documents": json.dumps(DOCUMENTS),
            },
            parent="tool",
            start=220,
            end=290,
        ),
        span(
            "model-2",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": [text("user", "Where is order 7?"), ASKED, RETURNED],
                "gen_ai.output.messages": [text("assistant", "It left on Monday.")],
                "gen_ai.usage.input_tokens": 20,
                "gen_ai.usage.output_tokens": 6,
            },
            parent="agent",
            start=310,
            end=880,
        ),
    ]


def test_an_agents_run_is_one_item_with_all_its_evidence(imported):
    items, notes = imported(export(*agent_run()))

    call = {"plugin_name": "functions", "function_name": "find_order", "tool_call_id": "c1", "arguments": {"id": 7}}
    hit = {"rank": 1, "webUrl": "https://kb.example/7", "extracts": [{"text": "Order 7 left on Monday."}]}
    assert notes == []
    assert [{key: items[0][key] for key in ("prompt", "response", "diagnostics")}] == [
        {
            "prompt": "Where is order 7?",
            "response": "It left on Monday.",
            "diagnostics": {
                "tool_calls": {
                    "selected_functions": [call],
                    "executions": [{**call, "response_status": None, "result": "shipped"}],
                },
                "retrieval_executions": [
                    {
                        "capability": "orders",
                        "status": "success",
                        "queries": [{"queryString": "order 7"}],
                        "retrievalHits": [{**hit, "id": "d1", "score": 0.9}],
                    }
                ],
                "tool_definitions": [DEFINITION],
                "usage": {"prompt_tokens": 30, "completion_tokens": 11},
                "latency_ms": 900.0,
            },
        }
    ]


def test_the_order_of_spans_in_the_files_does_not_matter(imported):
    forwards, _ = imported(*(export(one) for one in agent_run()))
    backwards, _ = imported(*(export(one) for one in reversed(agent_run())))

    assert forwards == backwards


def test_an_agents_own_messages_and_usage_win_over_those_of_its_models(imported):
    own = {
        "gen_ai.input.messages": [text("user", "Order 7?")],
        "gen_ai.output.messages": [ASKED, RETURNED, text("assistant", "Monday.")],
        "gen_ai.usage.input_tokens": 31,
        "gen_ai.usage.output_tokens": 12,
    }
    items, _ = imported(export(*agent_run(agent=own)))

    assert (items[0]["prompt"], items[0]["response"]) == ("Order 7?", "Monday.")
    assert items[0]["diagnostics"]["usage"] == {"prompt_tokens": 31, "completion_tokens": 12}
    assert len(items[0]["diagnostics"]["tool_calls"]["selected_functions"]) == 1


def test_an_agent_that_is_a_tool_is_not_asked_by_the_user(imported):
    inner = chat("inner", "Find order 7 in the archive", "Found.", parent="tool", start=220, end=280)
    items, _ = imported(export(*agent_run(), inner))

    assert [item["prompt"] for item in items] == ["Where is order 7?"]


def test_the_status_of_a_tools_http_call_is_kept_and_none_is_invented(imported):
    def status(**tool):
        items, _ = imported(export(*agent_run(tool=tool)))
        return items[0]["diagnostics"]["tool_calls"]["executions"][0]["response_status"]

    assert status() is None
    assert status(**{"http.response.status_code": 204}) == 204
    assert status(**{"error.type": "503"}) == 503
    assert status(**{"error.type": "TimeoutError"}) is None


def test_tokens_are_unknown_where_one_of_several_requests_does_not_count_them(imported):
    run = agent_run()
    run[1]["attributes"] = [one for one in run[1]["attributes"] if "usage" not in one["key"]]
    items, _ = imported(export(*run))

    assert "usage" not in items[0]["diagnostics"]


def test_no_evidence_is_not_the_same_as_no_tool_calls(imported):
    """Messages of a model show that there was no call; those of an agent alone do not."""
    asked, _ = imported(export(chat("m", "Hello", "Hi")))
    values = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": "Hello"}
    agent, _ = imported(export(span("a", {**values, "gen_ai.output.messages": "Hi"})))

    assert asked[0]["diagnostics"]["tool_calls"] == {"selected_functions": [], "executions": []}
    assert (agent[0]["prompt"], agent[0]["response"]) == ("Hello", "Hi")
    assert "tool_calls" not in agent[0]["diagnostics"]
    assert "retrieval_executions" not in asked[0]["diagnostics"]


def test_documents_retrieved_before_the_model_is_asked_belong_to_its_answer(imported):
    def retrieval(identity, query, **more):
        return span(identity, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": query}, **more)

    items, _ = imported(
        export(
            span("request", {"http.route": "/ask"}, end=1000),
            retrieval("r1", "first", parent="request", start=10, end=20),
            chat("m1", "One?", "1", parent="request", start=30, end=100),
            retrieval("r2", "second", parent="request", start=110, end=120),
            chat("m2", "Two?", "2", parent="request", start=130, end=200),
        )
    )

    queries = [item["diagnostics"]["retrieval_executions"][0]["queries"] for item in items]
    assert queries == [[{"queryString": "first"}], [{"queryString": "second"}]]


def test_exchanges_at_the_same_time_in_one_trace_keep_their_tools(imported):
    """A batch in one trace: what hangs together in the tree belongs together, whatever the clock says."""

    def request(number):
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": f"tool-{number}"}
        return [
            span(f"request-{number}", {}, parent="batch", end=500),
            chat(f"m{number}", f"Question {number}", "Answer", parent=f"request-{number}", end=400),
            span(f"t{number}", tool, parent=f"request-{number}", start=10, end=20),
        ]

    items, _ = imported(export(span("batch", {}, end=900), *request(1), *request(2)))

    used = [item["diagnostics"]["tool_calls"]["executions"][0]["function_name"] for item in items]
    assert [item["prompt"] for item in items] == ["Question 1", "Question 2"]
    assert used == ["tool-1", "tool-2"]


def test_the_id_of_a_conversation_makes_a_thread_in_the_order_of_time(imported):
    named = {"gen_ai.conversation.id": "conv-7"}
    items, _ = imported(
        export(chat("m2", "And 8?", "Here.", trace="t2", start=500, end=600, values=named)),
        export(chat("m1", "Where is 7?", "There.", trace="t1", start=0, end=90, values=named)),
    )

    assert len(items) == 1
    assert (items[0]["name"], items[0]["conversation_id"]) == ("conv-7", "conv-7")
    assert [turn["prompt"] for turn in items[0]["turns"]] == ["Where is 7?", "And 8?"]


def test_without_an_id_the_history_that_a_request_repeats_makes_a_thread(imported):
    items, _ = imported(
        export(
            chat("m1", "Hello", "Hi", trace="t1", start=0, end=10),
            chat("m2", "Bye", "Ciao", history=[("Hello", "Hi")], trace="t2", start=20, end=30),
            chat("m3", "Hello", "Good day", trace="t3", start=40, end=50),
        )
    )

    assert [[turn["prompt"] for turn in item.get("turns", [item])] for item in items] == [["Hello", "Bye"], ["Hello"]]


def test_turns_that_were_not_traced_are_known_from_the_history(imported):
    items, _ = imported(export(chat("m3", "Bye", "Ciao", history=[("Hello", "Hi"), ("How are you?", "Well.")])))

    turns = items[0]["turns"]
    assert [(turn["prompt"], turn["response"]) for turn in turns] == [
        ("Hello", "Hi"),
        ("How are you?", "Well."),
        ("Bye", "Ciao"),
    ]
    assert "latency_ms" in turns[-1]["diagnostics"]
    assert "latency_ms" not in turns[0]["diagnostics"]


def test_what_cannot_be_used_is_counted(imported):
    items, notes = imported(
        export(
            chat("m1", "Hello", "Hi", trace="t1"),
            chat("m1", "Hello", "Hi", trace="t1"),
            span("m2", {"gen_ai.operation.name": "chat"}, trace="t2"),
            span("m3", {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "Hm?"}, trace="t3", failed=True),
            span("x", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f"}, trace="t4"),
            {"name": "no ids"},
        ),
        "{broken",
        {"other": 1},
    )

    assert len(items) == 1
    assert [note.rpartition("traffic.jsonl")[2] for note in notes] == [
        ":2: not valid JSON, left out: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ':1: a span without "traceId" or "spanId", left out',
        ':3: no export of OpenTelemetry, left out: it has no "resourceSpans"',
        "spans that were exported twice, taken once: 1",
        "agent and model spans without a prompt (their instrumentation does not capture content): 1",
        "prompts without an answer: 1",
        "tool and retrieval spans of traces without a prompt: 1",
    ]


def test_a_parent_that_is_missing_or_the_span_itself_hides_nothing(imported):
    items, _ = imported(
        export(chat("m1", "One?", "1", parent="gone"), chat("m2", "Two?", "2", parent="m2", trace="t2"))
    )

    assert [item["prompt"] for item in items] == ["One?", "Two?"]


def test_spans_above_themselves_are_counted(imported):
    items, notes = imported(
        export(chat("m1", "One?", "1", parent="m2"), chat("m2", "Two?", "2", parent="m1"), chat("m3", "Three?", "3"))
    )

    assert [item["prompt"] for item in items] == ["Three?"]
    assert notes == ["spans that are above themselves, left out: 2"]


def test_a_deep_tree_of_spans_is_no_problem(imported):
    above = [span(f"s{number}", {}, parent=f"s{number - 1}") for number in range(3000)]
    items, notes = imported(export(*above, chat("m", "Hello", "Hi", parent="s2999")))

    assert (items[0]["prompt"], notes) == ("Hello", [])
