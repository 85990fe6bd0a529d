"""How requests prove who sends them: a key, or a token of Entra ID."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import AgentEvalsError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_agentevals.judge.config import ModelConfig

RESOURCE_SCOPE = "https://cognitiveservices.azure.com/.default"
PROJECT_SCOPE = "https://ai.azure.com/.default"


class SignInError(AgentEvalsError):
    """There is no token for the judge."""

    def __init__(self, message: str, *, code: str = "judgeAuthenticationError") -> None:
        super().__init__(message)
        self.code = code


def credentials(config: ModelConfig) -> dict[str, Any]:
    """Return what the constructor of an openai client takes to sign in.

    Raises `SignInError` where Entra ID is needed and azure-identity is not installed.
    """
    if config.entra:
        # AsyncOpenAI has no argument of its own for tokens, but asks a callable for the key before each request.
        name = "api_key" if config.azure_endpoint is None else "azure_ad_token_provider"
        return {name: _entra_tokens(config)}
    # A server that needs no key gets one that says so: the client insists on one.
    return {"api_key": "none" if config.api_key is None else config.api_key.get_secret_value()}


def _entra_tokens(config: ModelConfig) -> Callable[[], Awaitable[str]]:
    try:
        from azure.identity import (  # slow to import, and needed only here
            DefaultAzureCredential,
            get_bearer_token_provider,
        )
    except ImportError:
        raise SignInError(
            "has no api_key, and Entra ID needs azure-identity, which is not installed: "
            "pip install 'pytest-agentevals[azure]', or set a key",
            code="evaluatorConfigurationError",
        ) from None
    scope = PROJECT_SCOPE if config.azure_endpoint is None else RESOURCE_SCOPE
    cached_token = get_bearer_token_provider(config.credential or DefaultAzureCredential(), scope)

    async def token() -> str:
        try:
            # In a thread: the first token may take a sign-in over the network.
            return await asyncio.to_thread(cached_token)
        except Exception as error:  # any class of credential, with errors of its own
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise SignInError(f"cannot be signed in to with Entra ID: {reason}") from None

    return token
