"""An agent behind an HTTP endpoint, against a real server."""

from __future__ import annotations

import socket
import threading
import time
from email.utils import formatdate

import pytest
from agents.agent_server import Answer

from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.errors import AgentError

THREAD = Conversation("c1", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
STREAM = {"Content-Type": "text/event-stream"}


@pytest.fixture
def endpoint(server, tmp_path):
    def made(path="/ask", *, environment=None, **settings):
        return make_client(server.url + path, root=tmp_path, settings=settings, environment=environment or {})

    return made


def test_without_settings_prompt_and_conversation_are_posted_and_the_fields_of_a_response_read(server, endpoint, ask):
    server.answer({"text": "A", "citations": [{"index": 1}]})
    response = ask(endpoint(), conversation=THREAD)
    assert server.requests[0].method == "POST"
    assert server.requests[0].json == {"prompt": "Q", "conversation": {"id": "c1", "messages": THREAD.messages}}
    assert response.text == "A"
    assert response.citations is not None
    assert response.tool_calls is None


@pytest.mark.parametrize("answer", [Answer("A"), Answer(b"A", headers={"Content-Type": "text/plain"}), Answer(b"A")])
def test_a_json_string_or_plain_text_is_the_text(server, endpoint, ask, answer):
    server.answer(answer)
    assert ask(endpoint()).text == "A"


def test_the_request_is_made_as_the_settings_say(server, endpoint, ask):
    server.answer("A")
    client = endpoint(
        "/v1/{conversation_id}?code=${CODE}",
        method="PUT",
        headers={"Authorization": "Bearer ${KEY}", "X-Plain": "yes"},
        body={"input": "{prompt}", "all": "{messages}", "note": "user said {prompt}!", "n": [1, None, "{history}"]},
        environment={"KEY": "secret-key\n", "CODE": "c0de"},
    )
    ask(client, 'a "quoted" {history}', THREAD)
    request = server.requests[0]
    assert (request.method, request.path) == ("PUT", "/v1/c1?code=c0de")
    assert (request.headers["authorization"], request.headers["x-plain"]) == ("Bearer secret-key", "yes")
    assert request.json == {
        "input": 'a "quoted" {history}',
        "all": [*THREAD.messages, {"role": "user", "content": 'a "quoted" {history}'}],
        "note": 'user said a "quoted" {history}!',
        "n": [1, None, THREAD.messages],
    }


def test_a_get_request_carries_the_prompt_in_the_address_alone(server, endpoint, ask):
    server.answer("A")
    ask(endpoint("/ask?q={prompt}", method="GET"), "a b&c=ü")
    assert (server.requests[0].path, server.requests[0].body) == ("/ask?q=a%20b%26c%3D%C3%BC", b"")


def test_paths_find_text_and_evidence_in_an_answer_of_any_shape(server, endpoint, ask):
    server.answer(
        {
            "output": [{"say": "Sunny"}, {"say": " today"}],
            "sources": [{"index": 1, "source": "https://x.test"}],
            "searches": [{"capability": "Email", "queries": [{"queryString": "sun"}]}],
            "calls": [{"function": {"name": "get", "arguments": "{}"}}],
            "tokens": {"input_tokens": 3, "output_tokens": 5},
            "functions": [{"name": "get"}],
        }
    )
    paths = {
        "text": "$.output[*].say",
        "citations": "$.sources[*]",
        "retrieval_executions": "$.searches",
        "tool_calls": "$.calls",
        "tool_definitions": "$.functions",
        "usage": "$.tokens",
    }
    response = ask(endpoint(response=paths))
    assert response.text == "Sunny today"
    assert response.citations is not None
    assert response.citations[0].source == "https://x.test"
    assert response.retrieval_executions is not None
    assert response.retrieval_executions[0].queries[0].queryString == "sun"
    assert response.tool_calls is not None
    assert response.tool_calls.selected_functions is not None
    assert response.tool_calls.selected_functions[0].function_name == "get"
    assert response.usage is not None
    assert (response.usage.prompt_tokens, response.usage.completion_tokens) == (3, 5)
    assert response.tool_definitions == ({"name": "get"},)


def test_evidence_that_is_not_there_is_not_known_and_an_empty_list_is_none_for_certain(server, endpoint, ask):
    server.answer({"text": "A", "calls": [], "sources": None})
    paths = {"text": "$.text", "tool_calls": "$.calls", "citations": "$.sources", "retrieval_executions": "$.searches"}
    response = ask(endpoint(response=paths))
    assert response.tool_calls is not None
    assert response.tool_calls.selected_functions == ()
    assert response.citations is None
    assert response.retrieval_executions is None


def test_tool_evidence_in_the_form_of_eval_documents_is_taken_as_it_is(server, endpoint, ask):
    evidence = {"selected_functions": None, "executions": [{"plugin_name": "w", "function_name": "g"}]}
    server.answer({"text": "A", "diagnostics": {"tool_calls": evidence}})
    response = ask(endpoint(response={"text": "$.text", "tool_calls": "$.diagnostics.tool_calls"}))
    assert response.tool_calls is not None
    assert response.tool_calls.selected_functions is None
    assert response.tool_calls.executions is not None


def test_a_stream_of_events_is_joined_even_when_it_is_cut_anywhere(server, endpoint, ask):
    stream = (
        b": ping\n\n"
        b'data: {"choices": [{"delta": {"role": "assistant", "content": null}}]}\n\n'
        b'data: {"choices": [{"delta": {"content": "Gr\xc3\xbc"}}]}\r\n\r\n'
        b'data: {"choices": [{"delta":\ndata:  {"content": "\xe2\x80\xa8\xc3\x9fe"}}]}\n\n'
        b'data: {"choices": [], "usage": {"prompt_tokens": 1}}\n\n'
        b"data: [DONE]\n\n"
    )
    for size in (1, 7, len(stream)):
        parts = [stream[start : start + size] for start in range(0, len(stream), size)]
        server.answer(Answer(parts=parts, headers=STREAM))
        response = ask(endpoint(response={"text": "$.choices[0].delta.content", "usage": "$.usage"}))
        assert response.text == "Grü\u2028ße"
        assert response.usage is not None
        assert response.usage.prompt_tokens == 1


def test_events_of_one_name_can_be_picked(server, endpoint, ask):
    stream = b'event: delta\ndata: {"t": "A"}\n\nevent: done\ndata: {"t": "All"}\n\n'
    server.answer(Answer(parts=[stream], headers=STREAM))
    assert ask(endpoint(event="done", response={"text": "$.t"})).text == "All"
    assert ask(endpoint(response={"text": "$.t"})).text == "AAll"


def test_a_stream_of_words_needs_no_path(server, endpoint, ask):
    server.answer(Answer(parts=[b"data: It is\n\ndata:  42\n\ndata: !\n\n"], headers=STREAM))
    assert ask(endpoint()).text == "It is 42!"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer([1]), "the agent client returned [1] (list)"),
        (Answer({"answer": "A"}), 'the agent\'s response has no "text", but answer'),
        (Answer(b"{oops", headers={"Content-Type": "application/json"}), "the agent's answer is no JSON"),
        (Answer(parts=[b'data: {"a": 1}\n\n' * 2], headers=STREAM), "a stream of 2 events; set"),
        (Answer(parts=[b""], headers=STREAM), "a stream without events"),
    ],
)
def test_an_answer_that_is_no_response_is_unparseable(server, endpoint, ask, answer, said):
    server.answer(answer)
    with pytest.raises(AgentError) as caught:
        ask(endpoint())
    assert caught.value.code == "agentResponseUnparseable"
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"a": 1}, "nothing stands at $.text in the agent's answer, which is {'a': 1} (dict)"),
        ({"text": 1}, "$.text in the agent's answer is 1 (int); it has to be text"),
        ({"text": {"parts": []}}, "$.text in the agent's answer is {'parts': []} (dict); it has to be text"),
    ],
)
def test_a_path_that_finds_no_text_is_named(server, endpoint, ask, answer, said):
    server.answer(answer)
    with pytest.raises(AgentError) as caught:
        ask(endpoint(response={"text": "$.text"}))
    assert caught.value.code == "agentResponseUnparseable"
    assert str(caught.value) == said


