"""The agent and the judge that ini settings, options and the environment configure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.judge import overriding
from pytest_agentevals.judge.environment import NotConfigured, variables
from pytest_agentevals.judge.overriding import named_or_configured
from pytest_agentevals.plugin.settings import prices

if TYPE_CHECKING:
    import pytest

    from pytest_agentevals.judge.config import ModelConfig


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
    found = named_or_configured(model, url, os.environ, config.rootpath)
    return None if isinstance(found, NotConfigured) else _priced(found, config)


def overridden(
    judge: ModelConfig | None, model: str | None, url: str | None, config: pytest.Config
) -> ModelConfig | None:
    """Put a model and a server in the place of a configuration's own, and add the prices of its model.

    Raises `ConfigurationError` for half of a configuration.
    """
    if model is not None or url is not None:
        judge = overriding.overridden(judge, model, url, os.environ, config.rootpath)
    return None if judge is None else _priced(judge, config)


def _priced(judge: ModelConfig, config: pytest.Config) -> ModelConfig:
    if judge.prompt_price is not None:
        return judge
    prompt, completion = prices(config).get(judge.model, (None, None))
    return judge.model_copy(update={"prompt_price": prompt, "completion_price": completion})
