"""Environment variables in settings, so that keys stand in no file and in no message."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters from which a value counts as a key; a port or a region is none.
SHORTEST_KEY = 6

_REFERENCE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True)
class Variables:
    """Fills ``${NAME}`` from the environment and remembers the values, to hide them in what is shown."""

    environment: Mapping[str, str] = field(repr=False)
    _used: set[str] = field(default_factory=set, init=False, repr=False)

    def fill(self, text: str, setting: str) -> str:
        """Replace every ``${NAME}``; raises `ConfigurationError` for a variable that is not set or empty."""

        def value(match: re.Match[str]) -> str:
            found = self.environment.get(match[1], "").strip()
            if not found:
                raise ConfigurationError(
                    f'the agent\'s setting "{setting}" names the environment variable {match[1]}, which is not set'
                )
            self._used.add(found)
            return found

        return _REFERENCE.sub(value, text)

    def hide(self, text: str) -> str:
        """Replace the values that were filled in by ``***``, for example in what a server says of a request."""
        for value in sorted(self._used, key=len, reverse=True):
            if len(value) >= SHORTEST_KEY:
                text = text.replace(value, "***")
        return text
