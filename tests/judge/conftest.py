"""A judge's real client against a real server on loopback."""

from __future__ import annotations

import openai  # noqa: F401 - its import takes longer than the deadlines of these tests
import pytest

from pytest_agentevals import loop
from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.judge.client import OpenAIChatModel
from pytest_agentevals.testing import ScriptedServer


@pytest.fixture
def serve():
    """Start servers that end with the test."""
    servers = []

    def start(script, **options):
        servers.append(ScriptedServer(script, **options).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__()


@pytest.fixture
def connect():
    """Make models whose connections end with the test."""
    models = []

    def make(config, **options):
        models.append(OpenAIChatModel(config, **options))
        return models[-1]

    yield make
    for model in models:
        loop.run(model.close())


@pytest.fixture
def question():
    """Make a request to a judge."""

    def make(text="How good?", **parameters):
        return JudgeRequest(
            evaluator="Relevance",
            prompt_version="test",
            messages=({"role": "user", "content": text},),
            parameters={"temperature": 0.0, "max_tokens": 800, **parameters},
        )

    return make
