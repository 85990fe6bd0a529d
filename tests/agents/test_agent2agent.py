"""Agents that speak A2A, against a real server of the official SDK."""

from __future__ import annotations

import asyncio

import pytest

from pytest_agentevals import loop
from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.errors import AgentError

pytest.importorskip("a2a", reason="needs the extra a2a")


@pytest.fixture(scope="module")
def a2a():
    from agents.a2a_server import a2a_server

    with a2a_server() as running:
        yield running


@pytest.fixture
def agent(a2a, tmp_path):
    url, _, gate = a2a
    gate.key, gate.statuses = None, []
    gate.headers.clear()

    def made(environment=None, **settings):
        return make_client(f"a2a:{url}", root=tmp_path, settings=settings, environment=environment or {})

    return made


@pytest.mark.parametrize(
    ("prompt", "text"),
    [("message", "message"), ("task", "first\nsecond"), ("words", "only words"), ("ask back", "which city?")],
)
def test_messages_artifacts_and_questions_are_the_text(agent, ask, prompt, text):
    assert ask(agent(), prompt, Conversation()).text == text


def test_the_turns_of_a_thread_share_a_context_and_other_threads_do_not(agent, ask):
    client = agent()
    first = Conversation()
    answer = ask(client, "message 1", first).text
    second = first.after("message 1", answer)
    assert ask(client, "message other", Conversation()).text == "message other"
    assert ask(client, "message 2", second).text == "message 1 | message 2"
    assert ask(client, "message 3", second.after("message 2", "")).text == "message 1 | message 2 | message 3"


def test_the_answer_to_a_question_goes_to_the_task_that_asked(agent, ask):
    client = agent()
    thread = Conversation()
    ask(client, "ask back", thread)
    assert ask(client, "Rome", thread.after("ask back", "which city?")).text == "2 in one task"


def test_a_thread_whose_earlier_turns_the_agent_never_saw_is_an_error(agent, ask):
    with pytest.raises(AgentError, match="was not asked the earlier turns of this thread"):
        ask(agent(), "message", Conversation().after("Q", "A"))


@pytest.mark.parametrize(
    ("prompt", "state", "code"),
    [
        ("failed", "failed", "agentRequestFailed"),
        ("reject", "rejected", "agentRequestFailed"),
        ("cancel", "canceled", "agentRequestFailed"),
        ("requires_auth", "auth required", "agentAuthenticationError"),
    ],
)
def test_a_task_that_ends_badly_is_an_error_with_the_agents_reason(agent, ask, prompt, state, code):
    with pytest.raises(AgentError, match=rf"^A2A agent http://127\.0\.0\.1:\d+: task {state}: because$") as caught:
        ask(agent(), prompt, Conversation())
    assert caught.value.code == code


def test_a_busy_agent_is_asked_again(agent, a2a, ask):
    a2a[2].statuses = [503, 429]
    assert ask(agent(), "message", Conversation()).text == "message"


@pytest.mark.parametrize(("status", "code"), [(500, "agentRequestFailed"), (429, "agentRateLimited")])
def test_a_refusal_has_its_code(agent, a2a, ask, status, code):
    client = agent(retries=0)
    ask(client, "message", Conversation())
    a2a[2].statuses = [status]
    with pytest.raises(AgentError, match=str(status)) as caught:
        ask(client, "message", Conversation())
    assert caught.value.code == code


def test_keys_go_to_the_agent_and_into_no_message(agent, a2a, ask):
    a2a[2].key = "right-key"
    client = agent({"KEY": "right-key"}, headers={"X-Key": "${KEY}"})
    assert ask(client, "message", Conversation()).text == "message"
    assert [headers["x-key"] for headers in a2a[2].headers] == ["right-key"] * 2
    client = agent({"KEY": "wrong-key"}, headers={"X-Key": "${KEY}"})
    with pytest.raises(AgentError, match="401") as caught:
        ask(client, "message", Conversation())
    assert caught.value.code == "agentAuthenticationError"
    assert "wrong-key" not in f"{caught.value} {client!r}"


def test_keys_are_not_sent_to_another_host_that_the_card_names(agent, a2a, tmp_path, ask):
    url = a2a[0].replace("127.0.0.1", "localhost")
    client = make_client(f"a2a:{url}", root=tmp_path, settings={"headers": {"X-Key": "k"}})
    ask(client, "message", Conversation())
    assert [headers.get("x-key") for headers in a2a[2].headers] == ["k", None], "the card, then the message"


def test_the_card_is_read_once_however_many_prompts_are_asked(agent, a2a):
    caller = Caller(agent())

    async def ask_all():
        await asyncio.gather(*(caller.ask("message", Conversation()) for _ in range(4)))

    loop.run(ask_all())
    assert len(a2a[2].headers) == 5


def test_an_agent_that_takes_too_long_is_given_up(agent, ask):
    with pytest.raises(AgentError, match=r"did not answer within 0\.5 s") as caught:
        ask(agent(timeout=0.5), "slow", Conversation())
    assert caught.value.code == "agentTimeout"


def test_what_is_no_a2a_agent_is_an_error(server, tmp_path, ask):
    server.answer({"hello": 1})
    with pytest.raises(AgentError, match=rf"^A2A agent {server.url}: "):
        ask(make_client(f"a2a:{server.url}", root=tmp_path))


def test_an_agent_that_cannot_be_reached_is_named(server, tmp_path, ask):
    server.server_close()
    with pytest.raises(AgentError, match=rf"^A2A agent {server.url}: .*onnect"):
        ask(make_client(f"a2a:{server.url}", root=tmp_path, settings={"retries": 0}))


@pytest.mark.parametrize(("binding", "version"), [("HTTP+JSON", "1.0"), ("JSONRPC", "0.3")])
def test_agents_with_another_binding_or_version_of_the_protocol_are_asked_too(tmp_path, ask, binding, version):
    from agents.a2a_server import a2a_server

    with a2a_server(binding, version) as (url, _, _):
        client = make_client(f"a2a:{url}", root=tmp_path)
        thread = Conversation()
        ask(client, "message 1", thread)
        assert ask(client, "message 2", thread.after("message 1", "")).text == "message 1 | message 2"


def test_a_task_that_is_still_running_is_looked_at_until_it_stops(server, tmp_path, ask):
    card = {
        "name": "slow",
        "description": "answers at once with a task that is not done",
        "version": "1",
        "supportedInterfaces": [{"url": server.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {},
        "skills": [],
    }

    def task(state, **more):
        return {"id": "t1", "contextId": "c1", "status": {"state": state}, **more}

    def result(value):
        return {"jsonrpc": "2.0", "id": "1", "result": value}

    server.answer(
        card,
        result({"task": task("TASK_STATE_SUBMITTED")}),
        result(task("TASK_STATE_WORKING")),
        result(task("TASK_STATE_COMPLETED", artifacts=[{"artifactId": "a", "parts": [{"text": "done"}]}])),
    )
    assert ask(make_client(f"a2a:{server.url}", root=tmp_path)).text == "done"
    assert [request.json["method"] for request in server.requests[1:]] == ["SendMessage", "GetTask", "GetTask"]
