"""The scripted judges and agents that users test with."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.testing import Reply, ScriptedAgent, ScriptedModel, ScriptedServer


def post(server, text, timeout=5):
    """Ask a server with nothing but the standard library."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(f"{server.base_url}/chat/completions", body)
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def ask(model, text):
    request = JudgeRequest(evaluator="e", prompt_version="1", messages=({"role": "user", "content": text},))
    return loop.run(model.complete(request, timeout=5)).content


SCRIPT = {
    "Paris": {"score": 5, "explanation": "Die Antwort stimmt: größer."},
    "often": ["first", "second"],
    "exact": Reply(content="as given"),
    "capital": "a text",
}


def test_the_server_and_the_model_answer_the_same_from_a_table():
    with ScriptedServer(SCRIPT) as server:
        over_http = [post(server, text) for text in ("Is Paris the capital?", "capital", "often", "often", "often")]
    model = ScriptedModel(SCRIPT)
    inside = [ask(model, text) for text in ("Is Paris the capital?", "capital", "often", "often", "often")]

    assert over_http == inside
    assert json.loads(inside[0]) == SCRIPT["Paris"]
    assert inside[1:] == ["a text", "first", "second", "second"]


def test_a_function_sees_the_whole_request():
    with ScriptedServer(lambda body: f"{body['model']}: {body['messages'][0]['content']}") as server:
        assert post(server, "hi") == "m: hi"

    assert len(server.requests) == len(server.headers) == len(server.paths) == server.connections == 1


def test_a_question_without_an_answer_says_so():
    with ScriptedServer({"x": "y"}) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(server, "What?")
    with caught.value as response:
        message = json.load(response)["error"]["message"]
    assert message == "LookupError: the script has no answer to: What?"

    with pytest.raises(EvaluationError, match="the script has no answer to: What"):
        ask(ScriptedModel({"x": "y"}), "What?")


def test_a_server_closes_while_it_delays_an_answer():
    with ScriptedServer({"": Reply(content="late", delay=60)}) as server, pytest.raises(TimeoutError):
        post(server, "x", timeout=0.3)

    assert len(server.requests) == 1


def test_an_agent_answers_from_a_table_or_a_function_and_keeps_its_calls():
    agent = ScriptedAgent({"hi": "hello", "break": RuntimeError("down")})

    assert agent("hi", {"id": "1"}) == "hello"
    with pytest.raises(RuntimeError, match="down"):
        agent("break")
    with pytest.raises(LookupError, match="no answer to 'what'"):
        agent("what")
    assert ScriptedAgent(str.upper)("hi") == "HI"
    assert agent.calls == [("hi", {"id": "1"}), ("break", None), ("what", None)]
