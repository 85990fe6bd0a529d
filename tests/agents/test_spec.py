"""One way of writing which agent to ask."""

from __future__ import annotations

import sys

import pytest

from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.endpoint import HttpEndpoint
from pytest_agentevals.agents.program import Program
from pytest_agentevals.agents.spec import make_client, shown
from pytest_agentevals.errors import ConfigurationError


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the module ``bot``; its folder is on the path only as long as the test runs."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "bot.py").write_text(
        "def ask(prompt):\n    return f'bot: {prompt}'\n\n"
        "class Agent:\n    def ask(self, prompt):\n        return prompt\n\n"
        "agent = Agent()\n"
    )
    (tmp_path / "broken.py").write_text("import json\n\njson.loads('{')\n")
    (tmp_path / "needy.py").write_text("import no_such_package\n")
    yield tmp_path
    for name in ("bot", "broken", "needy"):
        sys.modules.pop(name, None)


def test_a_function_of_the_project_is_imported_and_asked(project, ask):
    assert ask(make_client("bot:ask", root=project)).text == "bot: Q"
    assert ask(make_client("bot:agent.ask", root=project)).text == "Q"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("robot:ask", "the agent robot:ask cannot be imported: ModuleNotFoundError: No module named 'robot'"),
        ("needy:ask", "ModuleNotFoundError: No module named 'no_such_package' ({root}/needy.py:1)"),
        ("broken:ask", "cannot be imported: JSONDecodeError: Expecting property name enclosed in double quotes"),
        ("broken:ask", "({root}/broken.py:3)"),
        ("bot:aks", 'the agent bot:aks does not exist: bot has no "aks"; did you mean "ask"?'),
        ("bot:agent.tell", 'bot has no "tell"'),
        ("bot:Agent", "the agent bot:Agent is a class; name a function or an object that can be called"),
        ("bot", '"bot" is no agent; allowed are module:function, http://… or https://…, openai:MODEL'),
        ("", '"" is no agent'),
        ("openai:", '"openai:" is no agent'),
        ("exec: ", '"exec: " is no agent'),
        ("exec:'agent", "the command of exec:'agent cannot be split: No closing quotation"),
        ("ftp://x", '"ftp://x" is no agent'),
        ("agent.toml", "the agent's settings file {root}/agent.toml cannot be read: No such file or directory"),
    ],
)
def test_an_agent_that_cannot_be_made_is_explained_in_one_sentence(project, spec, said):
    with pytest.raises(ConfigurationError) as caught:
        make_client(spec, root=project)
    assert said.format(root=project) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_the_sdk_an_a2a_agent_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "a2a.client", None)
    monkeypatch.delitem(sys.modules, "pytest_agentevals.agents.agent2agent", raising=False)
    with pytest.raises(ConfigurationError, match=r'pip install "pytest-agentevals\[a2a\]"'):
        make_client("a2a:http://x", root=tmp_path)


def test_recorded_is_nobody(tmp_path):
    assert make_client("recorded", root=tmp_path) is None


SETTINGS = """
agent = "https://bot.test/v1/ask"
timeout = 20
version = "2"

[headers]
Authorization = "Bearer ${KEY}"

[body]
question = "{prompt}"

[response]
text = "$.answer"
tool_calls = "$.calls"
"""


def test_a_settings_file_names_the_agent_and_its_settings(tmp_path):
    (tmp_path / "staging.toml").write_text(SETTINGS)
    client = make_client("staging.toml", root=tmp_path, environment={"KEY": "k"})
    assert isinstance(client, HttpEndpoint)
    assert (client.url, client.timeout, client.body) == ("https://bot.test/v1/ask", 20, {"question": "{prompt}"})
    assert client.response.text == "$.answer"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('agent = "http://x"\ntimeuot = 3', 'the agent has no setting "timeuot"; did you mean "timeout"?'),
        (
            'agent = "http://x"\nstyle = 3',
            'the agent has no setting "style"; allowed are timeout, version, url, headers, retries',
        ),
        ('agent = "http://x"\ntimeout = 0', 'the agent\'s setting "timeout" is 0: input should be greater than 0'),
        ('agent = "http://x"\ntimeout = "3"', "the agent's setting \"timeout\" is '3': input should be a valid number"),
        ('agent = "http://x"\nmethod = "SEND"', "the agent's setting \"method\" is 'SEND': input should be 'GET',"),
        ('agent = "http://x"\nheaders = "Bearer secret"', 'the agent\'s setting "headers": input should be a valid'),
        (
            'agent = "http://x"\nresponse.txt = "$"',
            'the agent has no setting "response.txt"; did you mean "text"?',
        ),
        ('agent = "http://x"\nresponse.usage = "$"', 'the path of the "text" is missing'),
        ('agent = "http://x"\nresponse.text = "$.["', "'$.[' is no JSONPath"),
        (
            'agent = "http://x"\nheaders.A = "${NO}"',
            'setting "headers.A" names the environment variable NO, which is not',
        ),
        ('agent = "http://x"\nurl = "http://y"', '"url" is no setting, because "agent" says it'),
        ('agent = "exec:x"\nretries = 3', 'the agent has no setting "retries"'),
        ('agent = "bot:ask"\ntimeout = 3', "the agent bot:ask takes no settings, but has timeout"),
        ('agent = "openai:m"\nsystem_prompt_file = "p.md"', '"system_prompt_file" {root}/p.md cannot be read'),
        ("timeout = 3", '"agent" is None; allowed are'),
        ('agent = "other.toml"', "\"agent\" is 'other.toml'; allowed are"),
        ("agent = ", "is no TOML"),
    ],
)
def test_a_mistake_in_a_settings_file_is_explained_with_the_file(tmp_path, settings, said):
    (tmp_path / "agent.toml").write_text(settings)
    with pytest.raises(ConfigurationError) as caught:
        make_client("agent.toml", root=tmp_path, environment={})
    assert str(tmp_path / "agent.toml") in str(caught.value)
    assert said.format(root=tmp_path) in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_program_runs_in_the_projects_root(tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "bot.toml").write_text('agent = "exec:./bot --fast"\nkeep_alive = true\n')
    client = make_client("agents/bot.toml", root=tmp_path)
    assert isinstance(client, Program)
    assert (client.command, client.folder, client.keep_alive) == (["./bot", "--fast"], tmp_path, True)


def test_the_timeout_of_a_client_is_the_callers(tmp_path):
    client = make_client("http://x/", root=tmp_path, settings={"timeout": 2.5})
    assert client is not None
    assert Caller(client).timeout == 2.5
    assert Caller(client, timeout=1).timeout == 1
    assert Caller(str).timeout == 300


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("https://user:key@bot.test:8080/ask?code=key#x", "https://bot.test:8080/ask"),
        ("a2a:https://user:key@bot.test/?code=key", "a2a:https://bot.test/"),
        ("bot:ask", "bot:ask"),
        ("openai:gpt-4o", "openai:gpt-4o"),
        ("exec:curl https://x?y", "exec:curl https://x?y"),
    ],
)
def test_an_agent_is_shown_without_what_may_be_a_key(spec, printed):
    assert shown(spec) == printed
