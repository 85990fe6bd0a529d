"""Evaluators that ask a judge with the prompts of azure-ai-evaluation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, decide
from pytest_agentevals.judge.answers import read_score
from pytest_agentevals.judge.named import JudgeName
from pytest_agentevals.judge.prompts import sdk_prompt
from pytest_agentevals.results import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.evaluators.base import Exchange


class SdkJudged(Evaluator):
    """Base of the evaluators whose prompt, parameters and scale are those of azure-ai-evaluation."""

    #: The SDK's prompt file, below its folder of evaluators.
    prompt: ClassVar[str]
    #: The SDK's name of the score.
    key: ClassVar[str]
    scale: ClassVar[tuple[int, int]] = (1, 5)
    #: Whether published results carry the score as ``gpt_…`` too.
    gpt_alias: ClassVar[bool] = False

    model: JudgeName = None

    @property
    def judged(self) -> bool:
        """Always."""
        return True

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

    def remarks(self, exchange: Exchange) -> dict[str, str]:  # noqa: ARG002 - for evaluators that override it
        """Return what people should know of how the judge was asked, for the verdict's details and notes."""
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
        remarks = self.remarks(exchange)
        return decide(
            answer.score,
            threshold=self.cut,
            scale=self.scale,
            reason=answer.reason,
            notes=tuple(f"{about.replace('_', ' ')}: {remark}" for about, remark in remarks.items()),
            usage=judgment.usage,
            **self._keys(answer.score, answer.properties),
            **dict[str, Any](remarks),
        )

    def _keys(self, score: int, properties: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the score under the keys that the SDK and published results have for it."""
        keys: dict[str, Any] = {
            self.key: score,
            f"{self.key}_result": "pass" if score >= self.cut else "fail",
            f"{self.key}_threshold": self.cut,
        }
        if self.gpt_alias:
            keys[f"gpt_{self.key}"] = score
        if properties:
            keys[f"{self.key}_properties"] = properties
        return keys

    def _not_applicable(self, reason: str, **fields: Any) -> Verdict:
        return Verdict(outcome=Outcome.NOT_APPLICABLE, threshold=self.cut, scale=self.scale, reason=reason, **fields)


class Likert(SdkJudged):
    """Base of the evaluators with scores from 1 to 5."""

    threshold: float = Field(default=3, ge=1, le=5, description="The score, 1-5, needed to pass.")

    @property
    def cut(self) -> float:
        """The ``threshold`` option."""
        return self.threshold
