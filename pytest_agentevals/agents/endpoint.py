"""An agent behind an HTTP endpoint."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import httpx
from pydantic import Field

from pytest_agentevals.agents.address import address
from pytest_agentevals.agents.connection import Connection, refused
from pytest_agentevals.agents.failures import code_of, one_line
from pytest_agentevals.agents.paths import Paths
from pytest_agentevals.agents.remote import RemoteClient
from pytest_agentevals.agents.reply import read_reply, unusable
from pytest_agentevals.agents.server_sent_events import Event, read_events
from pytest_agentevals.agents.template import DEFAULT, fill, fill_url
from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation
    from pytest_agentevals.responses import AgentResponse

#: Ends the streams of OpenAI's and many other servers; not JSON.
DONE = "[DONE]"


class HttpEndpoint(RemoteClient):
    """Sends a prompt in JSON and reads the answer, in JSON, as plain text or as a stream of server-sent events.

    ``url`` may also hold ``{prompt}`` and ``{conversation_id}``.
    """

    method: Literal["GET", "POST", "PUT", "PATCH"] = "POST"
    #: A JSON value with placeholders, see `pytest_agentevals.agents.template`; a GET request has none.
    body: Any = Field(default_factory=lambda: DEFAULT)
    #: Where the answer has its text and evidence.
    response: Paths = Field(default_factory=Paths)
    #: Name of the server-sent events that count; without it, all do.
    event: str | None = None

    @cached_property
    def _connection(self) -> Connection:
        return Connection(retries=self.retries, patience=self.timeout, headers=self._headers)

    async def __call__(self, prompt: str, conversation: Conversation) -> AgentResponse:
        """Ask the endpoint. Raises `AgentError`."""
        url = fill_url(self._address, prompt, conversation)
        where = f"{self.method} {address(self.url)}"
        content = {} if self.method == "GET" else {"json": fill(self.body, prompt, conversation)}
        try:
            async with self._connection.stream(self.method, url, **content) as response:
                if not response.is_success:
                    await response.aread()
                    raise refused(response.status_code, self._variables.hide(response.text), where)
                answers = await self._answers(response)
        except httpx.HTTPError as error:
            reason = self._variables.hide(str(error)) or type(error).__name__
            raise AgentError(f"{where} failed: {reason}", code=code_of(error)) from None
        reply = read_reply(self.response.read(answers))
        if reply.latency_ms is not None:
            return reply
        # Of the request that was answered: pauses before it are not the agent's time.
        return reply.model_copy(update={"latency_ms": response.elapsed.total_seconds() * 1000})

    async def _answers(self, response: httpx.Response) -> list[Any]:
        """Return the one answer, or what the events of a stream say."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if kind == "text/event-stream":
            events = [event async for event in read_events(response.aiter_text())]
            for event in events:
                self._fail_if_error(event)
            return [
                _json_or_text(each.data) for each in events if self.event in {None, each.name} and each.data != DONE
            ]
        await response.aread()
        if kind == "application/json" or kind.endswith("+json"):
            try:
                return [json.loads(response.content)]
            except ValueError as error:
                raise unusable(f"the agent's answer is no JSON: {error}") from None
        is_text = kind.startswith("text/") and not self.response.text
        return [response.text if is_text else _json_or_text(response.text)]

    def _fail_if_error(self, event: Event) -> None:
        """Raise what a server could only say after its status was sent; the text before it is no answer."""
        value = _json_or_text(event.data)
        if event.name == "error" or (isinstance(value, dict) and value.get("error")):
            raise AgentError(f"{address(self.url)} broke off: {one_line(self._variables.hide(event.data))}")


def _json_or_text(text: str) -> Any:
    """Read JSON, but leave a number or the like as it is: it may be a word of a text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict | list | str) else text
