"""Asking any callable."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pytest_agentevals import loop
from pytest_agentevals.agents.failures import agent_errors
from pytest_agentevals.agents.reply import read_reply
from pytest_agentevals.agents.threads import DaemonThreads
from pytest_agentevals.errors import AgentError, ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentevals.agents.conversation import Conversation
    from pytest_agentevals.responses import AgentResponse


#: Seconds for one answer of a client that does not say otherwise.
TIMEOUT = 300.0


class Caller:
    """Asks a client: a function, method, partial or object that is called with a prompt, synchronous or not.

    The client gets the conversation too where its signature has a place for it: a parameter ``conversation``, else a
    second positional one, else ``**kwargs``. What it may return is described in `pytest_agentevals.agents.reply`.
    Coroutines are awaited; a client that blocks runs in up to ``concurrency`` threads, or in one if it says
    ``thread_safe = False``.

    ``timeout`` is in seconds, for one call; None stands for what the client says as ``timeout``, else for 300. Raises
    `ConfigurationError` for what cannot be called with a prompt.
    """

    def __init__(self, client: Callable[..., object], *, concurrency: int = 4, timeout: float | None = None) -> None:
        self._client = client
        self._conversation_as = _conversation_argument(client)
        #: Seconds for one call.
        self.timeout = _timeout_of(client) if timeout is None else timeout
        #: Whether the client is a coroutine function, which needs no threads.
        self.asynchronous = inspect.iscoroutinefunction(client) or inspect.iscoroutinefunction(
            getattr(client, "__call__", None)  # noqa: B004 - the method itself is looked at, not whether there is one
        )
        one_thread = not self.asynchronous and getattr(client, "thread_safe", True) is False
        #: How many calls may be under way at once; more have to wait, and their time runs.
        self.concurrency = 1 if one_thread else concurrency
        self._threads = DaemonThreads(self.concurrency, "agent")

    async def ask(self, prompt: str, conversation: Conversation) -> AgentResponse:
        """Ask for the answer to a prompt; a call that takes longer than the timeout is given up.

        Raises `AgentError` for whatever goes wrong, `SystemExit` included, with its code. Only what else is no
        `Exception` passes: `KeyboardInterrupt`, `asyncio.CancelledError`, pytest's own skip and fail.
        """
        try:
            async with asyncio.timeout(self.timeout):
                if self.asynchronous:
                    value, seconds = self._call(prompt, conversation)
                else:
                    called = self._threads.submit(lambda: self._call(prompt, conversation))
                    value, seconds = await asyncio.wrap_future(called)
                if isinstance(value, Awaitable):
                    value, seconds = await _finish(value)
        except TimeoutError:
            message = f"the agent did not answer within {self.timeout:g} s"
            raise AgentError(message, code="agentTimeout") from None
        return _timed(read_reply(value), seconds)

    def ask_sync(self, prompt: str, conversation: Conversation) -> AgentResponse:
        """Ask in the calling thread, without an event loop where the client is synchronous.

        Raises as `ask`. There is no timeout for a client that blocks: nothing could end its call.
        """
        if self.asynchronous:
            return loop.run(self.ask(prompt, conversation))
        value, seconds = self._call(prompt, conversation)
        if isinstance(value, Awaitable):
            value, seconds = loop.run(_finish(value))
        return _timed(read_reply(value), seconds)

    def _call(self, prompt: str, conversation: Conversation) -> tuple[object, float]:
        """Call the client; it gets a conversation of its own, which it may change.

        Returns its answer and the seconds of the call alone: waiting for a thread is no latency of the agent.
        """
        positional = [conversation.copy()] if self._conversation_as == "positional" else []
        named = {"conversation": conversation.copy()} if self._conversation_as == "keyword" else {}
        started = perf_counter()
        with agent_errors():
            value = self._client(prompt, *positional, **named)
        return value, perf_counter() - started


async def _finish(awaitable: Awaitable[Any]) -> tuple[Any, float]:
    started = perf_counter()
    with agent_errors():
        value = await awaitable
    return value, perf_counter() - started


def _timed(response: AgentResponse, seconds: float) -> AgentResponse:
    """Fill in the measured time where the client gave none."""
    if response.latency_ms is not None:
        return response
    return response.model_copy(update={"latency_ms": seconds * 1000})


def _timeout_of(client: object) -> float:
    stated = getattr(client, "timeout", None)
    return stated if isinstance(stated, int | float) and stated > 0 else TIMEOUT


def _conversation_argument(client: Callable[..., object]) -> str | None:
    """Return how the conversation is passed: ``positional``, ``keyword`` or, for clients that take none, None."""
    if not callable(client):
        raise ConfigurationError(f"the agent client is a {type(client).__name__}, which cannot be called with a prompt")
    try:
        signature = inspect.signature(client)
    except ValueError:  # some builtins do not tell their signature
        return None
    parameter = inspect.Parameter
    kinds = [each.kind for each in signature.parameters.values()]
    named = signature.parameters.get("conversation")
    how = None
    if named and named.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
        how = "keyword"
    elif sum(kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD} for kind in kinds) > 1:
        how = "positional"
    elif parameter.VAR_KEYWORD in kinds:
        how = "keyword"
    try:
        signature.bind("", *[""] * (how == "positional"), **{"conversation": ""} if how == "keyword" else {})
    except TypeError as error:
        name = getattr(client, "__qualname__", type(client).__qualname__)
        raise ConfigurationError(
            f"the agent client {name}{signature} cannot be called with a prompt and at most a conversation: {error}"
        ) from None
    return how
