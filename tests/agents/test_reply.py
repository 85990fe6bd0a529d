"""What a client may return."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.agents.reply import read_reply
from pytest_agentevals.errors import AgentError
from pytest_agentevals.responses import AgentResponse, Citation


def test_a_string_is_the_text_of_a_response_of_which_nothing_else_is_known():
    assert read_reply("Hello") == AgentResponse(text="Hello")


def test_an_agent_response_is_taken_as_it_is():
    response = AgentResponse(text="See [1]", citations=(Citation(index=1, source="a"),), tool_calls=[], latency_ms=2.5)
    assert read_reply(response) == response


def test_a_dict_may_carry_every_field():
    response = read_reply(
        {
            "text": "Sunny",
            "citations": [{"index": 1, "text": "Forecast", "source": "https://x.test"}],
            "retrieval_executions": [{"capability": "Email", "queries": [{"queryString": "sun"}], "retrievalHits": []}],
            "tool_calls": {"selected_functions": [{"plugin_name": "w", "function_name": "get"}], "executions": None},
            "tool_definitions": [{"name": "get"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
            "latency_ms": 12,
        }
    )
    assert response.retrieval_executions is not None
    assert response.retrieval_executions[0].queries[0].queryString == "sun"
    assert response.tool_calls is not None
    assert response.tool_calls.executions is None
    assert response.latency_ms == 12


def test_evidence_objects_inside_a_dict_are_understood():
    response = read_reply({"text": "", "citations": (Citation(index=2),)})
    assert response.citations == (Citation(index=2),)


def test_a_plain_list_of_calls_is_the_evidence_of_chosen_and_executed_tools():
    call = {"plugin_name": "w", "function_name": "get"}
    evidence = read_reply({"text": "", "tool_calls": [call, {**call, "response_status": 200}]}).tool_calls
    assert evidence is not None
    assert [len(evidence.selected_functions or ()), len(evidence.executions or ())] == [2, 1]


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c1", "type": "function", "function": {"name": "get", "arguments": '{"city": "Rome"}'}},
        {"type": "function_call", "call_id": "c1", "id": "f1", "name": "get", "arguments": '{"city": "Rome"}'},
        {"type": "tool_call", "tool_call_id": "c1", "name": "get", "arguments": {"city": "Rome"}},
    ],
    ids=["chat completions", "responses", "azure"],
)
def test_calls_of_model_apis_become_chosen_functions_of_the_plugin_functions(call):
    evidence = read_reply({"text": "", "tool_calls": [call]}).tool_calls
    assert evidence is not None
    assert evidence.executions is None
    assert evidence.selected_functions is not None
    assert evidence.selected_functions[0].model_dump() == {
        "plugin_name": "functions",
        "function_name": "get",
        "arguments": {"city": "Rome"},
        "tool_call_id": "c1",
    }


def test_arguments_that_are_no_json_stay_text():
    evidence = read_reply({"text": "", "tool_calls": [{"function": {"name": "get", "arguments": "{oops"}}]}).tool_calls
    assert evidence is not None
    assert evidence.selected_functions is not None
    assert evidence.selected_functions[0].model_dump()["arguments"] == "{oops"


def cyclic():
    value = {"text": ""}
    value["usage"] = value
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "the agent client returned None; allowed are str, AgentResponse and a dict of its fields"),
        (b"bytes", "the agent client returned b'bytes' (bytes); allowed are"),
        (object(), "an object of type builtins.object"),
        ({}, 'the agent\'s response has no "text"'),
        ({"text": None}, '"text" of the agent\'s response is None; input should be a valid string'),
        ({"text": 3}, '"text" of the agent\'s response is 3 (int); input should be a valid string'),
        ({"txt": "", "text": ""}, 'unknown field "txt"; did you mean "text"?'),
        ({"text": "", "weather": 1}, 'unknown field "weather"; allowed are text, citations'),
        (
            {"text": "", "latency_ms": math.nan},
            '"latency_ms" of the agent\'s response is nan (float), which JSON cannot',
        ),
        ({"text": "", "latency_ms": -1}, '"latency_ms" of the agent\'s response is -1 (int); input should be greater'),
        ({"text": "", "usage": {"at": date(2026, 1, 2)}}, '"usage.at" of the agent\'s response is an object of type'),
        ({"text": "", "usage": {"a": [1, math.inf]}}, '"usage.a[1]" of the agent\'s response is inf (float)'),
        ({"text": "", "usage": {1: 2}}, '"usage" of the agent\'s response has the key 1 (int); keys are strings'),
        ({"text": "", "citations": [{"index": 0}]}, '"citations.0.index" of the agent\'s response is 0 (int); input'),
        (
            {"text": "", "tool_calls": ["get"]},
            "\"tool_calls.selected_functions.0\" of the agent's response is 'get' (str)",
        ),
        (cyclic(), "nested too deeply or contains itself"),
    ],
)
def test_anything_else_is_refused_in_one_sentence_that_names_the_type_or_field(value, said):
    with pytest.raises(AgentError) as caught:
        read_reply(value)
    assert caught.value.code == "agentResponseUnparseable"
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_value_is_shortened_in_the_message():
    with pytest.raises(AgentError) as caught:
        read_reply(["x" * 10_000])
    assert len(str(caught.value)) < 200


def test_lone_surrogates_are_replaced_and_pairs_joined():
    assert read_reply("a\ud83db\ud83d\ude00").text == "a\ufffdb\N{GRINNING FACE}"
    assert (
        read_reply({"text": "\udc00", "usage": {"k\ud800": "\udfff"}}).model_dump(mode="json")["usage"]["k\ufffd"]
        == "\ufffd"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    JSON
    | st.fixed_dictionaries(
        {"text": st.text(st.characters())}, optional={"usage": JSON, "tool_calls": JSON, "citations": JSON}
    )
)
def test_every_accepted_reply_can_be_written_as_json_in_utf_8_and_every_other_is_an_agent_error(value):
    with suppress(AgentError):
        response = read_reply(value)
        json.dumps(response.model_dump(mode="json"), allow_nan=False, ensure_ascii=False).encode()
