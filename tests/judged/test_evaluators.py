from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import ValidationError

from pytest_agentevals.errors import EvaluationError, MissingInput
from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.judge import UnusableAnswer
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import Outcome

LIKERT = {
    "Relevance": "relevance",
    "Coherence": "coherence",
    "Groundedness": "groundedness",
    "Similarity": "similarity",
    "Fluency": "fluency",
    "ResponseCompleteness": "responseCompleteness",
    "Retrieval": "retrieval",
    "IntentResolution": "intentResolution",
    "ToolCallAccuracy": "toolCallAccuracy",
}
JUDGED = {**LIKERT, "TaskAdherence": "taskAdherence"}

CALL = {"type": "tool_call", "tool_call_id": "a", "name": "search", "arguments": {"query": "visa"}}
DEFINITION = {"name": "search", "description": "Find pages.", "parameters": {"type": "object", "properties": {}}}

#: An exchange that has what every evaluator needs.
FULL = {
    "response": AgentResponse(text="Yes.", tool_calls=[CALL], tool_definitions=[DEFINITION]),
    "expected_response": "Yes, it is.",
    "context": "Tea is healthy.",
}


def said(judge):
    """Return the text of the last message of the last request."""
    return judge.requests[-1].messages[-1]["content"]


def score(number):
    return json.dumps({"reason": "Because.", "score": number})


def hits(*texts, ranks=None):
    ranks = ranks or [None] * len(texts)
    return {
        "capability": "Files",
        "retrievalHits": [
            {"rank": rank, "extracts": [{"text": text}]} for text, rank in zip(texts, ranks, strict=True)
        ],
    }


@pytest.mark.parametrize(("name", "key"), JUDGED.items())
def test_results_carry_the_evaluators_key(catalog, name, key):
    evaluator = catalog.make(name, {})

    assert evaluator.result_key == key
    assert evaluator.judged


@pytest.mark.parametrize("name", LIKERT)
@pytest.mark.parametrize(("given", "threshold"), [(2, 3), (3, 3), (4, 4.5), (5, 5)])
def test_a_score_from_the_threshold_up_passes(evaluate, judge, name, given, threshold):
    judge.text = score(given)

    verdict = evaluate(name, {"threshold": threshold}, **FULL)

    assert (verdict.score, verdict.threshold, verdict.scale) == (given, threshold, (1, 5))
    assert verdict.outcome == ("pass" if given >= threshold else "fail")
    assert verdict.reason == "Because."
    assert (verdict.usage.model, verdict.usage.prompt_tokens) == ("canned", 7)


@pytest.mark.parametrize("name", LIKERT)
def test_the_threshold_is_3_where_none_is_given(evaluate, judge, name):
    judge.text = score(3)

    assert evaluate(name, **FULL).measure == "3/5 >= 3"


@pytest.mark.parametrize("name", LIKERT)
@pytest.mark.parametrize("threshold", [0, 0.5, 5.1, 6, -1, True, "3", None, [3], float("nan")])
def test_a_threshold_is_a_number_from_1_to_5(catalog, name, threshold):
    with pytest.raises(ValidationError, match="threshold"):
        catalog.make(name, {"threshold": threshold})


@pytest.mark.parametrize("name", JUDGED)
def test_unknown_options_are_refused(catalog, name):
    with pytest.raises(ValidationError, match="treshold"):
        catalog.make(name, {"treshold": 3})


@pytest.mark.parametrize(("given", "outcome"), [(0, "fail"), (1, "pass")])
def test_task_adherence_is_0_or_1_and_passes_with_1(evaluate, judge, given, outcome):
    judge.text = score(given)

    verdict = evaluate("TaskAdherence", **FULL)

    assert (verdict.score, verdict.threshold, verdict.scale) == (given, 1, (0, 1))
    assert verdict.outcome == outcome


def test_task_adherence_has_no_threshold(catalog):
    with pytest.raises(ValidationError, match="threshold"):
        catalog.make("TaskAdherence", {"threshold": 1})


