"""An agent that is a Python callable of the project."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_agentevals.agents.failures import describe
from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


def import_callable(spec: str, root: Path) -> Any:
    """Import ``package.module:name`` or ``package.module:name.attribute``, with ``root`` on the path.

    Raises `ConfigurationError` that says which part of it failed, and how.
    """
    module_name, _, names = spec.partition(":")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        found: Any = import_module(module_name)
    except (Exception, SystemExit) as error:
        raise ConfigurationError(f"the agent {spec} cannot be imported: {describe(error)}") from error
    for name in names.split("."):
        if not hasattr(found, name):
            near = get_close_matches(name, dir(found), n=1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            raise ConfigurationError(f'the agent {spec} does not exist: {module_name} has no "{name}"{hint}')
        found = getattr(found, name)
    if isinstance(found, type):
        raise ConfigurationError(f"the agent {spec} is a class; name a function or an object that can be called")
    return found
