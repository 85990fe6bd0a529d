"""What fixtures and options give to an item: whom it asks, and how long that lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_agentevals.engine.askers import Agent
    from pytest_agentevals.judge.config import ModelConfig

#: Our fixtures, which users override.
FIXTURES = {"agent_client", "model_config"}
#: Scopes of fixtures, the longest-lived first; those that outlive an item of a document.
SCOPES = ("session", "package", "module", "class", "function")
LASTING = SCOPES[:3]


@dataclass(frozen=True, slots=True)
class Means:
    """Whom an item asks. Equal means are the very same agent and the same judge."""

    #: None: the recorded response.
    agent: Agent | None
    #: None where no judge is configured, or none is needed.
    judge: ModelConfig | None
    #: The shortest scope of the fixtures that gave them.
    scope: str = "session"


class Scopes:
    """A plugin that knows how long the values of our fixtures live."""

    def __init__(self) -> None:
        #: By the identity of a value: itself, so that no other takes its place, and the scope of what gave it.
        self._known: dict[int, tuple[Any, str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Note the scope of a fixture that is made; where one passes on the value of another, its own counts."""
        value = yield
        if fixturedef.argname in FIXTURES:
            # What serves one item need not be remembered.
            if fixturedef.scope in LASTING:
                self._known[id(value)] = value, fixturedef.scope
            else:
                self._known.pop(id(value), None)
        return value

    def of(self, value: object) -> str:
        """Return the scope of a fixture's value."""
        return self._known[id(value)][1] if id(value) in self._known else "function"


def shortest(*scopes: str) -> str:
    """Return the scope that ends first."""
    return max(scopes, key=SCOPES.index)