@pytest.mark.parametrize("text", ["4", '{"score": 6}', '{"score": true}'])
def test_answers_that_are_no_score_are_refused(evaluate, judge, text):
    judge.text = text

    with pytest.raises(UnusableAnswer):
        evaluate("Relevance")


def test_a_binary_evaluator_refuses_scores_of_other_scales(evaluate, judge):
    judge.text = score(4)

    with pytest.raises(UnusableAnswer, match="from 0 to 1"):
        evaluate("TaskAdherence")


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_response_is_an_error_without_a_call(evaluate, judge, name, text):
    with pytest.raises(EvaluationError) as caught:
        evaluate(name, **{**FULL, "response": text})

    assert caught.value.code == "emptyAgentResponse"
    assert judge.requests == []


@pytest.mark.parametrize("name", JUDGED)
def test_without_a_judge_the_evaluator_cannot_decide(evaluate, name):
    with pytest.raises(EvaluationError, match=f"{name} asks a judge, and no judge is configured") as caught:
        evaluate(name, **FULL, judge=None)

    assert caught.value.code == "evaluatorConfigurationError"


@pytest.mark.parametrize("name", JUDGED)
def test_a_judge_that_skips_makes_the_verdict_not_applicable(evaluate, judge, name):
    judge.text = '{"reason": "The query is empty.", "score": null, "status": "skipped"}'

    verdict = evaluate(name, **FULL)

    assert verdict.outcome is Outcome.NOT_APPLICABLE
    assert (verdict.score, verdict.reason) == (None, "The query is empty.")
    assert verdict.usage is not None


@pytest.mark.parametrize("name", ["Similarity", "ResponseCompleteness"])
def test_comparing_needs_an_expected_response(evaluate, judge, name):
    with pytest.raises(MissingInput, match="expected_response"):
        evaluate(name)
    assert judge.requests == []


def test_similarity_has_the_keys_of_published_results(evaluate, judge):
    judge.text = score(2)

    details = evaluate("Similarity", {"threshold": 4}, **FULL).details

    assert details == {
        "similarity": 2,
        "gpt_similarity": 2,
        "similarity_result": "fail",
        "similarity_threshold": 4,
    }


def test_what_else_the_judge_was_asked_for_is_in_the_details(evaluate, judge):
    judge.text = '{"score": 5, "reason": "", "properties": {"tool_calls_made_by_agent": 1}}'

    assert evaluate("ToolCallAccuracy", **FULL).details == {
        "tool_call_accuracy": 5,
        "tool_call_accuracy_result": "pass",
        "tool_call_accuracy_threshold": 3,
        "tool_call_accuracy_properties": {"tool_calls_made_by_agent": 1},
    }


@pytest.mark.parametrize(
    ("context", "extracts", "source"),
    [
        ("The context.", ["An extract."], "context"),
        (None, ["An extract.", "Another."], "retrieved extracts"),
        (" \n", ["An extract.", "Another."], "retrieved extracts"),
        (None, [], "expected_response"),
        (None, [" ", ""], "expected_response"),
    ],
)
def test_groundedness_takes_the_first_context_there_is_and_names_it(evaluate, judge, context, extracts, source):
    response = AgentResponse(text="Yes.", retrieval_executions=[hits(*extracts)])

    verdict = evaluate("Groundedness", response=response, context=context, expected_response="Expected.")

    assert verdict.details["context_source"] == source
    assert verdict.notes == (f"context source: {source}",)
    shown = {
        "context": "The context.",
        "retrieved extracts": "An extract.\n\nAnother.",
        "expected_response": "Expected.",
    }[source]
    assert f"\nCONTEXT: {shown}\nQUERY: Is tea healthy?\n" in said(judge)


def test_groundedness_without_any_context_is_an_error(evaluate, judge):
    with pytest.raises(MissingInput, match='no "context", no retrieved extracts and no "expected_response"'):
        evaluate("Groundedness")
    assert judge.requests == []


