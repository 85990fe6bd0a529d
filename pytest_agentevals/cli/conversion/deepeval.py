"""Goldens and test cases of deepeval, as it saves them in JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_agentevals.cli.conversion.rows import joined, with_extensions
from pytest_agentevals.documents.upgrade import free_name
from pytest_agentevals.documents.versions import newest
from pytest_agentevals.documents.wording import shown
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.cli.conversion.notices import Notices

#: Under what the list stands, where it does not stand alone.
LISTS = ("goldens", "test_cases", "testCases", "conversational_goldens", "conversationalTestCases")
TEXTS = {"input": "prompt", "expected_output": "expected_response", "actual_output": "response"}
#: Retrieved texts come without the name of what retrieved them.
CAPABILITY = "retrieval"


def to_document(value: Any, notices: Notices) -> dict[str, Any]:
    """Make a document; raises `DocumentError` for an element that has nothing to ask."""
    top: dict[str, Any] = value if isinstance(value, dict) else {}
    items: list[dict[str, Any]] = []
    for key, elements in top.items() if top else [("", value)]:
        if isinstance(elements, list) and (key in LISTS or not top):
            items += [_item(element, f"{key}[{place}]", notices) for place, element in enumerate(elements)]
        elif elements is not None:
            notices.tell(f"{key} has no place in an eval document and is left out")
    return {"schemaVersion": newest(), "items": items}


def _item(element: Any, place: str, notices: Notices) -> dict[str, Any]:
    if not isinstance(element, dict):
        raise DocumentError(f"{place} has to be an object, not {shown(element)}")
    given = {_snake(key): value for key, value in element.items() if value is not None}
    turns = given.get("turns")
    if isinstance(turns, list) and turns:
        answered, unprompted = _turns(turns, f"{place}.turns", notices)
        item = {"turns": answered}
        if isinstance(given.get("name"), str):
            item["name"] = given.pop("name")
        others = {**given, "turns": unprompted} if unprompted else {k: v for k, v in given.items() if k != "turns"}
        return with_extensions(item, others, notices)
    if not isinstance(given.get("input"), str):
        scenario = ", only a scenario for a simulated user" if "scenario" in given else ""
        raise DocumentError(f'{place} has neither an "input" nor "turns"{scenario}: there is nothing to ask')
    return _part(given, TEXTS, notices)


def _turns(
    messages: Sequence[Any], place: str, notices: Notices
) -> tuple[list[dict[str, Any]], list[Mapping[str, Any]]]:
    """Make a turn of each message of the user, with the answer that follows it; return also the other messages.

    These are greetings, and what an agent says after it has answered.
    """
    turns: list[dict[str, Any]] = []
    unprompted: list[Mapping[str, Any]] = []
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("content"), str):
            raise DocumentError(f'{place}[{number}] has to be an object with "role" and "content"')
        given = {_snake(key): value for key, value in message.items() if value is not None and key != "role"}
        if message.get("role") == "user":
            turns.append(with_extensions({"prompt": given.pop("content")}, given, notices))
        elif turns and "response" not in turns[-1]:
            answer = _part(given, {"content": "response"}, notices)
            of_both = {**turns[-1].get("extensions", {})}
            for key, value in answer.get("extensions", {}).items():
                of_both[free_name(key, of_both)] = value
            turns[-1] |= {**answer, "extensions": of_both} if of_both else answer
        else:
            unprompted.append(message)
    if not turns:
        raise DocumentError(f"{place} has no message of the user: there is nothing to ask")
    return turns, unprompted


def _part(given: Mapping[str, Any], texts: Mapping[str, str], notices: Notices) -> dict[str, Any]:
    """Make an item or a turn of a golden, a test case or a message."""
    part: dict[str, Any] = {}
    others: dict[str, Any] = {}
    diagnostics: dict[str, Any] = {}
    for key, value in given.items():
        context = joined(value) if key == "context" else None
        if key in texts and isinstance(value, str):
            part[texts[key]] = value
        elif context is not None:
            part["context"] = context
            if len(value) > 1:
                others[key] = value
        elif key == "retrieval_context" and joined(value) is not None:
            diagnostics["retrieval_executions"] = [_retrieval(value)]
        elif key == "tools_called" and isinstance(value, list) and all(map(_is_call, value)):
            diagnostics["tool_calls"] = {"selected_functions": [_call(call) for call in value]}
        elif value not in ([], {}):
            others[key] = value
    if diagnostics:
        part["diagnostics"] = diagnostics
    return with_extensions(part, others, notices)


def _retrieval(texts: Sequence[str]) -> dict[str, Any]:
    hits = [{"rank": rank, "extracts": [{"text": text}]} for rank, text in enumerate(texts, 1)]
    return {"capability": CAPABILITY, "retrievalHits": hits}


def _is_call(call: Any) -> bool:
    return isinstance(call, dict) and isinstance(call.get("name"), str)


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    given = {_snake(key): value for key, value in call.items() if value is not None}
    return {"function_name": given.pop("name"), "arguments": given.pop("input_parameters", {}), **given}


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z])[A-Z]", lambda match: f"_{match[0].lower()}", key)
