"""Whatever happens between us and the judge's server has one outcome, a sentence, and an end."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time

import pytest

from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeRequest, faults
from pytest_agentevals.judge.client import OpenAIChatModel
from pytest_agentevals.judge.config import ModelConfig
from pytest_agentevals.judge.faults import NOT_ASKED
from pytest_agentevals.testing import Reply, ScriptedServer

#: Seconds per judgment: enough for a second request on a busy machine, and where nothing else is asked.
TIMEOUT, BRIEF = 5.0, 1.5

QUESTION = JudgeRequest(
    evaluator="Relevance", prompt_version="test", messages=({"role": "user", "content": "How good?"},)
)

JSON = b'{"choices": [{"message": {"content": "{}"}}]}'
AUTHENTICATION, CONFIGURATION = "judgeAuthenticationError", "evaluatorConfigurationError"
LIMITED, TIMED_OUT, UNPARSEABLE, OTHER = (
    "judgeRateLimited",
    "judgeTimeout",
    "judgeOutputUnparseable",
    "evaluatorError",
)


def error(status, code, message="no", **headers):
    body = f'{{"error": {{"message": "{message}", "code": "{code}", "type": "{code}"}}}}'
    return Reply(status=status, body=body.encode(), headers=headers)


FAULTS = {
    "slow": (Reply(content="{}", delay=20), TIMED_OUT, "did not answer within 5 s", 1),
    "slow drip": (Reply(content="{}", drip=0.1), TIMED_OUT, "did not answer within 5 s", 1),
    "reset before the body": (Reply(content="{}", reset_after=0), OTHER, "broke the connection", 2),
    "reset mid-body": (Reply(content="{}", reset_after=20), OTHER, "broke the connection", 2),
    "200 cut off as complete": (Reply(body=JSON[:20]), UNPARSEABLE, "no chat completion", 2),
    "200 HTML": (Reply(body=b"<html>Log in</html>", headers={"Content-Type": "text/html"}), UNPARSEABLE, "Log in", 2),
    "200 empty": (Reply(body=b""), UNPARSEABLE, "no chat completion", 2),
    "200 other JSON": (Reply(body=b'{"status": "ok"}'), UNPARSEABLE, "no choices", 2),
    "200 no choices": (Reply(body=b'{"choices": []}'), UNPARSEABLE, "no choices", 2),
    "200 content is a number": (Reply(body=JSON.replace(b'"{}"', b"4")), UNPARSEABLE, "no choices", 2),
    "200 invalid UTF-8": (Reply(body=JSON.replace(b'"{}"', b'"\xff"')), UNPARSEABLE, "no JSON in UTF-8", 2),
    "200 half a surrogate": (Reply(body=JSON.replace(b'"{}"', b'"\\ud800"')), UNPARSEABLE, "UTF-8", 2),
    "200 nested too deeply": (Reply(body=b"[" * 100_000), UNPARSEABLE, "no chat completion", 2),
    "301": (Reply(status=301, headers={"Location": "http://127.0.0.1:9/v2"}), CONFIGURATION, "127.0.0.1:9/v2", 1),
    "307": (Reply(status=307, headers={"Location": "http://127.0.0.1:9/v2"}), CONFIGURATION, "final address", 1),
    "400": (error(400, "invalid"), OTHER, "refuses the request (HTTP 400): no", 1),
    "400 content filter": (error(400, "content_filter", "filtered"), OTHER, "(HTTP 400): filtered", 1),
    "401": (error(401, "invalid_api_key", "bad key"), AUTHENTICATION, "(HTTP 401): bad key", 1),
    "403": (error(403, "forbidden"), AUTHENTICATION, "(HTTP 403)", 1),
    "404": (error(404, "DeploymentNotFound", "no such deployment"), CONFIGURATION, "no such deployment", 1),
    "408": (error(408, "timeout"), TIMED_OUT, "(HTTP 408)", 2),
    "409": (error(409, "conflict"), OTHER, "(HTTP 409)", 2),
    "413": (error(413, "too_large"), OTHER, "(HTTP 413)", 1),
    "422": (error(422, "unprocessable"), OTHER, "(HTTP 422)", 1),
    "429": (error(429, "rate_limit"), LIMITED, "too many requests", 2),
    "429 Retry-After too long": (error(429, "rate_limit", **{"Retry-After": "3600"}), LIMITED, "(HTTP 429)", 1),
    "429 insufficient quota": (error(429, "insufficient_quota"), LIMITED, "no quota left", 1),
    "500": (error(500, "server_error"), OTHER, "(HTTP 500)", 2),
    "500 HTML": (Reply(status=500, body=b"<h1>Oops</h1>"), OTHER, "(HTTP 500): <h1>Oops</h1>", 2),
    "502 empty": (Reply(status=502, body=b""), OTHER, "(HTTP 502): no message", 2),
    "503": (error(503, "overloaded"), OTHER, "(HTTP 503)", 2),
}


@pytest.fixture(scope="module")
def outcomes():
    """Let every fault happen, a few at the same time: the error, the seconds it took, and how many requests."""
    # Not all at once: to make a client takes the loop as long as it takes to load the system's certificates.
    turns = asyncio.Semaphore(4)

    async def suffer(server):
        async with turns:
            model = OpenAIChatModel(server.config)
            start = time.perf_counter()
            with pytest.raises(EvaluationError) as caught:
                await model.complete(QUESTION, timeout=TIMEOUT)
            seconds = time.perf_counter() - start
            await model.close()
        return caught.value, seconds, len(server.requests)

    with contextlib.ExitStack() as stack:
        # Two requests are as good as five to tell what is retried.
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(faults, "ATTEMPTS", 2)
        patch.setattr(faults, "RATE_LIMITED_ATTEMPTS", 2)
        servers = [stack.enter_context(ScriptedServer({"": reply})) for reply, *_ in FAULTS.values()]
        return dict(zip(FAULTS, loop.run(loop.gather(map(suffer, servers))), strict=True))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_its_code_its_sentence_and_ends_within_the_deadline(fault, outcomes):
    _, code, sentence, requests = FAULTS[fault]
    error, seconds, requested = outcomes[fault]

    assert seconds < TIMEOUT + 1
    assert error.code == code
    assert sentence in str(error)
    assert "\n" not in str(error)
    assert str(error).startswith("The judge scripted at 127.0.0.1 ")
    assert requested == requests


@pytest.mark.parametrize("status", [429, 503])
def test_retries_end_with_the_deadline(status, serve, connect, question):
    server = serve({"": Reply(status=status)})
    start = time.perf_counter()

    with pytest.raises(EvaluationError, match=f"HTTP {status}"):
        loop.run(connect(server.config).complete(question(), timeout=BRIEF))

    assert time.perf_counter() - start < BRIEF + 1
    assert len(server.requests) >= 2


def test_a_server_that_refuses_connections_is_an_error_within_the_deadline(connect, question):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    assert_unreachable(connect, question, f"http://127.0.0.1:{port}/v1", "cannot be reached: .*")


def test_tls_to_a_server_without_it_is_an_error_within_the_deadline(serve, connect, question):
    address = serve({"": "{}"}).base_url.replace("http://", "https://")

    assert_unreachable(connect, question, address, "cannot be reached: .*SSL")


def test_an_untrusted_certificate_is_an_error_within_the_deadline(untrusted_server, connect, question):
    assert_unreachable(connect, question, f"https://127.0.0.1:{untrusted_server}/v1", "certificate verify failed")


def assert_unreachable(connect, question, address, sentence):
    model = connect(ModelConfig(model="m", base_url=address))
    start = time.perf_counter()

    with pytest.raises(EvaluationError, match=sentence) as caught:
        loop.run(model.complete(question(), timeout=BRIEF))

    assert time.perf_counter() - start < BRIEF + 1
    assert caught.value.code == OTHER


@pytest.fixture
def untrusted_server(tmp_path):
    """Accept TLS connections with a certificate that nobody signed; the value is the port."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the certificate is made with openssl, which is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def accept(listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    context.wrap_socket(connection, server_side=True).close()
                except (ssl.SSLError, OSError):
                    continue

    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=accept, args=(listener,))
    thread.start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