def test_retrieval_judges_extracts_in_the_order_of_their_ranks(evaluate, judge):
    executions = [hits("third", "first", "second", ranks=[3, 1, 2]), hits('a "quoted" one', "ü")]
    response = AgentResponse(text="Yes.", retrieval_executions=executions)

    evaluate("Retrieval", response=response, context="not this")

    assert '\nCONTEXT: ["first", "second", "third", "a \\"quoted\\" one", "ü"]\n' in said(judge)


def test_retrieval_judges_the_context_where_nothing_is_known_of_retrievals(evaluate, judge):
    evaluate("Retrieval", context="A page.")

    assert "\nCONTEXT: A page.\n" in said(judge)


@pytest.mark.parametrize(
    ("executions", "context"), [([], "A page."), ([hits()], "A page."), (None, None), (None, ""), (None, " \n")]
)
def test_retrieval_of_nothing_is_an_error(evaluate, judge, executions, context):
    response = AgentResponse(text="Yes.", retrieval_executions=executions)

    with pytest.raises(MissingInput, match="nothing retrieved to judge"):
        evaluate("Retrieval", response=response, context=context)
    assert judge.requests == []


def test_task_adherence_sees_the_tool_calls(evaluate, judge):
    judge.text = score(1)

    verdict = evaluate("TaskAdherence", **FULL)

    assert ': [TOOL_CALL] search(query="visa")\nYes.\n' in said(judge)
    assert "tool_calls_not_shown" not in verdict.details


def test_task_adherence_says_where_tool_calls_could_not_be_shown(evaluate, judge):
    judge.text = score(1)

    verdict = evaluate("TaskAdherence", response=AgentResponse(text="Yes.", tool_calls=[{"function_name": "search"}]))

    problem = "the agent's call of search is recorded without its arguments, which the judge needs"
    assert verdict.details["tool_calls_not_shown"] == problem
    assert verdict.notes == (f"tool calls not shown: {problem}",)
    assert "): Yes.\n" in said(judge)


AZURE = CALL
SHAPES = {
    "Azure, flat": AZURE,
    "Azure, nested": {
        "type": "tool_call",
        "tool_call": {
            "id": "a",
            "type": "function",
            "function": {"name": "search", "arguments": {"query": "visa"}},
        },
    },
    "OpenAI chat completions": {
        "id": "a",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query": "visa"}'},
    },
    "OpenAI responses": {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "a",
        "name": "search",
        "arguments": '{"query": "visa"}',
    },
    "eval document": {"function_name": "search", "tool_call_id": "a", "arguments": {"query": "visa"}},
}


@pytest.mark.parametrize("call", SHAPES.values(), ids=SHAPES)
def test_tool_calls_of_all_shapes_reach_the_judge_alike(evaluate, judge, call):
    response = AgentResponse(text="Yes.", tool_calls=[call], tool_definitions=[DEFINITION])

    evaluate("ToolCallAccuracy", response=response)

    assert f"\nTOOL CALLS TO BE EVALUATED: {[AZURE]}\n" in said(judge)


@pytest.mark.parametrize("arguments", ["", "{}", {}])
def test_a_call_without_arguments_has_none(evaluate, judge, arguments):
    call = {"id": "a", "type": "function", "function": {"name": "search", "arguments": arguments}}

    evaluate("ToolCallAccuracy", response=AgentResponse(text="Yes.", tool_calls=[call], tool_definitions=[DEFINITION]))

    assert "'arguments': {}}]" in said(judge)


def test_tool_definitions_of_openais_shape_are_brought_to_azures(evaluate, judge):
    nested = [
        {"type": "function", "function": DEFINITION},
        {"type": "function", "function": {"name": "now", "description": "The time."}},
    ]
    flat = [
        {"type": "function", **DEFINITION},
        {"type": "function", "name": "now", "description": "The time.", "parameters": {}},
    ]

    evaluate("ToolCallAccuracy", response=AgentResponse(text="Yes.", tool_calls=[CALL], tool_definitions=nested))

    assert f"\nTOOL DEFINITIONS: {flat}\n" in said(judge)


