"""What goes wrong between us and an agent, in the error codes of the eval-document format."""

from __future__ import annotations

import os
import sysconfig
import traceback
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from pytest_agentevals.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Most characters of a foreign message that are shown.
LONGEST_MESSAGE = 500

_LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_NOT_USER_CODE = ("<", *(folder + os.sep for folder in {*_LIBRARIES, str(Path(__file__).parents[1])}))


def code_of_status(status: int) -> str:
    """Return the error code for an HTTP status that is no success."""
    match status:
        case 401 | 403:
            return "agentAuthenticationError"
        case 429:
            return "agentRateLimited"
        case 408 | 504:
            return "agentTimeout"
    return "agentRequestFailed"


@contextmanager
def agent_errors() -> Iterator[None]:
    """Raise an `AgentError` for any `Exception` that is raised inside.

    The message is the exception with the place in the user's code where it came from. The code follows from its type,
    or from the HTTP status that exceptions of the usual HTTP and model libraries carry.
    """
    try:
        yield
    except AgentError:
        raise
    except Exception as error:
        raise _agent_error(error) from error


def _agent_error(error: Exception) -> AgentError:
    place = _place(error)
    try:
        said = shorten(str(error), LONGEST_MESSAGE, placeholder=" …")
    except Exception:  # the text of a foreign exception may itself raise anything, and must not hide it
        said = ""
    message = type(error).__name__ + (f": {said}" if said else "") + (f" ({place})" if place else "")
    return AgentError(message, code=_code(error))


def _code(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "agentTimeout"
    for source in (error, getattr(error, "response", None)):
        status = getattr(source, "status_code", None)
        if isinstance(status, int):
            return code_of_status(status)
    return "agentRequestFailed"


def _place(error: Exception) -> str | None:
    """Return ``file:line`` of the innermost frame that is neither a library's nor ours."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_NOT_USER_CODE)
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else None
