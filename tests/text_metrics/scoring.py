"""Scoring two texts."""

from __future__ import annotations

from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.responses import AgentResponse


def score(evaluator, response, expected):
    """Return the verdict of an evaluator on a response."""
    return evaluator.evaluate(Exchange(prompt="?", response=AgentResponse(text=response), expected_response=expected))
