"""The names that projects import."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest_agentevals
from pytest_agentevals import testing
from pytest_agentevals.judge.config import ModelConfig
from reference.markdown import code, summary, table, written

if TYPE_CHECKING:
    from types import ModuleType


def page() -> str:
    """Write the page."""
    return written(
        "Names in Python",
        "For clients of agents, evaluators of your own and tests of both. What is not on this page may change without "
        "notice.",
        "## pytest_agentevals",
        "Import these from `pytest_agentevals`.",
        names(pytest_agentevals),
        "## pytest_agentevals.judge.config",
        table(["name", ""], [[code("ModelConfig"), summary(ModelConfig.__doc__)]]),
        "## pytest_agentevals.testing",
        summary(testing.__doc__),
        names(testing),
    )


def names(module: ModuleType) -> str:
    """Describe the public names of a module."""
    values = ((name, getattr(module, name)) for name in module.__all__)
    return table(["name", ""], ([shown(name, value), summary(value.__doc__)] for name, value in values))


def shown(name: str, value: Any) -> str:
    """Write a function with the names of its parameters, anything else as it is."""
    if not inspect.isfunction(value):
        return code(name)
    return code(f"{name}({', '.join(inspect.signature(value).parameters)})")
