"""A model and a server named by an option or a setting, in the place of those of the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.judge.environment import NotConfigured, configured, variables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_agentevals.judge.config import ModelConfig

#: What of a judge's configuration is true of its model only.
OF_MODEL = {"model", "is_reasoning_model", "prompt_price", "completion_price"}


def named_or_configured(
    model: str | None, url: str | None, environment: Mapping[str, str], rootdir: Path
) -> ModelConfig | NotConfigured:
    """Return the judge that is named, completed from the environment or ``rootdir/.env``; else the one of these.

    Raises `ConfigurationError` for half of a configuration.
    """
    if model and url:
        return overridden(None, model, url, environment, rootdir)
    found = configured(environment, rootdir)
    if not model and not url:
        return found
    judge = None if isinstance(found, NotConfigured) else found
    return overridden(judge, model, url, environment, rootdir)


def overridden(
    judge: ModelConfig | None, model: str | None, url: str | None, environment: Mapping[str, str], rootdir: Path
) -> ModelConfig:
    """Put a model, a server or both in the place of a configuration's own.

    Another server gets the key ``OPENAI_API_KEY``, if there is one, and never that of the judge. Raises
    `ConfigurationError` for half of a configuration.
    """
    from pytest_agentevals.judge.config import as_model_config

    key = variables(environment, rootdir).get("OPENAI_API_KEY")
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
