"""Whatever was recorded, the document that is made of it loads and says the same."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from traces.otlp_files import export, span

from pytest_agentevals.documents.load import load
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.traces.conversations import Conversation, split
from pytest_agentevals.traces.document import document
from pytest_agentevals.traces.importing import read_conversations
from pytest_agentevals.traces.notes import Notes
from pytest_agentevals.traces.turns import Turn

ROOT = Path(os.environ.get("AGENTEVALS_CONFORMANCE", Path(__file__).parents[3] / "shared" / "conformance"))

words = st.text(min_size=1, max_size=30).filter(str.strip)
#: JSON numbers as JavaScript writes them.
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
calls = st.builds(
    lambda name, arguments: {"function": {"name": name, "arguments": json.dumps(arguments)}}, words, values
)


@st.composite
def chats(draw):
    """A conversation as a chat log writes it, and its prompts and answers."""
    messages, said = [], []
    for prompt, answer in draw(st.lists(st.tuples(words, words), min_size=1, max_size=25)):
        messages.append({"role": "user", "content": prompt})
        for number, call in enumerate(draw(st.lists(calls, max_size=2))):
            messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", **call}]})
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": draw(st.text(max_size=9))})
        messages.append({"role": "assistant", "content": answer})
        said.append((prompt, answer))
    return {"messages": messages}, said


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("documents")


def loaded(folder, written):
    path = folder / "d.json"
    path.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
    return load(path, Catalog(Place(folder, folder))).items


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=st.lists(chats(), min_size=1, max_size=4))
def test_chat_logs_come_through_whole(folder, log):
    path = folder / "log.jsonl"
    path.write_text("\n".join(json.dumps(chat) for chat, _ in log))
    notes = Notes()
    found = list(split(read_conversations([path], notes), notes))
    items = loaded(folder, document(found, name="n", created_at="2026-11-30"))

    assert [(turn.prompt, turn.response.text) for item in items for turn in item.turns] == [
        pair for _, said in log for pair in said
    ]
    assert all(turn.response.tool_calls is not None for item in items for turn in item.turns)


@settings(max_examples=30, deadline=None)
@given(values, st.text(max_size=20), st.sampled_from(["invoke_agent", "chat", "execute_tool", "retrieval", "x"]))
def test_no_attribute_of_a_span_breaks_the_import(folder, value, key, operation):
    names = ["gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions", "gen_ai.retrieval.documents"]
    attributes = {"gen_ai.operation.name": operation, key: value, **dict.fromkeys(names, value)}
    path = folder / "odd.json"
    path.write_text(json.dumps(export(span("s", attributes))))

    for conversation in read_conversations([path], Notes()):
        assert loaded(folder, document([conversation], name="n", created_at="2026-11-30"))


def test_what_json_cannot_carry_is_replaced(folder):
    deep = value = []
    for _ in range(500):
        value.append([])
        value = value[0]
    turn = Turn("half \ud83d a pair", "hi", tool_definitions=[{"type": "function", "name": "f", "deep": deep}])
    (item,) = loaded(folder, document([Conversation([turn])], name="n", created_at="2026-11-30"))

    assert item.turns[0].prompt == "half \ufffd a pair"
    assert "nested too deeply" in json.dumps(item.turns[0].response.tool_definitions)


@cache
def public_schema():
    if not ROOT.is_dir():
        pytest.skip(f"the conformance data is not in {ROOT}")
    return json.loads((ROOT / "public-schema" / "eval-document.schema.json").read_text())


def test_the_public_schema_accepts_the_document():
    evidence = {
        "tool_calls": {"selected_functions": [{"function_name": "f", "arguments": {}}], "executions": None},
        "retrievals": [{"capability": "kb", "queries": [], "retrievalHits": [{"rank": 1, "webUrl": None}]}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        "latency_ms": 1.5,
    }
    turn = Turn("prompt", "answer", **evidence)
    found = [Conversation([turn], id="a", instructions="Help."), *split([Conversation([turn] * 21, id="b")], Notes())]
    written = document(found, name="n", created_at="2026-11-30", evaluators={"Relevance": {}})

    assert len(written["items"]) == 3
    jsonschema.validate(written, public_schema())
