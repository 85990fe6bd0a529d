from __future__ import annotations

import asyncio
import inspect
from textwrap import dedent

import pytest

from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.responses import AgentResponse


@pytest.fixture
def write(tmp_path):
    """Write a file of the project, its folders included."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content), "utf-8")
        return path

    return write


@pytest.fixture
def custom(write):
    """Write the module of a custom evaluator, and its prompt file if there is one."""

    def custom(name, module, prompty=None, folder="."):
        write(f"{folder}/custom-evaluators/{name}/{name}.py", module)
        if prompty is not None:
            write(f"{folder}/custom-evaluators/{name}/{name}.prompty", prompty)

    return custom


@pytest.fixture
def returning(custom):
    """Write a custom evaluator that returns the value of an expression."""

    def returning(expression, name="check", prompty=None):
        custom(
            name,
            f"""
            import fractions, math

            class Check:
                def __init__(self, **_):
                    pass

                def __call__(self, **given):
                    return {expression}
            """,
            prompty,
        )
        return name

    return returning


@pytest.fixture
def catalog(tmp_path):
    return Catalog(Place(folder=tmp_path, root=tmp_path))


@pytest.fixture
def evaluate(catalog):
    """Evaluate one exchange with an evaluator of a document."""

    def evaluate(name, options=None, *, prompt="Where is the form?", response="On the portal.", **fields):
        exchange = Exchange(prompt=prompt, response=AgentResponse(text=response), **fields)
        verdict = catalog.make(name, options or {}).evaluate(exchange)
        return asyncio.run(verdict) if inspect.isawaitable(verdict) else verdict

    return evaluate
