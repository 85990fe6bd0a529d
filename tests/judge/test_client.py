"""The client: what it sends, how many connections it needs, how it treats servers and itself."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge.config import ModelConfig
from pytest_agentevals.testing import Reply


def test_the_body_is_the_request_and_nothing_else(serve, connect, question):
    server = serve({"": "{}"})
    request = question("Grüße {{x}}", response_format={"type": "json_object"}, local_extension=[1])

    reply = loop.run(connect(server.config).complete(request, timeout=5))

    assert server.requests == [
        {
            "model": "scripted",
            "messages": [{"role": "user", "content": "Grüße {{x}}"}],
            "temperature": 0.0,
            "max_tokens": 800,
            "response_format": {"type": "json_object"},
            "local_extension": [1],
        }
    ]
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.requests) == (100, 20, 1)


def test_azure_gets_the_deployment_the_api_version_and_the_key(serve, connect, question):
    server = serve({"": "{}"})
    config = ModelConfig(azure_endpoint=server.address + "/", azure_deployment="gpt-4o", api_key="planted-key")

    loop.run(connect(config).complete(question(), timeout=5))

    assert server.paths == ["/openai/deployments/gpt-4o/chat/completions?api-version=2024-12-01-preview"]
    assert server.headers[0]["api-key"] == "planted-key"


def test_openai_gets_the_key_and_extra_headers(serve, connect, question):
    server = serve({"": "{}"})
    config = ModelConfig(model="m", base_url=server.base_url, api_key="planted-key", extra_headers={"X-Gate": "open"})

    loop.run(connect(config).complete(question(), timeout=5))

    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == "Bearer planted-key"
    assert server.headers[0]["x-gate"] == "open"


class Credential:
    """What azure-core calls a credential."""

    def __init__(self):
        self.scopes = []

    def get_token(self, *scopes, **_):
        from azure.core.credentials import AccessToken

        self.scopes.append(scopes)
        return AccessToken("entra-token", int(time.time()) + 3600)


ENTRA = {
    "azure_endpoint": ("https://cognitiveservices.azure.com/.default", "/openai/deployments/m/chat/completions"),
    "azure_project_endpoint": ("https://ai.azure.com/.default", "/openai/v1/chat/completions"),
}


@pytest.mark.parametrize("place", ENTRA)
def test_azure_without_a_key_signs_in_with_entra_id_once(place, serve, connect, question):
    pytest.importorskip("azure.identity", reason="Entra ID needs azure-identity")
    server, credential = serve({"": "{}"}), Credential()
    model = connect(ModelConfig.model_validate({"model": "m", place: server.address, "credential": credential}))

    for _ in range(3):
        loop.run(model.complete(question(), timeout=5))

    assert {headers["authorization"] for headers in server.headers} == {"Bearer entra-token"}
    assert (*credential.scopes[0], server.paths[0].partition("?")[0]) == ENTRA[place]
    assert len(credential.scopes) == 1


def test_a_sign_in_that_fails_says_so(connect, question):
    pytest.importorskip("azure.identity", reason="Entra ID needs azure-identity")

    class Broken:
        def get_token(self, *_, **__):
            raise ValueError("no account\nwas found")

    model = connect(ModelConfig(model="m", azure_endpoint="http://127.0.0.1:9", credential=Broken()))

    with pytest.raises(EvaluationError, match=r"cannot be signed in to with Entra ID: no account$") as caught:
        loop.run(model.complete(question(), timeout=5))
    assert caught.value.code == "judgeAuthenticationError"


def test_entra_id_without_azure_identity_names_what_to_install(connect, question, monkeypatch):
    monkeypatch.setitem(sys.modules, "azure.identity", None)
    model = connect(ModelConfig(model="m", azure_endpoint="http://127.0.0.1:9"))

    with pytest.raises(EvaluationError, match=r"pip install 'pytest-agentevals\[azure\]', or set a key$") as caught:
        loop.run(model.complete(question(), timeout=5))
    assert caught.value.code == "evaluatorConfigurationError"


def test_many_calls_share_few_connections(serve, connect, question):
    server = serve({"": "{}"})
    model = connect(server.config, concurrency=16)

    loop.run(loop.gather(model.complete(question(), timeout=20) for _ in range(200)))

    assert len(server.requests) == 200
    assert server.connections <= 16


def test_no_more_requests_are_in_flight_than_allowed(serve, connect, question):
    """Requests in flight cannot share a connection, so there are as many connections."""
    server = serve({"": Reply(content="{}", delay=0.05)})
    model = connect(server.config, concurrency=4)

    loop.run(loop.gather(model.complete(question(), timeout=20) for _ in range(20)))

    assert server.connections == 4


def test_waiting_for_a_turn_is_no_part_of_the_deadline(serve, connect, question):
    server = serve({"": Reply(content="{}", delay=0.4)})
    model = connect(server.config, concurrency=1)

    replies = loop.run(loop.gather(model.complete(question(), timeout=1.5) for _ in range(5)))

    assert all(0.4 <= reply.usage.seconds < 1.5 for reply in replies)


def test_reasoning_models_get_the_parameters_they_take(serve, connect, question):
    server = serve({"": "{}"}, model="gpt-5-mini")

    loop.run(connect(server.config).complete(question(top_p=1.0), timeout=5))

    assert server.requests[0].keys() == {"model", "messages", "max_completion_tokens"}
    assert server.requests[0]["max_completion_tokens"] == 60_000


def test_a_model_that_refuses_a_parameter_is_asked_without_it_from_then_on(serve, connect, question):
    def script(body):
        for name in ("max_tokens", "temperature"):
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return Reply(status=400, body=f'{{"error": {{"message": "{message}", "param": "{name}"}}}}'.encode())
        return "{}"

    server = serve(script, model="house-model")
    model = connect(server.config)

    for _ in range(3):
        loop.run(model.complete(question(), timeout=5))

    assert ["max_tokens" in body for body in server.requests] == [True, False, False, False]


def test_ctrl_c_ends_a_judgment_at_once(serve, connect, question):
    model = connect(serve({"": Reply(content="{}", delay=30)}).config)
    if sys.platform == "win32":
        pytest.skip("a process cannot send itself Ctrl-C on Windows")
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()

    with pytest.raises(KeyboardInterrupt):
        loop.run(model.complete(question(), timeout=30))

    assert time.perf_counter() - start < 3


def test_a_process_that_judged_ends_without_a_warning(serve):
    server = serve({"": "{}"})
    code = f"""
from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.judge.client import OpenAIChatModel
from pytest_agentevals.judge.config import ModelConfig
model = OpenAIChatModel(ModelConfig(model="m", base_url="{server.base_url}"))
request = JudgeRequest(evaluator="e", prompt_version="1", messages=({{"role": "user", "content": "x"}},))
print(loop.run(model.complete(request, timeout=10)).content)
"""
    result = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code], check=False, capture_output=True, text=True
    )

    assert (result.stdout, result.stderr, result.returncode) == ("{}\n", "", 0)


def test_the_client_and_openai_are_not_imported_before_a_question():
    code = (
        "import sys\n"
        "import pytest_agentevals.judge.client, pytest_agentevals.judge.live, pytest_agentevals.judge.environment\n"
        "print({'openai', 'httpx', 'httpx2', 'azure', 'dotenv'} & set(sys.modules))"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


def test_a_model_that_was_closed_connects_again(serve, connect, question):
    server = serve({"": "{}"})
    model = connect(server.config)

    async def twice():
        await model.complete(question(), timeout=5)
        await model.close()
        await asyncio.sleep(0)
        await model.complete(question(), timeout=5)

    loop.run(twice())

    assert server.connections == 2
