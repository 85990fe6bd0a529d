"""The judge's configuration from environment variables and the ``.env`` file of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.judge.config import ModelConfig, as_model_config

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class NotConfigured:
    """There is no judge; ``hint`` is a sentence on how to get one."""

    hint: str


@dataclass(frozen=True, slots=True)
class Group:
    """Variables that make a configuration together: variable -> field of `ModelConfig`."""

    needed: Mapping[str, str]
    optional: Mapping[str, str]
    #: One of these is needed as well, where there are any.
    one_of: tuple[str, ...] = ()
    #: Variables that mean nothing by themselves, because other tools use them too.
    shared: tuple[str, ...] = ()

    def missing(self, variables: Mapping[str, str]) -> str | None:
        """Name what is missing, or None where the group is complete."""
        absent = [name for name in self.needed if name not in variables]
        if self.one_of and not any(name in variables for name in self.one_of):
            absent.append(" or ".join(self.one_of))
        return " and ".join(absent) or None

    def started(self, variables: Mapping[str, str]) -> list[str]:
        """Name the variables of this group that are there and show an intention."""
        return [name for name in (*self.needed, *self.optional) if name in variables and name not in self.shared]

    def config(self, variables: Mapping[str, str]) -> ModelConfig:
        """Make the configuration of a complete group; its first variable gives it its name."""
        fields = {**self.needed, **self.optional}
        values = {field: variables[name] for name, field in fields.items() if name in variables}
        return as_model_config(values, origin=next(iter(fields)))


GROUPS = (
    Group(
        needed={"AZURE_AI_OPENAI_ENDPOINT": "azure_endpoint", "AZURE_AI_MODEL_NAME": "model"},
        optional={"AZURE_AI_API_KEY": "api_key", "AZURE_AI_API_VERSION": "api_version"},
        shared=("AZURE_AI_API_VERSION",),
    ),
    Group(
        needed={"AZURE_ENDPOINT": "azure_endpoint", "AZURE_DEPLOYMENT_NAME": "model"},
        optional={"AZURE_API_KEY": "api_key", "AZURE_API_VERSION": "api_version"},
        shared=("AZURE_API_VERSION",),
    ),
    Group(
        needed={"AZURE_AI_PROJECT_ENDPOINT": "azure_project_endpoint", "AZURE_AI_MODEL_NAME": "model"},
        optional={},
    ),
    Group(
        needed={"OPENAI_MODEL": "model"},
        optional={"OPENAI_BASE_URL": "base_url", "OPENAI_API_KEY": "api_key"},
        one_of=("OPENAI_BASE_URL", "OPENAI_API_KEY"),
        shared=("OPENAI_API_KEY",),
    ),
)

HINT = (
    "Set AZURE_AI_OPENAI_ENDPOINT, AZURE_AI_API_KEY and AZURE_AI_MODEL_NAME (Azure), or OPENAI_MODEL with "
    "OPENAI_API_KEY (OpenAI) or OPENAI_BASE_URL (a server with its interface), or override the fixture model_config."
)
KEY_ALONE_HINT = (
    "OPENAI_API_KEY alone does not say which model judges: set OPENAI_MODEL, and OPENAI_BASE_URL for another server."
)


def configured(environment: Mapping[str, str], rootdir: Path) -> ModelConfig | NotConfigured:
    """Return the judge that the environment or ``rootdir/.env`` configures; the first complete group of variables wins.

    The environment wins over the file variable by variable, and is not changed. Empty variables count as unset.
    Raises `ConfigurationError` where no group is complete and one is begun.
    """
    found = variables(environment, rootdir)
    for group in GROUPS:
        if group.missing(found) is None:
            return group.config(found)
    # The group with most of its variables is the one that was meant.
    meant = max(GROUPS, key=lambda group: len(group.started(found)))
    if started := meant.started(found):
        verb = "is" if len(started) == 1 else "are"
        raise ConfigurationError(
            f"The judge's configuration is incomplete: {' and '.join(started)} {verb} set, but not "
            f"{meant.missing(found)} (in the environment or in {rootdir / '.env'})."
        )
    return NotConfigured(KEY_ALONE_HINT if "OPENAI_API_KEY" in found else HINT)


def variables(environment: Mapping[str, str], rootdir: Path) -> dict[str, str]:
    """Return the environment with what ``rootdir/.env`` adds to it; empty variables count as unset."""
    return {name: value for name, value in {**_dotenv(rootdir / ".env"), **environment}.items() if value}


def _dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # most projects have no such file

    try:
        values = dotenv_values(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}.") from error
    return {name: value for name, value in values.items() if value is not None}
