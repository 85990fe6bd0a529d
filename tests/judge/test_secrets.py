"""What grants access appears nowhere."""

from __future__ import annotations

import json
import logging
import traceback

import pytest

from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge.config import ModelConfig
from pytest_agentevals.testing import Reply

KEY, HEADER = "planted-key-3b1f", "planted-header-77ac"


def azure(server):
    return ModelConfig(
        azure_endpoint=server.address, azure_deployment="m", api_key=KEY, extra_headers={"X-Gate": HEADER}
    )


def openai(server):
    return ModelConfig(base_url=server.base_url, model="m", api_key=KEY, extra_headers={"X-Gate": HEADER})


REPLIES = {
    "an answer": Reply(content="{}"),
    "a refusal that repeats the key": Reply(
        status=401, body=json.dumps({"error": {"message": f"Incorrect API key: {KEY} ({HEADER})"}}).encode()
    ),
    "a broken connection": Reply(content="{}", reset_after=3),
    "no answer": Reply(content="{}", delay=5),
    "another place": Reply(status=307, headers={"Location": "http://127.0.0.1:9/"}),
    "a page that repeats the key": Reply(body=f"<html>{KEY} {HEADER}</html>".encode()),
}


@pytest.fixture(params=REPLIES)
def server(request, serve):
    """Answer in one of the ways that may give a key away."""
    return serve(lambda _: REPLIES[request.param])


@pytest.mark.parametrize("config", [azure, openai])
def test_no_key_in_logs_messages_tracebacks_and_reprs(config, server, connect, question, caplog):
    model = connect(config(server))

    async def failure():
        try:
            return await model.complete(question(), timeout=1)
        except EvaluationError as error:
            return error

    with caplog.at_level(logging.DEBUG):
        found = loop.run(failure())
    seen = [repr(model.config), str(model.config), repr(model.config.model_dump()), repr(vars(model)), repr(found)]
    if isinstance(found, EvaluationError):
        seen += [str(found), repr(found.raw), repr(found.__context__)]
        seen += traceback.TracebackException.from_exception(found, capture_locals=True).format()

    assert server.requests
    assert KEY in "".join(server.headers[0].values())
    everything = "\n".join([*seen, caplog.text, *(repr(record.__dict__) for record in caplog.records)])
    assert KEY not in everything
    assert HEADER not in everything


def test_keys_survive_neither_json_nor_copying_in_the_open():
    config = ModelConfig(model="m", base_url="http://x", api_key=KEY, extra_headers={"X-Gate": HEADER})

    shown = config.model_dump_json() + repr(config.model_copy()) + str(config)

    assert KEY not in shown
    assert HEADER not in shown
