"""A real HTTP server on loopback that answers what a test tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """One answer of the server. ``body`` is JSON unless it is bytes; ``parts`` are sent one by one."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    parts: list[bytes] | None = None


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class AgentServer(ThreadingHTTPServer):
    """Gives the answers one after the other, the last one again and again; keeps the requests."""

    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.requests = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, *answers):
        """Set what is answered: an `Answer`, or a JSON value."""
        self.answers = [answer if isinstance(answer, Answer) else Answer(answer) for answer in answers]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: AgentServer

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.command, self.path, headers, body))
        answer = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        parts = [content] if answer.parts is None else answer.parts
        self.send_response(answer.status)
        kind = {} if isinstance(answer.body, bytes) else {"Content-Type": "application/json"}
        length = {"Content-Length": str(sum(map(len, parts)))}
        for name, value in {**kind, **length, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()

    def __getattr__(self, name):
        """Answer every method of HTTP: the base class looks for ``do_GET`` and the like."""
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def log_message(self, *_):
        pass
