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
SHOWN = 300

_LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
_NOT_USER_CODE = ("<", *(folder + os.sep for folder in {*_LIBRARIES, str(Path(__file__).parents[1])}))


@contextmanager
def agent_errors() -> Iterator[None]:
    """Raise an `AgentError` for any `Exception` of a client, and for `SystemExit`: an agent that exits ends no run."""
    try:
        yield
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(describe(error), code=code_of(error)) from error


def describe(error: BaseException) -> str:
    """Name an exception, what it says, and the line of the user's code where it came from."""
    try:
        said = one_line(str(error))
    except Exception:  # the text of a foreign exception may itself raise anything, and must not hide it
        said = ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_NOT_USER_CODE)]
    place = f" ({_from_here(own[-1].filename)}:{own[-1].lineno})" if own else ""
    return type(error).__name__ + (f": {said}" if said else "") + place


def _from_here(file: str) -> str:
    """Write a file as pytest does: from the working directory where it lies below it."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def code_of(error: BaseException) -> str:
    """Return the error code for an exception.

    It follows from the type, or from the HTTP status that exceptions of the usual HTTP and model libraries carry, they
    themselves or what caused them.
    """
    cause: BaseException | None = error
    while cause is not None:
        if any("Timeout" in kind.__name__ for kind in type(cause).__mro__):  # `TimeoutError`, and each library's own
            return "agentTimeout"
        for source in (cause, getattr(cause, "response", None)):
            status = getattr(source, "status_code", None)
            if isinstance(status, int):
                return code_of_status(status)
        cause = cause.__cause__
    return "agentRequestFailed"


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


def one_line(text: str) -> str:
    """Make a foreign text fit into a sentence."""
    return shorten(text, SHOWN, placeholder=" …")
