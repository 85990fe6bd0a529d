"""An agent that speaks the Agent2Agent protocol (A2A), through the official SDK."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
from a2a.client import Client as ProtocolClient
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_message_text, new_text_message
from a2a.types import GetTaskRequest, Message, Role, SendMessageRequest, Task, TaskState
from a2a.utils.constants import TransportProtocol
from a2a.utils.errors import A2AError
from google.protobuf.message import Error as ProtobufError
from pydantic import PrivateAttr

from pytest_agentevals.agents.address import address
from pytest_agentevals.agents.connection import Connection
from pytest_agentevals.agents.failures import code_of, one_line
from pytest_agentevals.agents.remote import RemoteClient
from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation

#: Seconds between two looks at a task that is still running.
POLL_INTERVAL = 0.5

_RUNNING = {TaskState.TASK_STATE_UNSPECIFIED, TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING}
_ENDED_BADLY = {
    TaskState.TASK_STATE_FAILED: "agentRequestFailed",
    TaskState.TASK_STATE_CANCELED: "agentRequestFailed",
    TaskState.TASK_STATE_REJECTED: "agentRequestFailed",
    TaskState.TASK_STATE_AUTH_REQUIRED: "agentAuthenticationError",
}


class A2AAgent(RemoteClient):
    """Sends prompts as messages; the turns of a thread share the context that the agent opened for the first one.

    The agent's card lies below ``url``, at ``.well-known/agent-card.json``. Headers are sent to the host of ``url``
    only, whatever other addresses the card names.
    """

    _client: ProtocolClient | None = PrivateAttr(default=None)
    _connecting: asyncio.Lock = PrivateAttr(default_factory=asyncio.Lock)
    #: Conversation -> context of the agent, and its task where that waits for the next message.
    _contexts: dict[str, tuple[str, str | None]] = PrivateAttr(default_factory=dict)

    async def __call__(self, prompt: str, conversation: Conversation) -> str:
        """Ask the agent. Raises `AgentError`."""
        if conversation.messages and conversation.id not in self._contexts:
            raise AgentError(
                "an A2A agent keeps the conversation itself, and it was not asked the earlier turns of this thread, "
                "whose answers were saved before: ask them anew"
            )
        context_id, task_id = self._contexts.get(conversation.id, (None, None))
        message = new_text_message(prompt, role=Role.ROLE_USER, context_id=context_id, task_id=task_id)
        try:
            reply = await self._send(await self._connected(), message)
        except (A2AError, httpx.HTTPError, ProtobufError, ValueError) as error:
            said = one_line(self._variables.hide(str(error))) or type(error).__name__
            raise AgentError(f"A2A agent {address(self.url)}: {said}", code=code_of(error)) from None
        waiting = isinstance(reply, Task) and reply.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        self._contexts[conversation.id] = reply.context_id, reply.id if isinstance(reply, Task) and waiting else None
        return get_message_text(reply) if isinstance(reply, Message) else _text(reply, address(self.url))

    async def _connected(self) -> ProtocolClient:
        """Read the agent's card once, and connect as it says."""
        async with self._connecting:
            if self._client is None:
                connection = Connection(retries=self.retries, patience=self.timeout, headers={})
                connection.auth = self._authorise
                bindings: list[str] = [TransportProtocol.JSONRPC, TransportProtocol.HTTP_JSON]
                config = ClientConfig(streaming=False, httpx_client=connection, supported_protocol_bindings=bindings)
                self._client = await ClientFactory(config).create_from_url(self._address)
            return self._client

    def _authorise(self, request: httpx.Request) -> httpx.Request:
        if request.url.host == urlsplit(self._address).hostname:
            request.headers.update(self._headers)
        return request

    @staticmethod
    async def _send(client: ProtocolClient, message: Message) -> Message | Task:
        """Send a message and wait for the agent's message, or for its task to stop."""
        answers = [answer async for answer in client.send_message(SendMessageRequest(message=message))]
        if answers[-1].HasField("message"):
            return answers[-1].message
        task = answers[-1].task
        while task.status.state in _RUNNING:
            await asyncio.sleep(POLL_INTERVAL)
            task = await client.get_task(GetTaskRequest(id=task.id))
        return task


def _text(task: Task, where: str) -> str:
    """Return what a task came to: its artifacts, or without any the message of its status."""
    said = get_message_text(task.status.message)
    if code := _ENDED_BADLY.get(task.status.state):
        state = TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower().replace("_", " ")
        raise AgentError(f"A2A agent {where}: task {state}" + (f": {one_line(said)}" if said else ""), code=code)
    artifacts = [text for artifact in task.artifacts if (text := get_artifact_text(artifact))]
    return "\n".join(artifacts) or said
