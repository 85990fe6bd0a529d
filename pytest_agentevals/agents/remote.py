"""What clients have in common that ask an agent behind an address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, PrivateAttr

from pytest_agentevals.agents.client import Client

if TYPE_CHECKING:
    from pytest_agentevals.agents.variables import Variables


class RemoteClient(Client):
    """Base of clients with an address and headers, whose ``${NAME}`` come from the validation context, `Variables`."""

    #: May hold ``${NAME}``, an environment variable.
    url: str
    #: Values may hold ``${NAME}``.
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    #: How often a request is repeated that the agent cannot have acted on.
    retries: int = Field(default=3, ge=0, le=10)

    _variables: Variables = PrivateAttr()
    _address: str = PrivateAttr()
    _headers: dict[str, str] = PrivateAttr()

    def model_post_init(self, context: Variables) -> None:
        """Fill in the environment variables."""
        self._variables = context
        self._address = context.fill(self.url, "url")
        self._headers = {name: context.fill(value, f"headers.{name}") for name, value in self.headers.items()}
