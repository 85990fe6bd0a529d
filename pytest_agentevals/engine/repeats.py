"""Evaluating one item several times, and making one result of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals.engine.askers import in_event_loop
from pytest_agentevals.engine.combining import of_repeats
from pytest_agentevals.engine.deciding import errored
from pytest_agentevals.results import ItemResult, TurnResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence


async def repeated(once: Callable[[int], Coroutine[Any, Any, ItemResult]], count: int, needed: int) -> ItemResult:
    """Evaluate an item ``count`` times, at once where there is an event loop, and sum up the results.

    ``once`` gets the number of the repeat, from 0. An evaluator passes if ``needed`` of its verdicts do.
    """
    if in_event_loop():
        return summed_up(await asyncio.gather(*map(once, range(count))), needed)
    return summed_up([await once(repeat) for repeat in range(count)], needed)


def summed_up(repeats: Sequence[ItemResult], needed: int) -> ItemResult:
    """Make one result of all repeats of an item: every verdict sums up those of the repeats.

    A repeat without a response, where another has one, is an error of its evaluators. The responses are those of the
    first repeat that ended as the whole does; where it has none, those of the first that has one.
    """
    turns = [_turn(same, needed) for same in zip(*(repeat.turns for repeat in repeats), strict=True)]
    result = ItemResult(turns=turns, repeats=list(repeats))
    _add_conversation(result, needed)
    status = result.status
    shown = sorted(repeats, key=lambda repeat: repeat.status != status)
    for turn, same in zip(turns, zip(*(repeat.turns for repeat in shown), strict=True), strict=True):
        like = _first_answered(same)
        turn.response, turn.source = like.response, like.source
    return result


def _turn(repeats: Sequence[TurnResult], needed: int) -> TurnResult:
    """Sum up the verdicts on one turn; where no repeat has a response, it has none either."""
    like = _first_answered(repeats)
    if like.response is None:
        return replace(like)
    found = [{verdict.evaluator: verdict for verdict in turn.verdicts if verdict.level == "turn"} for turn in repeats]
    each = [
        [verdicts.get(name) or _unanswered(name, turn) for verdicts, turn in zip(found, repeats, strict=True)]
        for name in like.evaluators
    ]
    return replace(like, verdicts=[of_repeats(_numbered(verdicts), needed) for verdicts in each])


def _add_conversation(result: ItemResult, needed: int) -> None:
    """Sum up the verdicts on the whole conversation, which stand in the last turn that was answered.

    A repeat that broke off has no whole conversation.
    """
    found = [
        {verdict.evaluator: verdict for verdict in repeat.verdicts if verdict.level == "conversation"}
        for repeat in result.repeats
    ]
    broken = [next((turn for turn in repeat.turns if turn.error is not None), None) for repeat in result.repeats]
    for name in dict.fromkeys(name for verdicts in found for name in verdicts):
        each = [
            verdicts[name] if turn is None else replace(_unanswered(name, turn), level="conversation")
            for verdicts, turn in zip(found, broken, strict=True)
        ]
        last = next(turn for turn in reversed(result.turns) if turn.response is not None)
        last.verdicts.append(of_repeats(_numbered(each), needed))


def _first_answered(turns: Sequence[TurnResult]) -> TurnResult:
    """Return the first turn with a response, else the first."""
    return next((turn for turn in turns if turn.response is not None), turns[0])


def _numbered(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [replace(verdict, part=f"repeat {number}") for number, verdict in enumerate(verdicts, 1)]


def _unanswered(name: str, turn: TurnResult) -> Verdict:
    """Return the verdict of an evaluator on a turn that the agent did not answer."""
    error = turn.error
    assert error is not None  # noqa: S101 - a turn has a response or an error
    return replace(errored(error.message, error.code), evaluator=name)
