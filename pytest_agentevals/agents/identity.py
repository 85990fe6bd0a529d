"""Which agent gave an answer, for answers that outlive the run."""

from __future__ import annotations

import functools
from typing import Any


def identity(client: Any) -> str:
    """Return a text that is the same for the same agent in every run, and holds no key.

    It is what the client says as ``identity``; else its module and name with its ``version``, which the user changes
    along with the agent. What is bound by `functools.partial` counts as well.
    """
    stated = getattr(client, "identity", None)
    if isinstance(stated, str):
        return stated
    if isinstance(client, functools.partial):
        return f"{identity(client.func)} with {client.args!r} {client.keywords!r}"
    named = client if hasattr(client, "__qualname__") else type(client)
    owner = getattr(client, "__self__", None)
    version = getattr(client, "version", getattr(owner, "version", ""))
    module = getattr(named, "__module__", None) or "builtins"  # methods of built-in types have none
    return f"{module}:{named.__qualname__}" + (f" {version}" if version else "")