@pytest.mark.parametrize("reply", [error(503, "busy"), error(429, "rate_limit"), Reply(content="{}", reset_after=5)])
def test_a_passing_fault_is_retried(reply, serve, connect, question):
    server = serve({"": [reply, '{"score": 4}']})

    answer = loop.run(connect(server.config).complete(question(), timeout=10))

    assert answer.content == '{"score": 4}'
    assert (len(server.requests), answer.usage.requests) == (2, 2)


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "1"},
        {"retry-after-ms": "1000"},
        {"Retry-After": "0.9", "retry-after-ms": "1000"},
    ],
)
def test_retry_after_is_honoured(headers, serve, connect, question):
    server = serve({"": [error(429, "rate_limit", **headers), "{}"]})
    start = time.perf_counter()

    loop.run(connect(server.config).complete(question(), timeout=10))

    assert 0.95 < time.perf_counter() - start < 2


def test_answers_with_an_unusual_content_type_are_read_as_what_they_are(serve, connect, question):
    server = serve({"": Reply(content='{"score": 4}', headers={"Content-Type": "text/plain"})})

    assert loop.run(connect(server.config).complete(question(), timeout=5)).content == '{"score": 4}'


@pytest.mark.parametrize("reply", [error(401, "invalid_api_key"), error(404, "gone"), error(429, "insufficient_quota")])
def test_a_fault_that_concerns_every_request_stops_them_after_a_few(reply, serve, connect, question):
    server = serve(lambda _: reply)
    model = connect(server.config, concurrency=16)
    failures = []

    async def judge():
        try:
            await model.complete(question(), timeout=5)
        except EvaluationError as failure:
            failures.append(failure)

    loop.run(loop.gather(judge() for _ in range(50)))

    assert len(server.requests) <= 5
    assert len(failures) == 50
    assert len({failure.code for failure in failures}) == 1
    assert sum(str(failure).endswith(NOT_ASKED) for failure in failures) >= 45


def test_an_answer_in_between_keeps_the_judge_in_use(serve, connect, question):
    wrong = error(404, "gone")
    server = serve({"": [wrong, wrong, "{}", wrong, wrong, "{}"]})
    model = connect(server.config)
    codes = []
    for _ in range(6):
        try:
            loop.run(model.complete(question(), timeout=5))
            codes.append(None)
        except EvaluationError as failure:
            codes.append(failure.code)

    assert codes == [CONFIGURATION, CONFIGURATION, None] * 2
