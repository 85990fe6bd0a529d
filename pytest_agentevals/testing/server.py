"""A judge's server on loopback with the interface of OpenAI and Azure OpenAI."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from pytest_agentevals.judge.config import ModelConfig
from pytest_agentevals.testing.script import Reply, Script

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.testing.script import Function, Table


class ScriptedServer:
    """Answers chat completions over HTTP as a script says; use as a context manager."""

    def __init__(self, script: Function | Table, *, model: str = "scripted") -> None:
        self.model = model
        self._server = _Server(Script(script), model)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, name="scripted server", daemon=True
        )

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of the requests so far."""
        return self._server.script.requests

    @property
    def headers(self) -> list[dict[str, str]]:
        """The headers of the requests so far, names in lower case."""
        return self._server.headers

    @property
    def paths(self) -> list[str]:
        """The paths of the requests so far, with their queries."""
        return self._server.paths

    @property
    def connections(self) -> int:
        """How many connections were made so far."""
        return self._server.connections

    @property
    def address(self) -> str:
        """The server's root, an ``azure_endpoint``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The address for OpenAI's interface."""
        return f"{self.address}/v1"

    @property
    def config(self) -> ModelConfig:
        """The configuration of a judge that asks this server."""
        return ModelConfig(model=self.model, base_url=self.base_url)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, script: Script, model: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.model = model
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.open: set[socket.socket] = set()

    def server_close(self) -> None:
        """End the handlers, which wait for a delay or for a further request, and then the server."""
        self.closing.set()
        with self.lock:
            for connection in self.open:
                _shut_down(connection)
        super().server_close()

    def receive(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        """Record a request and look up the answer."""
        with self.lock:
            self.paths.append(path)
            self.headers.append(headers)
            try:
                return self.script.reply(body)
            except Exception as error:  # a script is a test's code, and its failure the answer that shows most
                return Reply(status=400, body=_error_body(f"{type(error).__name__}: {error}"))


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        with self.server.lock:
            self.server.connections += 1
            self.server.open.add(self.connection)

    def handle(self) -> None:
        # The client may break the connection at any time, also while the next request is awaited.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def finish(self) -> None:
        with self.server.lock:
            self.server.open.discard(self.connection)
        super().finish()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.receive(self.path, headers, body)
        self.server.closing.wait(reply.delay)
        self._send(reply, _body(reply, self.server.model))

    def _send(self, reply: Reply, body: bytes) -> None:
        self.send_response(reply.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **reply.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.reset_after is not None:
            self.wfile.write(body[: reply.reset_after])
            self._reset()
        elif reply.drip:
            for byte in body:
                self.wfile.write(bytes([byte]))
                if self.server.closing.wait(reply.drip):
                    break
        else:
            self.wfile.write(body)

    def _reset(self) -> None:
        """Make the close of the connection a reset: nothing of what was not yet sent arrives."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True


def _body(reply: Reply, model: str) -> bytes:
    if reply.body is not None:
        return reply.body
    if reply.status != 200:
        return _error_body("the script says so")
    message: dict[str, Any] = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    if reply.tool_calls:
        message["tool_calls"] = list(reply.tool_calls)
    completion: dict[str, Any] = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
    }
    if reply.prompt_tokens is not None and reply.completion_tokens is not None:
        completion["usage"] = {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        }
    return json.dumps(completion).encode()


def _error_body(message: str) -> bytes:
    error: Mapping[str, Any] = {"message": message, "type": "scripted", "param": None, "code": None}
    return json.dumps({"error": error}).encode()


def _shut_down(connection: socket.socket) -> None:
    # It may be gone already.
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
