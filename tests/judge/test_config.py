"""The judge's configuration: what is accepted, what is refused in one sentence, and where it is looked for."""

from __future__ import annotations

import os

import pytest

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.judge.config import ModelConfig, as_model_config
from pytest_agentevals.judge.environment import NotConfigured, configured

AZURE = {
    "AZURE_AI_OPENAI_ENDPOINT": "https://house.openai.azure.com/",
    "AZURE_AI_API_KEY": "planted-key",
    "AZURE_AI_MODEL_NAME": "gpt-4o",
}
SDK = {
    "AZURE_ENDPOINT": "https://sdk.openai.azure.com",
    "AZURE_API_KEY": "planted-key",
    "AZURE_DEPLOYMENT_NAME": "gpt-4o-mini",
    "AZURE_API_VERSION": "2025-01-01",
}
PROJECT = {
    "AZURE_AI_PROJECT_ENDPOINT": "https://x.services.ai.azure.com/api/projects/p",
    "AZURE_AI_MODEL_NAME": "gpt-4o",
}
OPENAI = {"OPENAI_MODEL": "gpt-4.1", "OPENAI_API_KEY": "planted-key"}
LOCAL = {"OPENAI_MODEL": "llama", "OPENAI_BASE_URL": "http://localhost:11434/v1"}


@pytest.mark.parametrize(
    ("variables", "name", "entra"),
    [
        (AZURE, "gpt-4o at house.openai.azure.com (AZURE_AI_OPENAI_ENDPOINT)", False),
        ({**AZURE, "AZURE_AI_API_KEY": ""}, "gpt-4o at house.openai.azure.com (AZURE_AI_OPENAI_ENDPOINT)", True),
        (SDK, "gpt-4o-mini at sdk.openai.azure.com (AZURE_ENDPOINT)", False),
        (PROJECT, "gpt-4o at x.services.ai.azure.com (AZURE_AI_PROJECT_ENDPOINT)", True),
        (OPENAI, "gpt-4.1 at api.openai.com (OPENAI_MODEL)", False),
        (LOCAL, "llama at localhost (OPENAI_MODEL)", False),
        ({**OPENAI, **PROJECT, **SDK, **AZURE}, "gpt-4o at house.openai.azure.com (AZURE_AI_OPENAI_ENDPOINT)", False),
        ({**OPENAI, **PROJECT, **SDK}, "gpt-4o-mini at sdk.openai.azure.com (AZURE_ENDPOINT)", False),
        ({**OPENAI, **PROJECT}, "gpt-4o at x.services.ai.azure.com (AZURE_AI_PROJECT_ENDPOINT)", True),
        ({**OPENAI, "AZURE_ENDPOINT": "https://half"}, "gpt-4.1 at api.openai.com (OPENAI_MODEL)", False),
    ],
)
def test_the_first_complete_group_of_variables_wins(variables, name, entra, tmp_path):
    config = configured(variables, tmp_path)

    assert str(config) == name
    assert config.entra is entra


def test_an_azure_api_version_has_a_default_and_can_be_set(tmp_path):
    assert configured(AZURE, tmp_path).api_version == "2024-12-01-preview"
    assert configured(SDK, tmp_path).api_version == "2025-01-01"
    assert configured({**AZURE, "AZURE_AI_API_VERSION": "2025-03-01"}, tmp_path).api_version == "2025-03-01"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"AZURE_AI_OPENAI_ENDPOINT": "https://x"}, "AZURE_AI_OPENAI_ENDPOINT is set, but not AZURE_AI_MODEL_NAME ("),
        ({"AZURE_AI_API_KEY": "k"}, "is set, but not AZURE_AI_OPENAI_ENDPOINT and AZURE_AI_MODEL_NAME ("),
        ({"AZURE_AI_MODEL_NAME": "m"}, "AZURE_AI_MODEL_NAME is set, but not AZURE_AI_OPENAI_ENDPOINT ("),
        ({"AZURE_AI_PROJECT_ENDPOINT": "https://x"}, "is set, but not AZURE_AI_MODEL_NAME ("),
        ({"AZURE_ENDPOINT": "https://x", "AZURE_API_KEY": "k"}, "are set, but not AZURE_DEPLOYMENT_NAME ("),
        ({"OPENAI_BASE_URL": "http://x"}, "OPENAI_BASE_URL is set, but not OPENAI_MODEL ("),
        ({"OPENAI_BASE_URL": "http://x", "OPENAI_API_KEY": "k"}, "OPENAI_BASE_URL is set, but not OPENAI_MODEL ("),
        ({"OPENAI_MODEL": "m"}, "OPENAI_MODEL is set, but not OPENAI_BASE_URL or OPENAI_API_KEY ("),
    ],
)
def test_half_a_configuration_is_one_sentence_that_names_what_is_missing(variables, sentence, tmp_path):
    with pytest.raises(ConfigurationError) as caught:
        configured(variables, tmp_path)

    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("variables", "hint"),
    [
        ({}, "Set AZURE_AI_OPENAI_ENDPOINT"),
        ({"OPENAI_API_KEY": "k"}, "OPENAI_API_KEY alone"),
        ({"AZURE_API_VERSION": "2024-12-01"}, "Set AZURE_AI_OPENAI_ENDPOINT"),
        ({"OPENAI_MODEL": ""}, "Set AZURE_AI_OPENAI_ENDPOINT"),
    ],
)
def test_without_a_configuration_there_is_a_hint(variables, hint, tmp_path):
    found = configured(variables, tmp_path)

    assert isinstance(found, NotConfigured)
    assert found.hint.startswith(hint)


