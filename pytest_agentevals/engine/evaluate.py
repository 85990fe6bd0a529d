"""Evaluating one item: ask the agent turn by turn, run every evaluator of the turn, return values."""

from __future__ import annotations

import asyncio
import inspect
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from pytest_agentevals.errors import AgentError, EvaluationError
from pytest_agentevals.evaluators.base import Exchange, Message
from pytest_agentevals.results import ItemResult, Outcome, TurnError, TurnResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.documents.load import LoadedItem, LoadedTurn
    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.judge import Judge
    from pytest_agentevals.responses import AgentResponse

#: The evaluators of one turn by name; an error where the evaluator could not be made.
Evaluators = "Mapping[str, Evaluator | EvaluationError]"


class Asker(Protocol):
    """Where the responses of one item come from."""

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Return the response to a turn, and whether it was ``asked``, ``recorded`` or ``cached``.

        Raises `AgentError` where there is no usable response.
        """
        ...


async def evaluate(
    item: LoadedItem,
    evaluators: Sequence[Mapping[str, Evaluator | EvaluationError]],
    asker: Asker,
    judge: Judge | None = None,
) -> ItemResult:
    """Evaluate an item: its turns in order, the evaluators of a turn concurrently where they wait for a judge.

    ``evaluators`` has one mapping per turn. Never raises for what an agent or an evaluator does: a failed request
    ends the item (later turns are ``turnSkipped``), an evaluator that raises becomes an ``error`` verdict. Needs a
    running event loop only if the asker or a judged evaluator does.
    """
    result = ItemResult()
    history: list[Message] = []
    for turn, configured in zip(item.turns, evaluators, strict=True):
        outcome = TurnResult(
            prompt=turn.prompt,
            index=turn.index,
            expected_response=turn.expected_response,
            evaluators=tuple(configured),
        )
        result.turns.append(outcome)
        if len(result.turns) > 1 and result.turns[-2].error is not None:
            outcome.error = TurnError(code="turnSkipped", message="Turn not attempted: preceding turn failed")
            continue
        try:
            outcome.response, outcome.source = await asker.ask(turn, history)
        except AgentError as error:
            outcome.error = TurnError(code=error.code, message=str(error))
            continue
        exchange = Exchange(
            prompt=turn.prompt,
            response=outcome.response,
            expected_response=turn.expected_response,
            context=turn.context,
            history=tuple(history),
            judge=judge,
        )
        outcome.verdicts = await decide_all(configured, exchange)
        history += [Message("user", turn.prompt), Message("assistant", outcome.response.text)]
    return result


async def decide_all(evaluators: Mapping[str, Evaluator | EvaluationError], exchange: Exchange) -> list[Verdict]:
    """Run the evaluators of one turn; those that ask a judge all at once. Verdicts in the order of the evaluators."""
    waiting = {
        name: asyncio.ensure_future(decide_one(name, evaluator, exchange))
        for name, evaluator in evaluators.items()
        if getattr(evaluator, "judged", False)
    }
    verdicts = []
    for name, evaluator in evaluators.items():
        if name not in waiting:
            verdicts.append(await decide_one(name, evaluator, exchange))
    if waiting:
        # Even gathering nothing asks for an event loop, which items where nothing waits run without.
        await asyncio.gather(*waiting.values())
    ready = {verdict.evaluator: verdict for verdict in verdicts}
    return [waiting[name].result() if name in waiting else ready[name] for name in evaluators]


async def decide_one(name: str, evaluator: Evaluator | EvaluationError, exchange: Exchange) -> Verdict:
    """Run one evaluator. The one place where what an evaluator raises becomes an ``error`` verdict."""
    start = time.perf_counter()
    try:
        if isinstance(evaluator, EvaluationError):
            raise evaluator
        verdict = evaluator.evaluate(exchange)
        if inspect.isawaitable(verdict):
            verdict = await verdict
    except EvaluationError as error:
        verdict = errored(str(error), error.code, error.raw)
    except Exception as error:  # noqa: BLE001 - whatever an evaluator raises means that it could not decide
        verdict = errored(f"{type(error).__name__}: {error}", "evaluatorError")
    return replace(verdict, evaluator=name, seconds=time.perf_counter() - start)


def errored(reason: str, code: str, raw: str | None = None) -> Verdict:
    """Make the verdict of an evaluator that could not decide."""
    notes = () if raw is None else (f"answer: {raw}",)
    return Verdict(outcome=Outcome.ERROR, reason=reason, code=code, notes=notes)
