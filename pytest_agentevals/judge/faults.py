"""What can go wrong between us and a judge's server, and what is to be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.retry_after import retry_after

if TYPE_CHECKING:
    import openai

#: Requests per judgment, the first included. What is refused for too many requests is worth waiting for.
ATTEMPTS = 5
RATE_LIMITED_ATTEMPTS = 10
#: An answer with status 200 that is no chat completion: once more, as an unusable judgment.
UNREADABLE_ATTEMPTS = 2

#: How the message ends where no request was made any more.
NOT_ASKED = "was not asked: its latest failures concern every request"

#: Characters of a server's message that are shown.
SHOWN = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A request that brought no completion."""

    #: The error code of the eval-document format.
    code: str
    message: str
    #: Requests that are worth making when all fail like this; 1: another one cannot help.
    attempts: int = 1
    #: Seconds that the server asks to wait before the next request.
    wait: float | None = None
    #: Whether every other request must fail as well.
    fatal: bool = False
    #: The text that could not be used.
    raw: str | None = None
    #: The name of a parameter that the server does not take, or a message that may name it.
    refusal: str | None = None


def diagnose(error: openai.OpenAIError) -> Fault:
    """Say what an exception of the openai package means for a judgment."""
    import openai  # slow to import, and needed only with a live judge

    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APITimeoutError):
        return Fault(code="judgeTimeout", message="does not answer in time", attempts=ATTEMPTS)
    if isinstance(error, openai.APIConnectionError):
        return _connection(error)
    return Fault(code="evaluatorError", message=f"cannot be asked: {_first_line(str(error))}", fatal=True)


def unreadable(body: bytes, reason: str) -> Fault:
    """Describe an answer of status 200 that is no chat completion."""
    text = body.decode(errors="replace")
    return Fault(
        code="judgeOutputUnparseable",
        message=f"answers something that is no chat completion ({reason}): {_first_line(text) or 'nothing'}",
        attempts=UNREADABLE_ATTEMPTS,
        raw=text,
    )


def _status(error: openai.APIStatusError) -> Fault:
    status = error.status_code
    said = f"(HTTP {status}): {_said(error)}"
    wait = retry_after(error.response.headers)
    if status in {401, 403}:
        fault = Fault(code="judgeAuthenticationError", message=f"refuses the key or sign-in {said}", fatal=True)
    elif status == 404:
        message = f"does not know the model or the address {said}"
        fault = Fault(code="evaluatorConfigurationError", message=message, fatal=True)
    elif 300 <= status < 400:
        target = error.response.headers.get("location", "another address")
        message = f"redirects to {target} (HTTP {status}): configure the final address"
        fault = Fault(code="evaluatorConfigurationError", message=message, fatal=True)
    elif status == 429 and "insufficient_quota" in {error.code, error.type}:
        fault = Fault(code="judgeRateLimited", message=f"has no quota left {said}", fatal=True)
    elif status == 429:
        message = f"gets too many requests {said}"
        fault = Fault(code="judgeRateLimited", message=message, attempts=RATE_LIMITED_ATTEMPTS, wait=wait)
    elif status == 408:
        fault = Fault(code="judgeTimeout", message=f"timed out {said}", attempts=ATTEMPTS, wait=wait)
    elif status == 409 or status >= 500:
        fault = Fault(code="evaluatorError", message=f"fails {said}", attempts=ATTEMPTS, wait=wait)
    else:
        refusal = (error.param or _said(error)) if status in {400, 422} else None
        fault = Fault(code="evaluatorError", message=f"refuses the request {said}", refusal=refusal)
    return fault


def _connection(error: openai.APIConnectionError) -> Fault:
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    # The innermost exception with a text says most: "[Errno 111] Connection refused".
    reason = next(text for found in reversed(causes) if (text := _first_line(str(found))))
    unreachable = any(type(found).__name__ == "ConnectError" for found in causes)
    return Fault(
        code="evaluatorError",
        message=f"{'cannot be reached' if unreachable else 'broke the connection'}: {reason}",
        attempts=1 if "CERTIFICATE_VERIFY_FAILED" in reason else ATTEMPTS,
        fatal=unreachable,
    )


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    message = body.get("message") if isinstance(body, dict) else body
    return _first_line(str(message or error.response.text)) or "no message"


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
