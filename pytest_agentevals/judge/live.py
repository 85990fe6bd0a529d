"""A judge that asks a model, and asks once more when the answer is no judgment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import Answer, Judgment, UnusableAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentevals.judge import ChatModel, JudgeReply, JudgeRequest
    from pytest_agentevals.results import JudgeUsage

Number = TypeVar("Number", int, float)

#: Seconds that one judgment may take, asking again and retries included.
TIMEOUT = 120.0

#: Why a completion ended, where that makes it no judgment.
ENDINGS = {
    "length": "the answer was cut off at the limit of tokens",
    "content_filter": "a content filter held the answer back",
    "tool_calls": "the judge called a tool instead of answering",
    "function_call": "the judge called a function instead of answering",
}


class LiveJudge:
    """Asks a model; ``timeout`` is for the whole of a judgment, in seconds."""

    def __init__(self, model: ChatModel, *, timeout: float = TIMEOUT) -> None:
        self.model = model
        self.timeout = timeout

    async def ask(self, request: JudgeRequest, read: Callable[[str], Answer]) -> Judgment[Answer]:
        """Return the first answer that ``read`` accepts; see `pytest_agentevals.judge.Judge`."""
        first = await self.model.complete(request, timeout=self.timeout)
        try:
            return judgment(first, read)
        except UnusableAnswer as unusable:
            problem = str(unusable)
        try:
            second = await self.model.complete(request, timeout=self.timeout - first.usage.seconds)
        except EvaluationError as error:
            message = f"{error}; its first answer could not be used: {problem}"
            raise EvaluationError(message, code=error.code, raw=_raw(first)) from None
        try:
            return judgment(replace(second, usage=_sum(first.usage, second.usage)), read)
        except UnusableAnswer as unusable:
            problem = str(unusable)
        raise EvaluationError(
            f"The judge gave no usable answer, asked twice: {problem}",
            code="judgeOutputUnparseable",
            raw=_raw(second),
        )


def _raw(reply: JudgeReply) -> str | None:
    return reply.content or reply.refusal


def judgment(reply: JudgeReply, read: Callable[[str], Answer]) -> Judgment[Answer]:
    """Read a reply; raises `UnusableAnswer` where it is none, or where ``read`` raises it."""
    if reply.refusal:
        raise UnusableAnswer(f"the judge refused: {reply.refusal}")
    if reply.finish_reason in ENDINGS:
        raise UnusableAnswer(ENDINGS[reply.finish_reason])
    if reply.content is None or not reply.content.strip():
        raise UnusableAnswer("the answer is empty")
    return Judgment(read(reply.content), reply.content, reply.usage)


def _sum(first: JudgeUsage, second: JudgeUsage) -> JudgeUsage:
    """Add two usages; what is unknown of one is unknown of the sum."""
    return replace(
        second,
        prompt_tokens=_plus(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_plus(first.completion_tokens, second.completion_tokens),
        cost=_plus(first.cost, second.cost),
        requests=first.requests + second.requests,
        seconds=first.seconds + second.seconds,
    )


def _plus(first: Number | None, second: Number | None) -> Number | None:
    return None if first is None or second is None else first + second
