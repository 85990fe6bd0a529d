from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from pytest_agentevals.evaluators.base import Exchange, Message
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.judge import Judgment
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import JudgeUsage


@dataclass
class CannedJudge:
    """Gives the same answer to everything, and keeps what it was asked."""

    text: str = '{"reason": "Well said.", "score": 4, "status": "completed"}'
    requests: list = field(default_factory=list)

    async def ask(self, request, read):
        self.requests.append(request)
        return Judgment(read(self.text), self.text, JudgeUsage(model="canned", prompt_tokens=7, completion_tokens=3))


@pytest.fixture
def judge():
    return CannedJudge()


@pytest.fixture
def catalog(tmp_path):
    return Catalog(Place(folder=tmp_path, root=tmp_path))


@pytest.fixture
def evaluate(catalog, judge):
    """Evaluate one exchange with an evaluator of a document."""

    def run(evaluator, options=None, *, prompt="Is tea healthy?", response="Yes, mostly.", history=(), **fields):
        exchange = Exchange(
            prompt=prompt,
            response=response if isinstance(response, AgentResponse) else AgentResponse(text=response),
            history=tuple(Message(*message) for message in history),
            **{"judge": judge, **fields},
        )
        return asyncio.run(catalog.make(evaluator, options or {}).evaluate(exchange))

    return run
