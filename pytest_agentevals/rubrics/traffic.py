"""Recorded conversations as text, for whoever writes a rubric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pytest_agentevals.documents.models import EvalDocument, Thread
from pytest_agentevals.documents.positions import parse
from pytest_agentevals.documents.reading import read
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_agentevals.documents.models import Turn
    from pytest_agentevals.traces.conversations import Conversation


def of_traces(conversations: Sequence[Conversation]) -> list[str]:
    """Write imported conversations, each as one text."""
    return [
        "\n".join(
            line
            for turn in conversation.turns
            for line in _lines(turn.prompt, turn.response, (turn.tool_calls or {}).get("selected_functions"))
        )
        for conversation in conversations
    ]


def of_document(path: Path) -> list[str]:
    """Write the items of an eval document or results document that have a response, each as one text.

    Raises `DocumentError` for a file that is none.
    """
    items = document(path).items
    threads = (item.turns if isinstance(item, Thread) else [item] for item in items)
    return [
        "\n".join(line for turn in turns for line in _turn(turn))
        for turns in threads
        if any(turn.response is not None for turn in turns)
    ]


def document(path: Path) -> EvalDocument:
    """Read an eval document without its evaluators; raises `DocumentError` for a file that is none."""
    parsed = parse(read(path))
    try:
        return EvalDocument.model_validate(parsed.value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "".join(f"/{part}" for part in first["loc"])
        raise DocumentError(f"{relative(path)}: no eval document: {place}: {first['msg']}") from None


def _turn(turn: Turn) -> Iterator[str]:
    calls = turn.diagnostics.tool_calls if turn.diagnostics else None
    chosen = None if calls is None or calls.selected_functions is None else calls.selected_functions
    yield from _lines(turn.prompt, turn.response, [one.model_dump() for one in chosen or ()])
    if turn.expected_response is not None:
        yield f"expected: {turn.expected_response}"
    for name, score in (turn.scores or {}).items():
        if score.result == "fail":
            yield f"judged a failure by {name}: {getattr(score, 'reason', None) or 'no reason given'}"


def _lines(prompt: str, response: str | None, calls: Sequence[dict[str, Any]] | None) -> Iterator[str]:
    yield f"user: {prompt}"
    for call in calls or ():
        arguments = json.dumps(call.get("arguments"), ensure_ascii=False)
        yield f"agent calls the tool {call.get('function_name')} with {arguments}"
    if response is not None:
        yield f"agent: {response}"
