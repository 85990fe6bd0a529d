"""Items and threads of a results document."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.results import EXTENSION
from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.reports.document.options import public
from pytest_agentevals.reports.document.repeats import is_repeats, repeated
from pytest_agentevals.reports.document.turns import found
from pytest_agentevals.results import ItemResult, TurnError, TurnResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.reports.run import EvaluatedItem

#: Keys that the schema allows in an item or a turn, and in a thread, of those that datasets fill in.
_TURN = ("prompt", "expected_response", "context")
_THREAD = ("name", "description", "conversation_id")

SKIPPED = TurnError(code="turnSkipped", message="Turn not attempted: preceding turn failed")


def written(item: EvaluatedItem) -> dict[str, Any]:
    """Write one item or thread."""
    result = item.result
    repeats = result.repeats if result is not None else []
    asked = item.content.get("turns", [item.content])
    turns = result.turns if result is not None else _unfinished(item, asked)
    # An item of a document that cannot be read any more has no options.
    options = item.evaluators or ({},) * len(asked)
    parts = []
    for place, (content, chosen, turn) in enumerate(zip(asked, options, turns, strict=True)):
        part, ours = _question(content, chosen, turn)
        answer, more = found(turn, partial(is_repeats, repeats=repeats, place=place))
        parts.append(({**part, **answer}, {**ours, **more}))
    ours = _told(item, result)
    if "turns" not in item.content:
        part, more = parts[0]
        return _extended(part, item.content, {**ours, **more})
    thread: dict[str, Any] = {key: item.content[key] for key in _THREAD if key in item.content}
    thread["turns"] = [_extended(part, content, more) for content, (part, more) in zip(asked, parts, strict=True)]
    if summary := _summary(turns):
        thread["summary"] = summary
    return _extended(thread, item.content, {**ours, **_fields(item.content, (*_THREAD, "turns"))})


def _unfinished(item: EvaluatedItem, asked: Sequence[Mapping[str, Any]]) -> list[TurnResult]:
    """Return what it means for the turns that their evaluation did not end."""
    turns = [TurnResult(prompt=content["prompt"]) for content in asked]
    trouble = next((each for each in item.run.troubles if each.kind is not Kind.SKIPPED), None)
    if trouble is not None:
        for turn in turns:
            turn.error = SKIPPED
        turns[0].error = TurnError(code=trouble.type, message=trouble.message)
    return turns


def _told(item: EvaluatedItem, result: ItemResult | None) -> dict[str, Any]:
    """Write what there is to say of the item as a whole."""
    run = item.run
    ours: dict[str, Any] = {"id": item.id, "document": item.document, "line": run.line, "seconds": run.seconds}
    if run.nodeid != f"{item.document}::{item.id}":
        ours["nodeid"] = run.nodeid
    if item.tags:
        ours["tags"] = list(item.tags)
    for name in ("of", "xfail", "worker", "tolerated"):
        if value := getattr(run, name):
            ours[name] = value
    if run.troubles:
        ours["troubles"] = [asdict(trouble) for trouble in run.troubles]
    if result is None:
        ours["evaluated"] = False
    elif result.repeats:
        ours["repeats"] = repeated(result)
    return ours


def _question(
    content: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]], turn: TurnResult
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write a prompt and its evaluators, and what the schema has no room for."""
    part = {key: content[key] for key in _TURN if key in content}
    if turn.expected_response is not None:
        part["expected_response"] = turn.expected_response
    expressed = {name: public(name, given) for name, given in options.items()}
    part["evaluators"] = {name: given for name, given in expressed.items() if given is not None}
    part["evaluators_mode"] = "replace"
    ours = _fields(content, _TURN)
    if None in expressed.values():
        ours["options"] = {name: None if given is not None else options[name] for name, given in expressed.items()}
    if moved := [name for name, given in part["evaluators"].items() if given is not options[name]]:
        ours["moved"] = moved
    if turn.evaluators != tuple(options):
        ours["evaluators"] = list(turn.evaluators)
    return part, ours


def _fields(content: Mapping[str, Any], public: tuple[str, ...]) -> dict[str, Any]:
    """Return what the schema forbids, as the dataset has it."""
    fields = {key: value for key, value in content.items() if key not in {*public, "extensions"}}
    return {"fields": fields} if fields else {}


def _summary(turns: Sequence[TurnResult]) -> dict[str, Any] | None:
    """Count the turns of a thread that have a status; None where none has."""
    counts = Counter(turn.status for turn in turns if turn.status is not None)
    if not counts:
        return None
    return {
        "turns_total": counts.total(),
        "turns_passed": counts["pass"],
        "turns_failed": counts["fail"],
        "turns_partial": counts["partial"],
        "turns_errored": counts["error"],
        "overall_status": ItemResult(turns=list(turns)).status,
    }


def _extended(part: dict[str, Any], content: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    extensions = {**content.get("extensions", {}), **({EXTENSION: ours} if ours else {})}
    return {**part, "extensions": extensions} if extensions else part
