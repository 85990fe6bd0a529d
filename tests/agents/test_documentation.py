"""What docs/agents.md shows works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.responses import AgentResponse

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("settings", re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL))
def test_every_settings_file_of_the_page_makes_a_client(tmp_path, settings):
    (tmp_path / "agent.toml").write_text(settings, encoding="utf-8")
    assert make_client("agent.toml", root=tmp_path, environment={"BOT_KEY": "k"}) is not None


def test_the_page_names_every_field_of_a_response():
    table = PAGE.partition("### What a client returns")[2].partition("##")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(AgentResponse.model_fields)
