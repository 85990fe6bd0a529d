"""A scripted model inside the process, without HTTP and without openai."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeReply
from pytest_agentevals.judge.live import TIMEOUT, LiveJudge
from pytest_agentevals.results import JudgeUsage
from pytest_agentevals.testing.script import Script

if TYPE_CHECKING:
    from pytest_agentevals.judge import JudgeRequest
    from pytest_agentevals.testing.script import Function, Table


class ScriptedModel:
    """A `pytest_agentevals.judge.ChatModel` that answers as a script says. ``requests`` are the bodies it got."""

    def __init__(self, script: Function | Table, *, model: str = "scripted") -> None:
        self.model = model
        self.script = Script(script)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of the requests so far, as a server would get them."""
        return self.script.requests

    async def complete(self, request: JudgeRequest, *, timeout: float) -> JudgeReply:
        """Answer, after the script's delay; what the script has no answer to is an `EvaluationError`."""
        body = {"model": self.model, "messages": [dict(message) for message in request.messages], **request.parameters}
        try:
            reply = self.script.reply(body)
        except LookupError as error:
            raise EvaluationError(f"The judge {self.model}: {error.args[0]}") from None
        if reply.delay > timeout:
            raise EvaluationError(f"The judge {self.model} did not answer within {timeout:g} s", code="judgeTimeout")
        await asyncio.sleep(reply.delay)
        usage = JudgeUsage(
            model=self.model,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            seconds=reply.delay,
        )
        return JudgeReply(content=reply.content, refusal=reply.refusal, finish_reason=reply.finish_reason, usage=usage)


def scripted_judge(script: Function | Table, *, model: str = "scripted", timeout: float = TIMEOUT) -> LiveJudge:
    """Make a judge that asks a `ScriptedModel`, its ``model``, and treats unusable answers as every judge does."""
    return LiveJudge(ScriptedModel(script, model=model), timeout=timeout)
