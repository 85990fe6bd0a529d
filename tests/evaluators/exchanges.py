"""Evaluators and exchanges for the tests of this folder, made as the engine makes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentevals.evaluators.base import Evaluator, Exchange
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.responses import AgentResponse

if TYPE_CHECKING:
    from pytest_agentevals.results import Verdict


def make(name: str, options: dict, folder: Path | None = None) -> Evaluator:
    """Validate options as those of a document in a folder."""
    folder = folder or Path(__file__).parent
    return Catalog(Place(folder=folder, root=folder)).make(name, options)


def exchange(text: str = "", *, expected: str | None = None, **evidence: object) -> Exchange:
    """Answer a prompt with a text, and evidence as a document has it."""
    response = AgentResponse.model_validate({"text": text, **evidence})
    return Exchange(prompt="?", response=response, expected_response=expected)


def judge(name: str, options: dict, text: str = "", **rest: object) -> Verdict:
    """Evaluate one response."""
    return make(name, options).evaluate(exchange(text, **rest))
