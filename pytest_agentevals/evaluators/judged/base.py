"""Evaluators that ask a judge with the prompts of azure-ai-evaluation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, decide
from pytest_agentevals.judge.answers import read_score
from pytest_agentevals.judge.prompts import sdk_prompt
from pytest_agentevals.results import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.evaluators.base import Exchange


class SdkJudged(Evaluator):
    """Base of the evaluators whose prompt, parameters and scale are those of azure-ai-evaluation."""

    judged = True
    #: The SDK's prompt file, below its folder of evaluators.
    prompt: ClassVar[str]
    #: The SDK's name of the score.
    key: ClassVar[str]
    scale: ClassVar[tuple[int, int]] = (1, 5)
    #: Whether published results carry the score as ``gpt_…`` too.
    gpt_alias: ClassVar[bool] = False

    @property
    def cut(self) -> float:
        """The score needed to pass."""
        raise NotImplementedError

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Return what the prompt template asks for; raises `EvaluationError` where something is missing."""
        raise NotImplementedError

    def inapplicable(self, exchange: Exchange) -> str | None:  # noqa: ARG002 - for evaluators that override it
        """Return why there is nothing to judge in this exchange, or None."""
        return None

    def details(self, exchange: Exchange) -> dict[str, Any]:  # noqa: ARG002 - for evaluators that override it
        """Return what the verdict says beside the score."""
        return {}

    async def evaluate(self, exchange: Exchange) -> Verdict:
        """Ask the judge for a score.

        Raises `EvaluationError`: ``emptyAgentResponse`` for a response without text, ``evaluatorConfigurationError``
        without a judge, `MissingInput` for a missing field, and whatever the judge raises.
        """
        name = type(self).__name__
        if not exchange.response.text.strip():
            raise EvaluationError("the agent's response is empty: there is nothing to judge", code="emptyAgentResponse")
        if reason := self.inapplicable(exchange):
            return self._not_applicable(reason)
        prompt = sdk_prompt(self.prompt)
        request = prompt.request(name, self.inputs(exchange))
        if exchange.judge is None:
            raise EvaluationError(
                f"{name} asks a judge, and no judge is configured", code="evaluatorConfigurationError"
            )
        read = partial(read_score, scale=self.scale, skippable=prompt.skippable)
        judgment = await exchange.judge.ask(request, read)
        answer = judgment.answer
        if answer.score is None:
            reason = answer.reason or "the judge skipped this evaluation and gave no reason"
            return self._not_applicable(reason, usage=judgment.usage)
        details: dict[str, Any] = {self.key: answer.score}
        if self.gpt_alias:
            details[f"gpt_{self.key}"] = answer.score
        details[f"{self.key}_result"] = "pass" if answer.score >= self.cut else "fail"
        details[f"{self.key}_threshold"] = self.cut
        if answer.properties:
            details["properties"] = answer.properties
        return decide(
            answer.score,
            threshold=self.cut,
            scale=self.scale,
            reason=answer.reason,
            usage=judgment.usage,
            **details,
            **self.details(exchange),
        )

    def _not_applicable(self, reason: str, **fields: Any) -> Verdict:
        return Verdict(outcome=Outcome.NOT_APPLICABLE, threshold=self.cut, scale=self.scale, reason=reason, **fields)


class Likert(SdkJudged):
    """Base of the evaluators with scores from 1 to 5."""

    threshold: int | float = Field(default=3, ge=1, le=5)

    @property
    def cut(self) -> float:
        """The ``threshold`` option."""
        return self.threshold
