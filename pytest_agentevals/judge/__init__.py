"""Whom judged evaluators ask: a model that answers a rendered prompt, and the reading of its answer.

Two one-method interfaces. `ChatModel` is a server that completes a chat (`pytest_agentevals.judge.client` is the real
one). `Judge` is what evaluators see: it returns an answer that the evaluator's own reader accepted, or raises.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pytest_agentevals.errors import AgentEvalsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_agentevals.results import JudgeUsage

Answer = TypeVar("Answer")


class UnusableAnswer(AgentEvalsError):
    """The judge answered something that is no judgment; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """One question to a judge. Its fields, the model and a repeat index are all that determines the answer."""

    #: Name of the evaluator that asks, as in the document.
    evaluator: str
    #: Identity of the prompt (for example ``relevance@azure-ai-evaluation-1.18.10`` or a content hash).
    prompt_version: str
    #: Chat messages, ``{"role": …, "content": …}``.
    messages: tuple[Mapping[str, Any], ...]
    #: The rest of the request body except ``model``: temperature, max_tokens, response_format, …
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReply:
    """One completion as the server sent it."""

    #: None when the model refused or called a tool instead.
    content: str | None
    refusal: str | None = None
    finish_reason: str | None = None
    usage: JudgeUsage


@dataclass(frozen=True, slots=True)
class Judgment(Generic[Answer]):
    """A usable answer: what the evaluator read, the text it was read from, and what it took."""

    answer: Answer
    raw: str
    usage: JudgeUsage


class ChatModel(Protocol):
    """A server that completes chats."""

    async def complete(self, request: JudgeRequest, *, timeout: float) -> JudgeReply:
        """Complete one chat within ``timeout`` seconds, retrying what is worth it.

        The time counts from the first request: waiting for a turn among other chats is no part of it.

        Raises `EvaluationError` with code ``judgeAuthenticationError``, ``judgeRateLimited``, ``judgeTimeout``,
        ``judgeOutputUnparseable`` (no chat completion at all), ``evaluatorConfigurationError`` or ``evaluatorError``.
        """
        ...


class Judge(Protocol):
    """Whom judged evaluators ask."""

    async def ask(self, request: JudgeRequest, read: Callable[[str], Answer]) -> Judgment[Answer]:
        """Return the first answer that ``read`` accepts.

        ``read`` gets the text of the reply and raises `UnusableAnswer` for what is no judgment; it is then asked once
        more. Raises `EvaluationError`: ``judgeOutputUnparseable`` with the raw text when no answer was usable, or what
        `ChatModel.complete` raises.
        """
        ...
