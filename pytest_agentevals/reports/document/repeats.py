"""The repeats of an item in a results document, without the texts that the item itself has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.results import EXTENSION, extension
from pytest_agentevals.reports.document.scores import REPEATS
from pytest_agentevals.reports.document.turns import found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.results import ItemResult, TurnResult, Verdict


def repeated(result: ItemResult) -> list[list[dict[str, Any]]]:
    """Write the turns of each repeat; a response that the item shows is not written again."""
    return [
        [_turn(turn, shown) for turn, shown in zip(repeat.turns, result.turns, strict=True)]
        for repeat in result.repeats
    ]


def _turn(turn: TurnResult, shown: TurnResult) -> dict[str, Any]:
    same = turn.response is not None and turn.response == shown.response
    part, ours = found(turn, respond=not same)
    if same:
        ours["shown"] = True
    return {**part, "extensions": {EXTENSION: ours}} if ours else part


def with_response(turn: Mapping[str, Any], shown: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a turn of a repeat with its response, which may be that of the item."""
    if not extension(turn).get("shown"):
        return turn
    response = {key: shown[key] for key in ("response", "citations", "diagnostics") if key in shown}
    ours = {**extension(turn), **{key: value for key, value in extension(shown).items() if key == "citations"}}
    return {**turn, **response, "extensions": {EXTENSION: ours}}


def is_repeats(verdict: Verdict, repeats: Sequence[ItemResult], place: int) -> bool:
    """Whether the parts of a verdict of the turn at ``place`` are those of the repeats."""
    expected = []
    for number, repeat in enumerate(repeats, 1):
        verdicts = repeat.verdicts if verdict.level == "conversation" else repeat.turns[place].verdicts
        same = (each for each in verdicts if (each.evaluator, each.level) == (verdict.evaluator, verdict.level))
        expected += [replace(each, part=_label(number)) for each in same]
    return bool(repeats) and tuple(expected) == verdict.parts


def parts(verdict: Mapping[str, Any], repeats: Sequence[Sequence[Mapping[str, Any]]], place: int) -> Any:
    """Return the parts of a verdict as JSON, from the turns of the repeats where they stand there."""
    if verdict.get("parts") != REPEATS:
        return verdict.get("parts", ())
    conversation = verdict.get("level") == "conversation"
    return [
        {**each, "part": _label(number)}
        for number, repeat in enumerate(repeats, 1)
        for turn in (repeat if conversation else [repeat[place]])
        for each in turn["verdicts"]
        if (each["evaluator"], each.get("level")) == (verdict["evaluator"], verdict.get("level"))
    ]


def _label(number: int) -> str:
    return f"repeat {number}"