@pytest.mark.parametrize(
    "event", [b'event: error\ndata: {"message": "overloaded"}\n\n', b'data: {"error": {"message": "overloaded"}}\n\n']
)
def test_a_stream_that_ends_in_an_error_is_no_answer(server, endpoint, ask, event):
    server.answer(Answer(parts=[b'data: {"t": "Half an ans"}\n\n', event], headers=STREAM))
    with pytest.raises(AgentError, match=rf"^{server.url}/ask broke off: .*overloaded") as caught:
        ask(endpoint(response={"text": "$.t"}))
    assert caught.value.code == "agentRequestFailed"


def test_json_is_read_even_where_the_server_does_not_say_that_it_is_json(server, endpoint, ask):
    server.answer(Answer(b'{"text": "A", "latency_ms": 7}'))
    response = ask(endpoint())
    assert (response.text, response.latency_ms) == ("A", 7)
    server.answer(Answer(b'{"t": "A"}', headers={"Content-Type": "text/plain; charset=utf-8"}))
    assert ask(endpoint()).text == '{"t": "A"}'
    assert ask(endpoint(response={"text": "$.t"})).text == "A"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "agentRequestFailed"),
        (401, "agentAuthenticationError"),
        (403, "agentAuthenticationError"),
        (307, "agentRequestFailed"),
        (500, "agentRequestFailed"),
        (504, "agentTimeout"),
    ],
)
def test_a_status_that_is_no_success_has_its_code_and_is_not_asked_again(server, endpoint, ask, status, code):
    server.answer(Answer(b"not\ntoday", status=status, headers={"Location": "/elsewhere"}))
    with pytest.raises(AgentError, match=rf"^POST {server.url}/ask answered HTTP {status}: not today$") as caught:
        ask(endpoint())
    assert caught.value.code == code
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_when_it_says(server, endpoint, ask, status):
    server.answer(Answer(status=status, headers={"Retry-After": "0.5"}), Answer("A"))
    started = time.monotonic()
    response = ask(endpoint())
    assert response.text == "A"
    assert time.monotonic() - started >= 0.5
    assert response.latency_ms is not None
    assert response.latency_ms < 500, "the pause is not the agent's time"


