"""One way of writing which agent to ask.

===========================  =========================================================================================
``module:function``          a Python callable, imported with the project's root on the path
``https://…``, ``http://…``  an HTTP endpoint
``openai:MODEL``             a model behind OpenAI's interfaces
``exec:COMMAND``             a program; the command is split into words as a POSIX shell does it, but there is no shell
``a2a:URL``                  an agent that speaks A2A (needs ``pytest-agentevals[a2a]``)
``recorded``                 nobody: the responses recorded in the documents
``FILE.toml``                a file that has one of these under the key ``agent``, and its settings beside it
===========================  =========================================================================================
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from pytest_agentevals.agents.address import address
from pytest_agentevals.agents.python import import_callable
from pytest_agentevals.agents.variables import Variables
from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_agentevals.agents.client import Client

ALLOWED = (
    "module:function, http://… or https://…, openai:MODEL, exec:COMMAND, a2a:URL, recorded, and a .toml file with one "
    'of these under the key "agent"'
)
#: Settings that may hold a key.
_SECRET = {"headers", "api_key", "url"}


def make_client(
    spec: str,
    *,
    root: Path,
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Callable[..., object] | None:
    """Make the client of an agent; None for ``recorded``. Nothing is asked yet.

    ``settings`` are the fields of the client, as in a settings file. Programs run in ``root``, where relative paths
    start as well; those in a settings file start from its folder. ``${NAME}`` is filled in from ``environment``. Raises
    `ConfigurationError`.
    """
    variables = Variables(environment)
    if not spec.endswith(".toml"):
        return _make(spec, dict(settings or {}), root, variables)
    path = root / spec
    own = {**_read(path), **(settings or {})}
    agent = own.pop("agent", None)
    if not isinstance(agent, str) or agent.endswith(".toml"):
        raise ConfigurationError(f'{path}: "agent" is {agent!r}; allowed are {ALLOWED}')
    if "system_prompt_file" in own:
        own["system_prompt_file"] = str(path.parent / str(own["system_prompt_file"]))
    try:
        return _make(agent, own, root, variables)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error


def shown(spec: str) -> str:
    """Return a spec as it may be printed: a URL without what may hold a key."""
    scheme = re.match(r"(a2a:)?(?=https?://)", spec)
    return scheme[0] + address(spec[scheme.end() :]) if scheme else spec


def _make(spec: str, settings: dict[str, Any], root: Path, variables: Variables) -> Callable[..., object] | None:
    kind, _, rest = spec.partition(":")
    match kind:
        case "http" | "https" if rest.startswith("//"):
            return _client("endpoint.HttpEndpoint", {"url": spec}, settings, variables)
        case "openai" if rest:
            return _client("model.OpenAIModel", {"model": rest}, _with_system_prompt(settings, root), variables)
        case "exec" if rest.strip():
            return _client("program.Program", {"command": _words(rest), "folder": root}, settings, variables)
        case "a2a" if rest:
            return _client("agent2agent.A2AAgent", {"url": rest}, settings, variables)
    if settings:
        raise ConfigurationError(f"the agent {shown(spec)} takes no settings, but has {', '.join(settings)}")
    if spec == "recorded":
        return None
    if re.fullmatch(r"[\w.]+:[\w.]+", spec):
        return import_callable(spec, root)  # type: ignore[no-any-return]  # `Caller` sees whether it can be called
    raise ConfigurationError(f'"{shown(spec)}" is no agent; allowed are {ALLOWED}')


def _client(name: str, given: dict[str, Any], settings: dict[str, Any], variables: Variables) -> Client:
    module, _, class_name = name.partition(".")
    try:
        kind: type[Client] = getattr(import_module(f"pytest_agentevals.agents.{module}"), class_name)
    except ModuleNotFoundError as error:  # all that the other clients import is installed with this package
        message = f'an A2A agent needs the package a2a-sdk ({error}): pip install "pytest-agentevals[a2a]"'
        raise ConfigurationError(message) from None
    if twice := given.keys() & settings.keys():
        raise ConfigurationError(f'"{min(twice)}" is no setting, because "agent" says it')
    try:
        return kind.model_validate({**given, **settings}, context=variables)
    except ValidationError as error:
        raise ConfigurationError(_sentence(error, kind)) from None


def _sentence(error: ValidationError, kind: type[BaseModel]) -> str:
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        owner: Any = kind
        for part in problem["loc"][:-1]:
            owner = owner.model_fields[part].annotation
        allowed = list(owner.model_fields)
        near = get_close_matches(str(problem["loc"][-1]), allowed, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"allowed are {', '.join(allowed)}"
        return f'the agent has no setting "{place}"; {hint}'
    value = "" if problem["loc"][0] in _SECRET else f" is {problem['input']!r}"
    said = problem["msg"].removeprefix("Value error, ")
    return f'the agent\'s setting "{place}"{value}: {said[:1].lower()}{said[1:]}'


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"the agent's settings file {path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # of TOML, and of UTF-8
        raise ConfigurationError(f"the agent's settings file {path} is no TOML: {error}") from None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigurationError(f"the command of exec:{command} cannot be split: {error}") from None


def _with_system_prompt(settings: dict[str, Any], root: Path) -> dict[str, Any]:
    """Replace the name of a file by the text that it holds."""
    others = dict(settings)
    name = others.pop("system_prompt_file", None)
    if name is None:
        return others
    path = root / str(name)
    try:
        return {**others, "system_prompt": path.read_text(encoding="utf-8")}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f'"system_prompt_file" {path} cannot be read: {error}') from None
