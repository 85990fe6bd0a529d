"""A bare model as the agent: OpenAI's interfaces, wherever they are served."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, PrivateAttr

from pytest_agentevals import loop
from pytest_agentevals.agents.client import Client
from pytest_agentevals.agents.completions import read_chat_completion, read_response
from pytest_agentevals.agents.failures import code_of, one_line
from pytest_agentevals.agents.reply import described, unusable
from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    import openai

    from pytest_agentevals.agents.conversation import Conversation
    from pytest_agentevals.agents.variables import Variables

KEY = "OPENAI_API_KEY"


class OpenAIModel(Client):
    """Asks a model through the chat completions or the responses API, and captures the tool calls it answers with.

    No tool is run: a model that calls one has answered. Requests are repeated as the ``openai`` package does it, since
    a completion changes nothing.
    """

    model: str = Field(min_length=1)
    api: Literal["chat", "responses"] = "chat"
    #: The text itself; settings files may name a file instead, as ``system_prompt_file``.
    system_prompt: str | None = None
    #: Address of another server with this interface; without it ``OPENAI_BASE_URL``, else OpenAI's own.
    base_url: str | None = None
    #: With ``${NAME}``. Without it ``OPENAI_API_KEY``; a server of one's own needs none.
    api_key: str = Field(default=f"${{{KEY}}}", repr=False)
    #: Further parameters of the request, such as ``temperature``.
    parameters: dict[str, Any] = Field(default_factory=dict)
    #: Tool definitions in the form of the API.
    tools: list[dict[str, Any]] = Field(default_factory=list)
    retries: int = Field(default=3, ge=0, le=10)

    _variables: Variables = PrivateAttr()
    _key: str = PrivateAttr()

    def model_post_init(self, context: Variables) -> None:
        """Fill in the environment variables."""
        self._variables = context
        address = self.base_url or context.environment.get("OPENAI_BASE_URL")
        self._address = context.fill(address, "base_url") if address else None
        needs_no_key = self._address and "api_key" not in self.model_fields_set and not context.environment.get(KEY)
        self._key = "none" if needs_no_key else context.fill(self.api_key, "api_key")

    @cached_property
    def _client(self) -> openai.AsyncOpenAI:
        from openai import AsyncOpenAI  # imported here: slow, and needed only once the model is asked

        client = AsyncOpenAI(api_key=self._key, base_url=self._address, max_retries=self.retries, timeout=self.timeout)
        loop.on_close(client.close)
        return client

    async def __call__(self, prompt: str, conversation: Conversation) -> dict[str, Any]:
        """Ask the model. Raises `AgentError`."""
        from openai import OpenAIError  # as above

        messages = [*conversation.messages, {"role": "user", "content": prompt}]
        try:
            answer = await (self._chat(messages) if self.api == "chat" else self._respond(messages))
        except OpenAIError as error:
            said = one_line(self._variables.hide(str(error.__cause__ or error)))
            raise AgentError(f"{self.model}: {said}", code=code_of(error)) from None
        read = read_chat_completion if self.api == "chat" else read_response
        try:
            fields = read(json.loads(answer.content))
        except (ValueError, LookupError, TypeError, AttributeError):
            text = described(answer.content.decode(errors="replace"))
            raise unusable(f"{self.model} answered {text}, which is no answer of the {self.api} API") from None
        if self.tools:
            fields["tool_definitions"] = self.tools
        # Of the request that was answered: pauses before it are not the agent's time.
        return {**fields, "latency_ms": answer.elapsed.total_seconds() * 1000}

    async def _chat(self, messages: Any) -> Any:
        system: Any = [{"role": "system", "content": self.system_prompt}] if self.system_prompt else []
        create = self._client.chat.completions.with_raw_response.create
        return await create(model=self.model, messages=[*system, *messages], extra_body=self._further)

    async def _respond(self, messages: Any) -> Any:
        system = {"instructions": self.system_prompt} if self.system_prompt else {}
        create = self._client.responses.with_raw_response.create
        return await create(model=self.model, input=messages, extra_body={**system, **self._further})

    @property
    def _further(self) -> dict[str, Any]:
        return {**self.parameters, **({"tools": self.tools} if self.tools else {})}
