"""Judges and agents that answer what a test tells them: for the tests of this package and of its users.

`ScriptedServer` is a judge's server on loopback, `ScriptedModel` and `scripted_judge` the same inside the process,
`ScriptedAgent` an agent. All of them record what they were asked.
"""

from __future__ import annotations

from pytest_agentevals.testing.agent import ScriptedAgent
from pytest_agentevals.testing.model import ScriptedModel, scripted_judge
from pytest_agentevals.testing.script import Reply, Script
from pytest_agentevals.testing.server import ScriptedServer

__all__ = ["Reply", "Script", "ScriptedAgent", "ScriptedModel", "ScriptedServer", "scripted_judge"]
