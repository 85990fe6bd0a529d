from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.testing import scripted_judge


@pytest.fixture(scope="session")
def sources():
    """The published examples of the format."""
    root = os.environ.get("AGENTEVALS_CONFORMANCE", Path(__file__).parents[3] / "shared" / "conformance")
    folder = Path(root) / "sources"
    if not folder.is_dir():
        pytest.skip("the conformance data is not here; AGENTEVALS_CONFORMANCE names its folder")
    return folder


@pytest.fixture
def catalog(tmp_path):
    return Catalog(Place(folder=tmp_path, root=tmp_path))


@pytest.fixture
def make(catalog):
    """Make a Rubric evaluator from the options of a document."""
    return lambda options, name="Rubric": catalog.make(name, options)


@pytest.fixture
def judge_with(make):
    """Judge a response with a rubric; returns the verdict and the judge."""

    def run(options, *answers, response="Booked.", **fields):
        judge = scripted_judge({"": list(answers)})
        given = response if isinstance(response, AgentResponse) else AgentResponse(text=response)
        exchange = Exchange(prompt="Book a table for 4.", response=given, judge=judge, **fields)
        return asyncio.run(make(options).evaluate(exchange)), judge

    return run