def test_functions_of_an_openapi_tool_are_defined(evaluate, judge):
    tool = {"type": "openapi", "name": "web", "functions": [DEFINITION]}

    evaluate("ToolCallAccuracy", response=AgentResponse(text="Yes.", tool_calls=[CALL], tool_definitions=[tool]))

    assert f"\nTOOL DEFINITIONS: {[tool]}\n" in said(judge)


def test_without_tool_calls_tool_call_accuracy_does_not_apply(evaluate, judge):
    verdict = evaluate(
        "ToolCallAccuracy", response=AgentResponse(text="Yes.", tool_calls=[], tool_definitions=[DEFINITION])
    )

    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_APPLICABLE, "the agent called no tool")
    assert judge.requests == []


def test_calls_of_undefined_tools_are_not_judged(evaluate, judge):
    calls = [CALL, {**CALL, "name": "book"}]

    verdict = evaluate(
        "ToolCallAccuracy", response=AgentResponse(text="Yes.", tool_calls=calls, tool_definitions=[DEFINITION])
    )

    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_APPLICABLE, "there is no tool definition of book")
    assert judge.requests == []


@pytest.mark.parametrize(
    ("calls", "definitions", "message"),
    [
        (None, [DEFINITION], "does not say which tools it called"),
        ([CALL], None, "has no tool_definitions"),
        ([CALL], [], "has no tool_definitions"),
        ([{"function_name": "search"}], [DEFINITION], "call of search is recorded without its arguments"),
        ([{"function": "search", "arguments": {}}], [DEFINITION], "tool call 1 of the agent has no name"),
        ([{"function_name": None}], [DEFINITION], "tool call 1 of the agent has no name"),
        ([{**CALL, "arguments": "{"}], [DEFINITION], "arguments of the agent's call of search are no JSON: '{'"),
        ([{**CALL, "arguments": "[1]"}], [DEFINITION], r"call of search are no JSON object: \[1\]"),
        ({"evidence_error": "Two logs disagree."}, [DEFINITION], "Two logs disagree."),
    ],
)
def test_tool_calls_that_are_not_known_well_enough_are_an_error(evaluate, judge, calls, definitions, message):
    response = AgentResponse(text="Yes.", tool_calls=calls, tool_definitions=definitions)

    with pytest.raises(EvaluationError, match=message):
        evaluate("ToolCallAccuracy", response=response)
    assert judge.requests == []


def test_a_conversation_is_shown_as_numbered_turns(evaluate, judge):
    history = [("user", "Is tea healthy?"), ("assistant", "Yes.\nMostly.")]

    evaluate("Relevance", prompt="And coffee?", response="Too.", history=history)

    assert (
        "CONVERSATION_HISTORY: User turn 1:\n  Is tea healthy?\n\nAgent turn 1:\n  Yes.\n  Mostly.\n\n"
        "User turn 2:\n  And coffee?\n\n\nRESPONSE: Too.\n"
    ) in said(judge)


def test_requests_name_evaluator_and_prompt(evaluate, judge):
    evaluate("Relevance")

    request = judge.requests[0]
    assert request.evaluator == "Relevance"
    assert request.prompt_version.startswith("relevance.prompty@sha256:")


def test_the_threshold_is_no_part_of_the_request(evaluate, judge):
    evaluate("Relevance", {"threshold": 1})
    evaluate("Relevance", {"threshold": 5})

    assert judge.requests[0] == judge.requests[1]


def test_one_evaluator_serves_many_exchanges_at_once(catalog, judge):
    evaluator = catalog.make("Relevance", {})

    async def all_at_once():
        exchanges = [
            Exchange(prompt=f"Question {n}", response=AgentResponse(text=f"Answer {n}"), judge=judge) for n in range(50)
        ]
        return await asyncio.gather(*map(evaluator.evaluate, exchanges))

    verdicts = asyncio.run(all_at_once())

    assert {verdict.outcome for verdict in verdicts} == {Outcome.PASS}
    assert len({request.messages[1]["content"] for request in judge.requests}) == 50
