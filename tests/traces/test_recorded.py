"""What instrumentations really wrote is read: the same conversation with an agent, recorded by three of them.

The files in ``recorded`` were written in November 2026 by opentelemetry-exporter-otlp-json-file 0.66b1, from spans of

- ``util-genai``: opentelemetry-util-genai 1.3b0, the newest conventions, with agent, tool and retrieval spans;
- ``openai-v2``: opentelemetry-instrumentation-openai-v2 2.3b0, conventions up to 1.36, messages as log records;
- ``openllmetry``: opentelemetry-instrumentation-openai 0.62.4.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_agentevals.traces.document import document
from pytest_agentevals.traces.importing import read_conversations
from pytest_agentevals.traces.notes import Notes

RECORDED = Path(__file__).parent / "recorded"
CALL = {"plugin_name": "functions", "function_name": "find_order", "arguments": {"number": 7}}


@pytest.fixture(params=["util-genai", "openai-v2", "openllmetry"])
def item(request):
    """The only item that is imported from what an instrumentation wrote."""
    notes = Notes()
    found = read_conversations(sorted(RECORDED.glob(f"{request.param}.*.jsonl")), notes)
    assert notes.lines == []
    written = document(found, name="recorded", created_at="2026-11-30")
    assert written["metadata"]["extensions"] == {"system_instructions": ["You help."]}
    (only,) = written["items"]
    return only


def test_prompt_and_answer_are_read(item):
    assert (item["prompt"], item["response"]) == ("Where is order 7?", "It left on Monday.")


def test_the_tool_call_and_its_result_are_read_once(item):
    calls = item["diagnostics"]["tool_calls"]

    (selected,), (executed,) = calls["selected_functions"], calls["executions"]
    assert selected.pop("tool_call_id")
    assert selected == CALL
    assert executed["result"] == "left on Monday"
    assert executed["response_status"] is None


def test_tokens_of_both_requests_are_added_up(item):
    assert item["diagnostics"]["usage"] in (
        {"prompt_tokens": 200, "completion_tokens": 40},
        {"prompt_tokens": 30, "completion_tokens": 8},
    )
    assert item["diagnostics"]["latency_ms"] > 0


def test_agent_and_retrieval_spans_of_the_newest_conventions_are_read():
    (found,) = read_conversations([RECORDED / "util-genai.traces.jsonl"], Notes())

    assert found.id == "conv-9"
    (retrieval,) = found.turns[0].retrievals
    assert (retrieval["capability"], retrieval["queries"]) == ("orders", [{"queryString": "order 7"}])
    assert [hit["id"] for hit in retrieval["retrievalHits"]] == ["d1"]
    assert found.turns[0].tool_definitions[0]["name"] == "find_order"
