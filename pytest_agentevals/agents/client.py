"""What the built-in clients have in common."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

if TYPE_CHECKING:
    from pytest_agentevals.agents.conversation import Conversation


class Client(BaseModel):
    """Base of the built-in clients: a small class whose fields are its settings, called with prompt and conversation.

    A client is immutable and may be asked any number of things at once, all in one event loop.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    #: Seconds for one answer, waiting and retries included; kept by the `Caller`.
    timeout: float = Field(default=300.0, gt=0)
    #: Of the agent, set by the user; another version means that cached answers are not its answers.
    version: str = ""

    #: Where the agent is, with environment variables filled in; None where it has no address.
    _address: str | None = PrivateAttr(default=None)

    @property
    def identity(self) -> str:
        """Stand for all that determines the answers of this agent: kind, settings and address, hashed to hide keys."""
        settings = self.model_dump_json(exclude={"timeout", "retries", "api_key", "folder"})
        return f"{type(self).__name__}:{hashlib.sha256(f'{settings}{self._address}'.encode()).hexdigest()}"

    async def __call__(self, prompt: str, conversation: Conversation) -> object:
        """Return the agent's answer in one of the forms that `pytest_agentevals.agents.reply` knows.

        Raises `AgentError` with a code of the eval-document format.
        """
        raise NotImplementedError
