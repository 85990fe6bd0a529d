"""Asking any callable."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import sys
import threading
import time

import httpx
import pytest

from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.errors import AgentError, ConfigurationError

HISTORY = Conversation("c1", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])


def both(client, prompt="Q", conversation=HISTORY, **options):
    """Ask in both ways and return the text, which must be the same."""
    waited = asyncio.run(Caller(client, **options).ask(prompt, conversation)).text
    assert Caller(client, **options).ask_sync(prompt, conversation).text == waited
    return waited


def plain(prompt):
    return f"plain {prompt}"


async def coroutine(prompt):
    await asyncio.sleep(0)
    return f"coroutine {prompt}"


def returns_a_coroutine(prompt):
    return coroutine(prompt)


class Agent:
    def __call__(self, prompt):
        return f"object {prompt}"

    def method(self, prompt):
        return f"method {prompt}"


class AsyncAgent:
    async def __call__(self, prompt):
        return f"async object {prompt}"


@pytest.mark.parametrize(
    ("client", "answer"),
    [
        (plain, "plain Q"),
        (coroutine, "coroutine Q"),
        (Agent(), "object Q"),
        (AsyncAgent(), "async object Q"),
        (Agent().method, "method Q"),
        (functools.partial(lambda style, prompt: f"{style} {prompt}", "partial"), "partial Q"),
        (functools.partial(coroutine), "coroutine Q"),
        (returns_a_coroutine, "coroutine Q"),
        (str, "Q"),
    ],
)
def test_any_callable_is_asked(client, answer):
    assert both(client) == answer


def by_name(prompt, *, conversation):
    return conversation.id


def by_position(prompt, history):
    return history.id


def by_default(prompt, conversation=None):
    return conversation.id


def by_keywords(prompt, **options):
    return options["conversation"].id


def positional_only(prompt, conversation, /):
    return conversation.id


def by_name_after_another(prompt, temperature=0.5, conversation=None):
    assert temperature == 0.5
    return conversation.id


def by_position_before_keywords(prompt, history, **options):
    assert options == {}
    return history.id


@pytest.mark.parametrize(
    "client",
    [
        by_name,
        by_position,
        by_default,
        by_keywords,
        positional_only,
        by_name_after_another,
        by_position_before_keywords,
    ],
)
def test_the_conversation_is_passed_where_the_signature_takes_one(client):
    assert both(client) == "c1"


def test_a_client_sees_the_messages_before_the_prompt_and_cannot_change_them_for_others():
    def client(prompt, conversation):
        seen = "|".join(message["content"] for message in conversation.messages)
        conversation.messages[0]["content"] = "changed"
        conversation.messages.clear()
        return seen

    assert both(client) == "Hi|Hello"
    assert len(HISTORY.messages) == 2


def test_a_conversation_grows_by_prompt_and_answer_and_keeps_its_id():
    first = Conversation()
    second = first.after("Q", "A")
    assert second.id == first.id != Conversation().id
    assert second.messages == [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]
    assert first.messages == []


@pytest.mark.parametrize("client", ["app:ask", None, lambda: "", lambda *_, more: more])
def test_what_cannot_be_called_with_a_prompt_is_refused_at_once(client):
    with pytest.raises(ConfigurationError, match="cannot be called with a prompt"):
        Caller(client)


def failing(prompt):
    return prompt + 1


async def failing_later(prompt):
    return failing(prompt)


@pytest.mark.parametrize("client", [failing, failing_later])
def test_an_exception_names_its_type_and_the_line_of_the_users_code(client):
    with pytest.raises(AgentError) as waited:
        asyncio.run(Caller(client).ask("Q", HISTORY))
    with pytest.raises(AgentError) as direct:
        Caller(client).ask_sync("Q", HISTORY)
    line = failing.__code__.co_firstlineno + 1
    assert (
        str(waited.value)
        == str(direct.value)
        == f'TypeError: can only concatenate str (not "int") to str ({os.path.relpath(__file__)}:{line})'
    )
    assert waited.value.code == "agentRequestFailed"


def test_an_exception_inside_a_library_names_the_line_that_called_it():
    def client(prompt):
        return json.loads(prompt)

    place = f"{os.path.relpath(__file__)}:{client.__code__.co_firstlineno + 1}"
    with pytest.raises(AgentError, match=rf"JSONDecodeError: .*\({place}\)"):
        Caller(client).ask_sync("Q", HISTORY)


class StatusError(Exception):
    def __init__(self, status_code):
        self.status_code = status_code


class Response:
    status_code = 429


class ResponseError(Exception):
    response = Response()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TimeoutError(), "agentTimeout"),
        (httpx.ReadTimeout("slow"), "agentTimeout"),
        (StatusError(401), "agentAuthenticationError"),
        (StatusError(403), "agentAuthenticationError"),
        (StatusError(504), "agentTimeout"),
        (StatusError(500), "agentRequestFailed"),
        (ResponseError(), "agentRateLimited"),
        (StopIteration("end"), "agentRequestFailed"),
        (AgentError("mine", code="agentRateLimited"), "agentRateLimited"),
    ],
)
def test_the_code_follows_from_the_exception(error, code):
    def client(prompt):
        raise error

    with pytest.raises(AgentError) as waited:
        asyncio.run(Caller(client).ask("Q", HISTORY))
    with pytest.raises(AgentError) as direct:
        Caller(client).ask_sync("Q", HISTORY)
    assert waited.value.code == direct.value.code == code


def test_an_exception_whose_text_cannot_be_made_is_still_named():
    class OddError(Exception):
        def __str__(self):
            raise ValueError

    def client(prompt):
        raise OddError

    with pytest.raises(AgentError, match=r"^OddError \("):
        Caller(client).ask_sync("Q", HISTORY)


def exiting(prompt):
    sys.exit(3)


async def exiting_later(prompt):
    sys.exit(3)


@pytest.mark.parametrize("client", [exiting, exiting_later])
def test_an_agent_that_exits_ends_no_run(client):
    with pytest.raises(AgentError, match=r"^SystemExit: 3 \("):
        asyncio.run(Caller(client).ask("Q", HISTORY))
    with pytest.raises(AgentError, match=r"^SystemExit: 3 \("):
        Caller(client).ask_sync("Q", HISTORY)


def test_a_keyboard_interrupt_passes():
    def client(prompt):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Caller(client).ask_sync("Q", HISTORY)


def test_pytests_own_skip_passes():
    def client(prompt):
        pytest.skip("no agent here")

    with pytest.raises(pytest.skip.Exception):
        Caller(client).ask_sync("Q", HISTORY)


@pytest.mark.parametrize("client", [lambda _: time.sleep(5), lambda _: asyncio.sleep(5)])
def test_a_call_that_takes_too_long_is_given_up(client):
    started = time.monotonic()
    with pytest.raises(AgentError, match=r"the agent did not answer within 0\.05 s") as caught:
        asyncio.run(Caller(client, timeout=0.05).ask("Q", HISTORY))
    assert caught.value.code == "agentTimeout"
    assert time.monotonic() - started < 2


def test_latency_is_measured_unless_the_client_says_it():
    def slow(prompt):
        time.sleep(0.05)
        return "A"

    for response in (asyncio.run(Caller(slow).ask("Q", HISTORY)), Caller(slow).ask_sync("Q", HISTORY)):
        assert response.latency_ms is not None
        assert 50 <= response.latency_ms < 5000
    assert Caller(lambda _: {"text": "", "latency_ms": 7}).ask_sync("Q", HISTORY).latency_ms == 7


class Busy:
    """Counts how many calls are under way at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = self.most = 0

    def __call__(self, prompt):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.1)
        with self.lock:
            self.running -= 1
        return prompt


class OneAtATime(Busy):
    thread_safe = False


@pytest.mark.parametrize(("client", "limit"), [(Busy(), 3), (OneAtATime(), 1)])
def test_clients_that_block_run_in_as_many_threads_as_allowed(client, limit):
    caller = Caller(client, concurrency=3)

    async def ask_all():
        return await asyncio.gather(*(caller.ask(str(number), HISTORY) for number in range(6)))

    assert [response.text for response in asyncio.run(ask_all())] == [str(number) for number in range(6)]
    assert client.most == limit == caller.concurrency


def test_waiting_for_a_thread_is_no_latency():
    caller = Caller(lambda prompt: time.sleep(0.2) or prompt, concurrency=1)

    async def three():
        return await asyncio.gather(*(caller.ask("Q", HISTORY) for _ in range(3)))

    assert all(200 <= response.latency_ms < 390 for response in asyncio.run(three()))
