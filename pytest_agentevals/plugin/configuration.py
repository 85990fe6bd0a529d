"""The agent and the judge that ini settings, options and the environment configure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.judge.environment import NotConfigured, configured, variables
from pytest_agentevals.plugin.settings import prices

if TYPE_CHECKING:
    import pytest

    from pytest_agentevals.judge.config import ModelConfig

#: What of a judge's configuration is true of its model only.
OF_MODEL = {"model", "is_reasoning_model", "prompt_price", "completion_price"}


def agent_from_ini(config: pytest.Config) -> Any:
    """Make the client that ``evals_agent`` names; None for ``recorded`` and for an empty setting."""
    return agent(config.getini("evals_agent"), config)


def agent(spec: str, config: pytest.Config) -> Any:
    """Make the client of a spec. Raises `ConfigurationError`."""
    if not spec:
        return None
    return make_client(spec, root=config.rootpath, environment=variables(os.environ, config.rootpath))


def judge_from_ini_and_environment(config: pytest.Config) -> ModelConfig | None:
    """Make the judge's configuration; ini settings win over variables. Raises `ConfigurationError` for half of one."""
    model, url = config.getini("evals_judge_model") or None, config.getini("evals_judge_url") or None
    if model and url:
        return overridden(None, model, url, config)
    found = configured(os.environ, config.rootpath)
    return overridden(None if isinstance(found, NotConfigured) else found, model, url, config)


def overridden(
    judge: ModelConfig | None, model: str | None, url: str | None, config: pytest.Config
) -> ModelConfig | None:
    """Put a model and a server in the place of a configuration's own, and add the prices of its model.

    Raises `ConfigurationError` for half of a configuration.
    """
    found = judge if model is None and url is None else _other(judge, model, url, config)
    if found is None or found.prompt_price is not None:
        return found
    prompt, completion = prices(config).get(found.model, (None, None))
    return found.model_copy(update={"prompt_price": prompt, "completion_price": completion})


def _other(judge: ModelConfig | None, model: str | None, url: str | None, config: pytest.Config) -> ModelConfig:
    from pytest_agentevals.judge.config import as_model_config

    key = variables(os.environ, config.rootpath).get("OPENAI_API_KEY")
    values: dict[str, Any] = {}
    if url is None and judge is not None:
        values = judge.model_dump(exclude=OF_MODEL, exclude_unset=True)
    elif key:
        values["api_key"] = key
    if url is not None:
        values["base_url"] = url
    name = model or (judge.model if judge else None)
    if name is None or not (url or judge or key):
        raise ConfigurationError(
            "The judge's configuration is incomplete: evals_judge_url needs evals_judge_model, and evals_judge_model "
            "needs evals_judge_url, OPENAI_API_KEY or a judge configured otherwise."
        )
    return as_model_config({**values, "model": name}, origin="evals_judge_model")