def test_the_dotenv_file_is_read_without_touching_the_environment_which_wins(tmp_path):
    (tmp_path / ".env").write_text(
        '# The judge\nexport OPENAI_MODEL="from-file"\nOPENAI_BASE_URL=http://localhost:8000/v1\n', encoding="utf-8"
    )
    before = dict(os.environ)

    assert configured({}, tmp_path).model == "from-file"
    assert configured({"OPENAI_MODEL": "from-environment"}, tmp_path).model == "from-environment"
    assert os.environ == before


def test_a_dotenv_file_that_cannot_be_read_is_one_sentence(tmp_path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigurationError, match=r"\.env cannot be read: "):
        configured({}, tmp_path)


def test_the_dicts_of_the_sdk_are_accepted():
    azure = as_model_config(
        {
            "type": "azure_openai",
            "azure_endpoint": "https://house.openai.azure.com",
            "azure_deployment": "gpt-4o",
            "api_key": "planted-key",
            "api_version": "2024-06-01",
        }
    )
    openai = as_model_config(
        {
            "type": "openai",
            "model": "gpt-4.1",
            "api_key": "planted-key",
            "organization": "o",
            "extra_headers": {"A": "b"},
        }
    )

    assert (azure.model, azure.api_version, azure.entra) == ("gpt-4o", "2024-06-01", False)
    assert (openai.address, openai.organization) == ("https://api.openai.com/v1", "o")


@pytest.mark.parametrize("key", [{}, {"api_key": None}, {"api_key": ""}])
def test_an_azure_dict_without_a_key_means_entra_id(key):
    assert as_model_config({"azure_endpoint": "https://x", "azure_deployment": "m", **key}).entra


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"model": "m"}, "one of azure_endpoint, azure_project_endpoint, base_url or api_key is needed"),
        ({"api_key": "planted-key"}, "model: Field required"),
        ({"model": "m", "base_url": "localhost:8000"}, "base_url: must be an address such as https://host/path"),
        ({"model": "m", "base_url": "https://user:planted-key@host"}, "without user, password"),
        ({"model": "m", "base_url": "https://host/v1?key=planted-key"}, "anything after '?'"),
        (
            {"model": "m", "base_url": "http://a", "azure_endpoint": "http://b"},
            "only one of azure_endpoint and base_url",
        ),
        ({"model": "m", "api_key": ["planted-key"]}, "api_key: Input should be a valid string"),
        ({"model": "m", "apikey": "planted-key"}, "'apikey' is not one of its keys ("),
        ("planted-key", "a str is neither a ModelConfig nor a dict"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_without_a_value(value, sentence):
    with pytest.raises(ConfigurationError) as caught:
        as_model_config(value)

    assert sentence in str(caught.value)
    assert "planted-key" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("model", "reasoning"),
    [
        ("o1", True),
        ("o1-preview", True),
        ("o3-mini", True),
        ("prod-o4-mini-eu", True),
        ("openai/o3", True),
        ("gpt-5", True),
        ("GPT-5-mini", True),
        ("gpt-5.1", True),
        ("my-gpt5-deployment", True),
        ("gpt-5-chat", False),
        ("gpt-4o", False),
        ("gpt-4o1", False),
        ("gpt-4.1", False),
        ("gpt-50", False),
        ("phi-3o1x", False),
        ("turbo3", False),
    ],
)
def test_reasoning_models_are_known_by_their_names(model, reasoning):
    config = ModelConfig(model=model, api_key="k")

    assert config.is_reasoning_model is reasoning
    assert ModelConfig(model=model, api_key="k", is_reasoning_model=not reasoning).is_reasoning_model is not reasoning


def test_equal_configurations_are_one_key_whatever_their_origin():
    first = ModelConfig(model="m", api_key="k", origin="here", extra_headers={"a": "b"})
    second = ModelConfig(model="m", api_key="k", origin="there", extra_headers={"a": "b"})
    other = ModelConfig(model="m", api_key="other", extra_headers={"a": "b"})

    assert {first: 1, second: 2} == {first: 2}
    assert first != other


def test_costs_are_unknown_without_prices_or_counts():
    priced = ModelConfig(model="m", api_key="k", prompt_price=2.5, completion_price=10)

    assert priced.cost(1_000_000, 100_000) == 3.5
    assert priced.cost(None, 100) is None
    assert ModelConfig(model="m", api_key="k", prompt_price=2.5).cost(1, 1) is None
