"""Which model judges, where it is, and how to sign in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

AZURE_API_VERSION = "2024-12-01-preview"
OPENAI_URL = "https://api.openai.com/v1"

#: Names of models that think before they answer: o1, o3, o4 and gpt-5, alone or inside a deployment's name. gpt-4o and
#: gpt-5-chat do not.
REASONING_NAME = re.compile(r"(?<![a-z0-9])(o[134]|gpt-?5(?!-chat))(?![a-z0-9])", re.IGNORECASE)


def _address(url: str) -> str:
    """Accept ``http(s)://host/path``. The messages do not repeat what may hold a key."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an address such as https://host/path")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must be an address without user, password and anything after '?'")
    return url.rstrip("/")


def _secret_or_none(key: Any) -> Any:
    """Take an empty key for none: it is what an unset variable leaves behind."""
    return None if key == "" else key


def _pairs(headers: Any) -> Any:
    return tuple(headers.items()) if isinstance(headers, dict) else headers


Address = Annotated[str, AfterValidator(_address)]


class ModelConfig(BaseModel):
    """A judge's configuration. Values that grant access appear in no repr, message or log.

    Exactly one place: ``azure_endpoint`` (an Azure OpenAI resource), ``azure_project_endpoint`` (a Foundry project) or
    ``base_url`` (OpenAI, or any server with its interface). The keys of the SDK's ``AzureOpenAIModelConfiguration`` and
    ``OpenAIModelConfiguration`` are understood; Azure without a key signs in with Entra ID. Equal configurations are
    equal and hashable.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, arbitrary_types_allowed=True, protected_namespaces=()
    )

    #: The model, or in Azure the deployment.
    model: str = Field(min_length=1, validation_alias=AliasChoices("model", "azure_deployment"))
    azure_endpoint: Address | None = None
    azure_project_endpoint: Address | None = None
    base_url: Address | None = None
    api_key: Annotated[SecretStr | None, BeforeValidator(_secret_or_none)] = None
    api_version: str = AZURE_API_VERSION
    #: An azure-core credential (an object with ``get_token``); by default azure-identity's DefaultAzureCredential.
    credential: Any = Field(default=None, repr=False)
    organization: str | None = None
    extra_headers: Annotated[tuple[tuple[str, SecretStr], ...], BeforeValidator(_pairs)] = ()
    #: Whether to send ``max_completion_tokens`` and no temperature; judged by the model's name where not given.
    is_reasoning_model: bool = Field(default_factory=lambda data: bool(REASONING_NAME.search(data.get("model", ""))))
    #: Prices per million tokens, in any currency; costs are unknown without both.
    prompt_price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    completion_price: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    #: Where this configuration comes from, for people; no part of its identity.
    origin: str = Field(default="", exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _kind_is_known_by_its_keys(cls, value: Any) -> Any:
        """Drop the ``type`` of the SDK's dicts, which says what the other keys say as well."""
        if isinstance(value, dict) and value.get("type") in {"openai", "azure_openai"}:
            return {key: entry for key, entry in value.items() if key != "type"}
        return value

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        places = [
            name for name in ("azure_endpoint", "azure_project_endpoint", "base_url") if getattr(self, name) is not None
        ]
        if len(places) > 1:
            raise ValueError(f"only one of {' and '.join(places)} can be given")
        if not places and self.api_key is None:
            raise ValueError("one of azure_endpoint, azure_project_endpoint, base_url or api_key is needed")
        return self

    @property
    def address(self) -> str:
        """Where the chat completions are."""
        if self.azure_project_endpoint is not None:
            return f"{self.azure_project_endpoint}/openai/v1"
        return self.azure_endpoint or self.base_url or OPENAI_URL

    @property
    def entra(self) -> bool:
        """Whether to sign in with Entra ID."""
        return self.api_key is None and self.base_url is None

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return the cost of a completion, or None where a price or a count is unknown."""
        if self.prompt_price is None or self.completion_price is None:
            return None
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1_000_000

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelConfig) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[Any, ...]:
        return tuple(value for name, value in self if name != "origin")

    @property
    def host(self) -> str | None:
        """Where it is, for messages."""
        return urlsplit(self.address).hostname

    @property
    def name(self) -> str:
        """The model and its host, for messages."""
        return f"{self.model} at {self.host}"

    def __str__(self) -> str:
        """Name the model, its host and the origin of the configuration, for the header of a run."""
        return f"{self.name} ({self.origin})" if self.origin else self.name

    def without_secrets(self, text: str) -> str:
        """Return a text, such as a server's error message, without the values that grant access."""
        secrets = [self.api_key, *(value for _, value in self.extra_headers)]
        for secret in secrets:
            if secret is not None and secret.get_secret_value():
                text = text.replace(secret.get_secret_value(), "***")
        return text


def as_model_config(value: ModelConfig | Mapping[str, Any], *, origin: str = "model_config") -> ModelConfig:
    """Make a `ModelConfig` from what a ``model_config`` fixture returned.

    Raises `ConfigurationError` with one sentence that names every key that cannot be used, and no value.
    """
    if isinstance(value, ModelConfig):
        return value
    try:
        return ModelConfig.model_validate({"origin": origin, **value})
    except ValidationError as error:
        problems = "; ".join(_problem(found) for found in error.errors(include_input=False, include_url=False))
    except TypeError:
        problems = f"a {type(value).__name__} is neither a ModelConfig nor a dict of its fields"
    raise ConfigurationError(f"The judge's configuration ({origin}) cannot be used: {problems}.")


def _problem(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    text = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        return f"{place!r} is not one of its keys ({', '.join(sorted(ModelConfig.model_fields))})"
    return f"{place}: {text}" if place else text
