"""Evaluators written in the user's project, in plain Python or with a prompt for the judge."""

from __future__ import annotations

import asyncio
import re
from copy import deepcopy
from functools import cached_property, reduce
from math import inf, isfinite, nan
from numbers import Real
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from pydantic import Field

from pytest_agentevals.agents.threads import DaemonThreads
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, decide
from pytest_agentevals.evaluators.custom.flows import Run, current
from pytest_agentevals.evaluators.custom.modules import cause, evaluator_class
from pytest_agentevals.judge.named import JudgeName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import JudgeUsage, Verdict

#: Words of a module that suggest that it wants a judge.
JUDGING = re.compile(r"load_flow|promptflow|model_config|\.prompty")

#: Judged evaluators block while they wait for the judge: more threads than questions in flight.
_threads = DaemonThreads(64, "agentevals-custom")


class ModelConfiguration(dict[str, Any]):
    """What a judged evaluator gets as ``model_config``: it has no address and no key, the judge keeps those."""

    def __missing__(self, key: str) -> NoReturn:
        raise EvaluationError(
            f"model_config has no {key!r} here: run prompts with promptflow.client.load_flow, which asks the judge",
            code="evaluatorConfigurationError",
        )


class CustomEvaluator(Evaluator):
    """Base of the evaluators of the user's project; each has a subclass of its own."""

    #: ``custom-evaluators/<name>/<name>.py``.
    module: ClassVar[Path]

    options: dict[str, Any] = Field(default={}, description="Whatever the evaluator itself takes.")

    def call(self, exchange: Exchange, **configuration: Any) -> Any:
        """Make the user's evaluator and call it; one for every exchange, so that none sees another's state.

        Raises `EvaluationError`: ``evaluatorLoadError`` without a class, ``evaluatorError`` for whatever it raises.
        """
        make = evaluator_class(self.module)
        try:
            return make(options=deepcopy(self.options), **configuration)(
                prompt=exchange.prompt,
                expected_response=exchange.expected_response or "",
                response=exchange.response.text,
                context=exchange.context or "",
            )
        except EvaluationError:
            raise
        except (Exception, SystemExit) as error:
            raise EvaluationError(f"{self.module.stem} raised {cause(error, self.module.parent)}") from error


class CodeEvaluator(CustomEvaluator):
    """A check in plain Python: any finite score, higher is better."""

    threshold: float = Field(default=1, description="Score needed to pass, on the evaluator's own scale.")

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """A module that looks as if it wanted a judge may have lost its prompt file."""
        if self.module.is_file() and (found := JUDGING.search(self.module.read_text("utf-8", errors="replace"))):
            warning = f"{self.module.name} mentions {found[0]} but has no {self.module.stem}.prompty beside it"
            return (f"{warning}: it runs as plain code, without a judge",)
        return ()

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Call the user's code in this thread."""
        result = self.call(exchange, threshold=self.threshold)
        return verdict(result, self.module.stem, threshold=self.threshold)


class PromptyEvaluator(CustomEvaluator):
    """A module with a ``.prompty`` beside it: its prompts are put to the judge, and its score is 1 to 5."""

    threshold: float = Field(default=3, ge=1, le=5, description="Score needed to pass, 1 to 5.")
    model: JudgeName = None

    @property
    def judged(self) -> bool:
        """Always."""
        return True

    async def evaluate(self, exchange: Exchange) -> Verdict:
        """Call the user's code in a thread, where it may wait for the judge.

        Raises `EvaluationError`, also ``emptyAgentResponse`` for a response without text and
        ``evaluatorConfigurationError`` without a judge.
        """
        name = self.module.stem
        if not exchange.response.text.strip():
            raise EvaluationError("the agent's response is empty: there is nothing to judge", code="emptyAgentResponse")
        if exchange.judge is None:
            raise EvaluationError(
                f"{name} asks a judge, and no judge is configured", code="evaluatorConfigurationError"
            )
        run = Run(name, exchange.judge, asyncio.get_running_loop())

        def call() -> Any:
            current.set(run)
            return self.call(exchange, threshold=self.threshold, model_config=ModelConfiguration())

        result = await asyncio.wrap_future(_threads.submit(call))
        usage = reduce(add, run.usages) if run.usages else None
        return verdict(result, name, threshold=self.threshold, likert=True, usage=usage)


def verdict(
    result: Any, name: str, *, threshold: float, likert: bool = False, usage: JudgeUsage | None = None
) -> Verdict:
    """Make the verdict from what a custom evaluator returned: ``score`` and ``reason``, or ``error``.

    Whether it passed is for the threshold to say. Raises `EvaluationError`: ``evaluatorError`` with the evaluator's own
    message, ``invalidEvaluatorResult`` for a result that is none.
    """
    if not isinstance(result, dict):
        raise EvaluationError(
            f'{name} returned {result!r}; it has to return {{"score": …, "reason": …}}', code="invalidEvaluatorResult"
        )
    if "error" in result or result.get("result") == "error":
        raise EvaluationError(str(result.get("error") or result.get("reason") or f"{name} gave no reason"))
    return decide(
        score_of(result, name, likert=likert),
        threshold=threshold,
        scale=(1, 5) if likert else (0, None),
        reason=str(result.get("reason") or ""),
        usage=usage,
    )


def score_of(result: Mapping[str, Any], name: str, *, likert: bool) -> float:
    """Return the score of a result; raises `EvaluationError` with code ``invalidEvaluatorResult`` if it has none."""
    score = result.get("score")
    try:
        # bool is a kind of number, but true is no score.
        number = float(score) if not isinstance(score, bool) and isinstance(score, Real) else nan
    except OverflowError:
        number = inf
    if number in range(1, 6) if likert else isfinite(number):
        return int(number) if number.is_integer() else number
    found = f"the score {score!r}" if "score" in result else "no score"
    allowed = "a whole number from 1 to 5" if likert else "a finite number"
    raise EvaluationError(f"{name} returned {found}; it has to be {allowed}", code="invalidEvaluatorResult")