def test_a_server_that_stays_busy_is_given_up_after_the_retries(server, endpoint, ask):
    server.answer(Answer(status=429, headers={"Retry-After": "0"}))
    with pytest.raises(AgentError) as caught:
        ask(endpoint(retries=2))
    assert caught.value.code == "agentRateLimited"
    assert len(server.requests) == 3


@pytest.mark.parametrize("wait", ["3600", formatdate(time.time() + 3600, usegmt=True)], ids=["seconds", "date"])
def test_a_pause_longer_than_the_timeout_is_not_waited_for(server, endpoint, ask, wait):
    server.answer(Answer(status=429, headers={"Retry-After": wait}))
    with pytest.raises(AgentError, match="HTTP 429"):
        ask(endpoint(timeout=30))
    assert len(server.requests) == 1


def test_a_server_that_cannot_be_reached_is_tried_again_and_named(endpoint, ask, server):
    server.server_close()
    started = time.monotonic()
    with pytest.raises(AgentError, match=rf"^POST {server.url}/ask failed: .*connection") as caught:
        ask(endpoint(retries=1))
    assert caught.value.code == "agentRequestFailed"
    assert time.monotonic() - started >= 0.25


def test_a_pause_beyond_the_timeout_is_not_begun(endpoint, server):
    server.server_close()
    caller = Caller(endpoint(timeout=0.2, retries=5), timeout=60)
    with pytest.raises(AgentError, match="failed: "):
        caller.ask_sync("Q", THREAD)
    started = time.monotonic()
    with pytest.raises(AgentError, match="failed: "):
        caller.ask_sync("Q", THREAD)
    assert time.monotonic() - started < 5, "five pauses take at least 7.75 seconds"


def test_a_connection_that_breaks_is_not_asked_again(ask, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(5)

        def hang_up():
            connection, _ = listening.accept()
            connection.recv(1000)
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(AgentError, match="failed: "):
            ask(make_client(f"http://127.0.0.1:{listening.getsockname()[1]}/", root=tmp_path))
        thread.join()
        listening.settimeout(0.7)
        with pytest.raises(TimeoutError):
            listening.accept()


def test_an_agent_that_does_not_answer_is_given_up_after_the_timeout(tmp_path, ask):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = make_client(f"http://127.0.0.1:{silent.getsockname()[1]}/", root=tmp_path, settings={"timeout": 0.2})
        with pytest.raises(AgentError, match=r"did not answer within 0\.2 s") as caught:
            ask(client)
    assert caught.value.code == "agentTimeout"


def test_keys_are_in_no_message_and_no_repr(server, endpoint, ask):
    environment = {"KEY": "secret-key", "CODE": "secret-code"}
    client = endpoint(
        "/ask?code=${CODE}&plain=other-code", headers={"X-Key": "${KEY}", "X-Literal": "fixed"}, environment=environment
    )
    server.answer(Answer(b"wrong key secret-key, code secret-code", status=401))
    with pytest.raises(AgentError) as caught:
        ask(client)
    assert str(caught.value) == f"POST {server.url}/ask answered HTTP 401: wrong key ***, code ***"
    assert "secret" not in f"{client!r} {client} {client.identity}"


def test_connections_are_kept_open(server, endpoint, ask):
    server.answer("A")
    client = endpoint()
    ports = set()
    original = server.process_request

    def process_request(request, address):
        ports.add(address)
        original(request, address)

    server.process_request = process_request
    for _ in range(5):
        ask(client)
    assert len(ports) == 1
