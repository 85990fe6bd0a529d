"""Evaluating one item: ask the agent turn by turn, run every evaluator of the turn, return values."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from pytest_agentevals.engine.askers import in_event_loop
from pytest_agentevals.engine.deciding import decide_all
from pytest_agentevals.errors import AgentError, EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, Exchange, Message
from pytest_agentevals.results import ItemResult, TurnError, TurnResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_agentevals.documents.load import LoadedItem, LoadedTurn
    from pytest_agentevals.engine.deciding import Evaluators
    from pytest_agentevals.engine.panel import Panel
    from pytest_agentevals.responses import AgentResponse

#: Returns whom the judged evaluators of a turn ask.
Panels: TypeAlias = "Callable[[LoadedTurn], Panel]"


class Asker(Protocol):
    """Where the responses of one item come from."""

    #: Whether asking waits for anything.
    waits: bool

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Return the response to a turn, and whether it was ``asked``, ``recorded`` or ``cached``.

        Raises `AgentError` where there is no usable response.
        """
        ...


class Answered(NamedTuple):
    """A turn with a response, ready to be evaluated."""

    result: TurnResult
    evaluators: Evaluators
    exchange: Exchange
    panel: Panel | None


async def evaluate(
    item: LoadedItem, evaluators: Sequence[Evaluators], asker: Asker, panels: Panels | None = None
) -> ItemResult:
    """Evaluate an item: its turns in order, the evaluators of a turn concurrently where they wait for a judge.

    ``evaluators`` has one mapping per turn. Never raises for what an agent or an evaluator does: a failed request
    ends the item (later turns are ``turnSkipped``), an evaluator that raises becomes an ``error`` verdict. Needs a
    running event loop only if the asker or an evaluator does.
    """
    result = ItemResult()
    history: list[Message] = []
    answered: list[Answered] = []
    deciding: list[asyncio.Future[None]] = []
    try:
        for turn, configured in zip(item.turns, evaluators, strict=True):
            outcome = TurnResult(
                prompt=turn.prompt,
                index=turn.index,
                expected_response=turn.expected_response,
                evaluators=tuple(
                    name for name, evaluator in configured.items() if not of_conversation(evaluator, item)
                ),
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
            panel = panels(turn) if panels else None
            exchange = Exchange(
                prompt=turn.prompt,
                response=outcome.response,
                expected_response=turn.expected_response,
                context=turn.context,
                history=tuple(history),
                judge=panel.first if panel else None,
            )
            answered.append(Answered(outcome, configured, exchange, panel))
            own = {name: configured[name] for name in outcome.evaluators}
            if in_event_loop():
                # The judges of this turn work while the agent answers the next one.
                deciding.append(asyncio.ensure_future(decide_into(outcome, own, exchange, panel)))
            else:
                await decide_into(outcome, own, exchange, panel)
            history += [Message("user", turn.prompt), Message("assistant", outcome.response.text)]
        if deciding:
            await asyncio.gather(*deciding)
        if item.thread and answered:
            await decide_conversation(answered[-1], item)
    finally:
        for future in deciding:
            future.cancel()
    return result


def of_conversation(evaluator: Evaluator | EvaluationError | Verdict, item: LoadedItem) -> bool:
    """Whether an evaluator looks at a whole thread; on a single item it looks at the one turn like all others."""
    return item.thread and isinstance(evaluator, Evaluator) and getattr(evaluator, "level", "turn") == "conversation"


async def decide_conversation(last: Answered, item: LoadedItem) -> None:
    """Run what looks at the whole thread, once, on its last answered turn; its verdicts stand in that turn."""
    wanted = {name: each for name, each in last.evaluators.items() if of_conversation(each, item)}
    verdicts = await decide_all(wanted, last.exchange, last.panel)
    last.result.verdicts += [replace(verdict, level="conversation") for verdict in verdicts]


async def decide_into(result: TurnResult, evaluators: Evaluators, exchange: Exchange, panel: Panel | None) -> None:
    """Evaluate one turn and put the verdicts into its result."""
    result.verdicts = await decide_all(evaluators, exchange, panel)
