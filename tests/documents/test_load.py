from __future__ import annotations

import pytest

from pytest_agentevals.responses import AgentResponse


def options(document, item=0, turn=0):
    return document.items[item].turns[turn].options


def test_relevance_and_coherence_run_where_nothing_is_said(desk):
    assert options(desk.items({"prompt": "a"})) == {"Relevance": {}, "Coherence": {}}


def test_default_evaluators_replace_the_system_defaults(desk):
    assert options(desk.items({"prompt": "a"}, default_evaluators={"ExactMatch": {}})) == {"ExactMatch": {}}


def test_empty_default_evaluators_mean_none(desk):
    assert options(desk.items({"prompt": "a"}, default_evaluators={})) == {}


def test_extend_keeps_the_defaults_and_the_items_options_replace_those_of_the_same_evaluator(desk):
    item = {"prompt": "a", "evaluators": {"Citations": {"threshold": 2}, "ExactMatch": {}}}
    defaults = {"PartialMatch": {}, "Citations": {"citation_format": "bracket"}}

    found = options(desk.items(item, default_evaluators=defaults))

    assert found == {"PartialMatch": {}, "Citations": {"threshold": 2}, "ExactMatch": {}}
    assert list(found) == ["PartialMatch", "Citations", "ExactMatch"]


def test_extend_without_default_evaluators_extends_the_system_defaults(desk):
    assert list(options(desk.items({"prompt": "a", "evaluators": {"ExactMatch": {}}}))) == [
        "Relevance",
        "Coherence",
        "ExactMatch",
    ]


@pytest.mark.parametrize("chosen", [{}, {"ExactMatch": {}}])
def test_replace_runs_only_what_the_item_names(desk, chosen):
    item = {"prompt": "a", "evaluators": chosen, "evaluators_mode": "replace"}

    assert options(desk.items(item, default_evaluators={"PartialMatch": {}})) == chosen


def test_replace_without_evaluators_leaves_the_defaults(desk):
    item = {"prompt": "a", "evaluators_mode": "replace"}

    assert options(desk.items(item, default_evaluators={"PartialMatch": {}})) == {"PartialMatch": {}}


def test_items_with_the_same_evaluators_share_one_mapping(desk):
    document = desk.items(
        {"prompt": "a"},
        {"prompt": "b"},
        {"prompt": "c", "evaluators": {"ExactMatch": {}}},
        {"prompt": "d", "evaluators": {"ExactMatch": {}}},
    )

    assert options(document, 0) is options(document, 1)
    assert options(document, 2) is options(document, 3)


def test_options_may_be_written_under_options(desk):
    item = {"prompt": "a", "evaluators": {"RetrievalQuery": {"options": {"capability": "Mail", "selector": "q"}}}}

    assert options(desk.items(item))["RetrievalQuery"] == {"options": {"capability": "Mail", "selector": "q"}}


def test_an_evaluator_that_resembles_no_known_one_is_left_to_the_run(desk):
    assert "tone_of_voice" in options(desk.items({"prompt": "a", "evaluators": {"tone_of_voice": {"threshold": 4}}}))


def test_a_thread_has_its_turns_in_order_each_with_its_own_evaluators(desk):
    document = desk.items(
        {
            "name": "Trip",
            "conversation_id": "c-1",
            "turns": [
                {"prompt": "a", "context": "x"},
                {
                    "prompt": "b",
                    "expected_response": "y",
                    "evaluators": {"ExactMatch": {}},
                    "evaluators_mode": "replace",
                },
            ],
        },
        default_evaluators={},
    )

    thread = document.items[0]
    assert (thread.thread, thread.name, thread.conversation_id, thread.id) == (True, "Trip", "c-1", "Trip")
    assert [(turn.index, turn.prompt, turn.context, turn.expected_response) for turn in thread.turns] == [
        (1, "a", "x", None),
        (2, "b", None, "y"),
    ]
    assert [dict(turn.options) for turn in thread.turns] == [{}, {"ExactMatch": {}}]


