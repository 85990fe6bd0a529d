"""Running the evaluators of one turn: each of them once, or once for every answer of every judge."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pytest_agentevals.engine import combining
from pytest_agentevals.engine.askers import in_event_loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, Exchange
from pytest_agentevals.results import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.engine.panel import Panel
    from pytest_agentevals.judge import Judge

#: The evaluators of one turn by name: an error where one could not be made, a verdict where it is known beforehand.
Evaluators: TypeAlias = Mapping[str, Evaluator | EvaluationError | Verdict]


async def decide_all(evaluators: Evaluators, exchange: Exchange, panel: Panel | None = None) -> list[Verdict]:
    """Run evaluators on one exchange, at once where there is an event loop; verdicts in the order of the evaluators.

    Judged ones ask ``panel``, or where it is None the judge of the exchange.
    """
    if in_event_loop() and len(evaluators) > 1:
        return await asyncio.gather(*(decide(name, each, exchange, panel) for name, each in evaluators.items()))
    return [await decide(name, each, exchange, panel) for name, each in evaluators.items()]


async def decide(
    name: str, evaluator: Evaluator | EvaluationError | Verdict, exchange: Exchange, panel: Panel | None = None
) -> Verdict:
    """Run one evaluator, with all judges that it asks."""
    if panel is None or panel.alone or not isinstance(evaluator, Evaluator) or not evaluator.judged:
        return await decide_one(name, evaluator, exchange)
    try:
        judges = panel.asked_by(evaluator)
    except EvaluationError as error:
        return await decide_one(name, error, exchange)
    of_each = await asyncio.gather(*(_by_judge(name, evaluator, exchange, asked) for asked in judges.values()))
    if len(of_each) == 1:
        return of_each[0]
    parts = [replace(verdict, part=judge) for judge, verdict in zip(judges, of_each, strict=True)]
    return combining.of_judges(parts, panel.rule)


async def _by_judge(name: str, evaluator: Evaluator, exchange: Exchange, answering: Sequence[Judge]) -> Verdict:
    """Run an evaluator for every answer of one judge."""
    verdicts = await asyncio.gather(
        *(decide_one(name, evaluator, replace(exchange, judge=judge)) for judge in answering)
    )
    if len(verdicts) == 1:
        return verdicts[0]
    return combining.of_answers([replace(each, part=f"answer {n}") for n, each in enumerate(verdicts, 1)])


async def decide_one(name: str, evaluator: Evaluator | EvaluationError | Verdict, exchange: Exchange) -> Verdict:
    """Run one evaluator once. The one place where what an evaluator raises becomes an ``error`` verdict."""
    start = time.perf_counter()
    try:
        if isinstance(evaluator, EvaluationError):
            raise evaluator
        verdict = evaluator if isinstance(evaluator, Verdict) else evaluator.evaluate(exchange)
        if inspect.isawaitable(verdict):
            verdict = await verdict
    except EvaluationError as error:
        verdict = errored(str(error), error.code, error.raw)
    except Exception as error:
        verdict = errored(f"{type(error).__name__}: {error}", "evaluatorError")
    return replace(verdict, evaluator=name, seconds=time.perf_counter() - start)


def errored(reason: str, code: str, raw: str | None = None) -> Verdict:
    """Make the verdict of an evaluator that could not decide."""
    notes = () if raw is None else (f"answer: {raw}",)
    return Verdict(outcome=Outcome.ERROR, reason=reason, code=code, notes=notes)
