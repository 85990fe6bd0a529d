"""Parameters are sent as the model takes them."""

from __future__ import annotations

import pytest

from pytest_agentevals.judge.parameters import Dialect

PROMPT = {"temperature": 0.0, "top_p": 1.0, "presence_penalty": 0, "frequency_penalty": 0, "max_tokens": 800, "seed": 1}


def test_parameters_are_unchanged_for_ordinary_models():
    assert Dialect(reasoning=False).translate(PROMPT) == PROMPT


def test_reasoning_models_get_what_the_sdk_sends_them():
    assert Dialect(reasoning=True).translate(PROMPT) == {"max_completion_tokens": 60_000, "seed": 1}


def test_a_token_limit_meant_for_reasoning_models_is_kept():
    assert Dialect(reasoning=True).translate({"max_completion_tokens": 3000, "temperature": 1.0}) == {
        "max_completion_tokens": 3000
    }


@pytest.mark.parametrize(
    "refusal",
    [
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
)
def test_a_model_that_refuses_max_tokens_is_a_reasoning_model(refusal):
    dialect = Dialect(reasoning=False)

    dialect.learn(refusal, PROMPT)

    assert dialect.translate(PROMPT) == {"max_completion_tokens": 60_000, "seed": 1}


def test_a_server_without_max_completion_tokens_gets_max_tokens_again():
    dialect = Dialect(reasoning=True)

    dialect.learn("Unrecognized request argument supplied: max_completion_tokens", dialect.translate(PROMPT))

    assert dialect.translate(PROMPT) == {"max_tokens": 800, "seed": 1}


def test_a_refused_json_schema_becomes_plain_json_and_then_text():
    dialect = Dialect(reasoning=False)
    parameters = {"response_format": {"type": "json_schema", "json_schema": {}}}

    dialect.learn("response_format", dialect.translate(parameters))
    assert dialect.translate(parameters) == {"response_format": {"type": "json_object"}}

    dialect.learn("response_format", dialect.translate(parameters))
    assert dialect.translate(parameters) == {}


@pytest.mark.parametrize(
    "refusal",
    ["messages", "The prompt was filtered", "temperature and top_p exclude each other", "stop", "max_tokens_total"],
)
def test_other_refusals_change_nothing(refusal):
    dialect = Dialect(reasoning=False)

    dialect.learn(refusal, {**PROMPT, "stop": ["x"]})

    assert dialect.translate(PROMPT) == PROMPT