def test_an_item_is_one_turn_without_a_number(desk):
    item = desk.items({"prompt": "a"}).items[0]

    assert (item.thread, [turn.index for turn in item.turns]) == (False, [0])


def test_the_recorded_response_carries_its_evidence(desk):
    execution = {"capability": "Mail", "queries": [{"queryString": "q"}], "retrievalHits": [{"rank": 1}]}
    item = {
        "prompt": "a",
        "response": "Yes [1].",
        "citations": [{"index": 1, "source": "policy.md"}],
        "diagnostics": {
            "retrieval_executions": [execution],
            "tool_calls": {"selected_functions": [], "executions": None},
            "latency_ms": 12.5,
            "request_id": "kept out",
        },
    }

    response = desk.items(item).items[0].turns[0].response

    assert response == AgentResponse(
        text="Yes [1].",
        citations=[{"index": 1, "source": "policy.md"}],
        retrieval_executions=[execution],
        tool_calls={"selected_functions": [], "executions": None},
        latency_ms=12.5,
    )


def test_without_a_response_nothing_is_recorded_and_an_empty_one_is_a_response(desk):
    document = desk.items({"prompt": "a"}, {"prompt": "b", "response": ""})

    assert document.items[0].turns[0].response is None
    assert document.items[1].turns[0].response == AgentResponse(text="")


def test_missing_evidence_is_not_the_same_as_none(desk):
    document = desk.items(
        {"prompt": "a", "response": "", "diagnostics": {}},
        {"prompt": "b", "response": "", "diagnostics": {"retrieval_executions": None}},
        {"prompt": "c", "response": "", "diagnostics": {"retrieval_executions": []}},
    )

    found = [item.turns[0].response.retrieval_executions for item in document.items]
    assert found == [None, None, ()]


def test_tags_are_those_of_the_document_and_of_the_item_once_each(desk):
    document = desk.items(
        {"prompt": "a"},
        {"prompt": "b", "tags": ["smoke", "hr"], "extensions": {"tags": ["hr", "slow", 3]}},
        metadata={"tags": ["all", "hr"]},
    )

    assert [item.tags for item in document.items] == [("all", "hr"), ("all", "hr", "smoke", "slow")]


def test_the_line_of_an_item_is_where_it_starts_with_any_line_ends(desk):
    text = '{"schemaVersion": "1.0.0",\n "items": [{"prompt": "a\\n"},\n  {\n "prompt": "b"}, {"prompt": "c"}]}'

    for written in (text, text.replace("\n", "\r\n")):
        assert [item.line for item in desk.load(written).items] == [2, 3, 4]


def test_unknown_keys_at_the_top_and_in_metadata_are_ignored(desk):
    document = desk.items({"prompt": "a"}, description="free", owner={"team": "hr"}, metadata={"cost-center": 12})

    assert document.document.metadata.model_extra == {"cost-center": 12}


@pytest.mark.parametrize("version", ["1.0.0", "1.7.0", "1.11.0", "2.0.0"])
def test_known_versions_load_without_a_word(desk, version):
    assert desk.items({"prompt": "a"}, schemaVersion=version).warnings == ()


@pytest.mark.parametrize("version", ["1.11.1", "1.12.0", "1.100.0"])
def test_a_newer_minor_version_loads_with_one_warning(desk, version):
    (warning,) = desk.items({"prompt": "a"}, schemaVersion=version).warnings

    assert f"schemaVersion {version} is newer than 1.11.0" in warning


@pytest.mark.parametrize("version", ["0.9.0", "3.0.0", "10.0.0"])
def test_other_major_versions_are_refused_with_the_supported_ones(desk, version):
    assert desk.problems({"prompt": "a"}, schemaVersion=version) == [
        f"/schemaVersion: version {version} is not supported; supported are 1.0.0 to 1.11.0, later 1.x, and 2.x"
    ]


def test_tool_permissions_of_the_newest_version_are_accepted(desk):
    item = {"prompt": "a", "allowed_tools": ["hr_lookup"], "allowed_tools_mode": "replace"}

    assert desk.items(item, default_allowed_tools=["mail_send"]).document.default_allowed_tools == ["mail_send"]
