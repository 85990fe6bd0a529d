"""Agent-evaluation datasets as pytest tests.

The names below are imported when they are first used: pytest imports this package in every run of an environment that
has it, and runs without eval documents pay for nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation
    from pytest_agentevals.errors import (
        AgentError,
        AgentEvalsError,
        AgentEvalsWarning,
        ConfigurationError,
        DocumentError,
        EvaluationError,
        MissingInput,
    )
    from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
    from pytest_agentevals.responses import AgentResponse
    from pytest_agentevals.results import Outcome, Verdict

__version__ = "0.1.0"

__all__ = [
    "AgentError",
    "AgentEvalsError",
    "AgentEvalsWarning",
    "AgentResponse",
    "ConfigurationError",
    "Conversation",
    "DocumentError",
    "EvaluationError",
    "Evaluator",
    "Exchange",
    "MissingInput",
    "Outcome",
    "Verdict",
    "decide",
]

_HOMES = {
    "AgentResponse": "responses",
    "Conversation": "agents.conversation",
    "Evaluator": "evaluators.base",
    "Exchange": "evaluators.base",
    "Outcome": "results",
    "Verdict": "results",
    "decide": "evaluators.base",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
