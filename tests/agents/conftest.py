"""A real server, and the way the engine asks."""

from __future__ import annotations

import threading

import pytest
from agents.agent_server import AgentServer

from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.conversation import Conversation


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """Reach loopback directly, whatever the machine is set to."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    with AgentServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def ask():
    """Ask a client as the engine does, with its timeout and error codes."""

    def asked(client, prompt="Q", conversation=None):
        return Caller(client).ask_sync(prompt, conversation or Conversation("c1"))

    return asked
