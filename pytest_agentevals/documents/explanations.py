"""Validation errors as sentences: what was found, what is allowed, and the nearest known name for a typo."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pydantic_core import ErrorDetails

    from pytest_agentevals.documents.positions import Path

_TYPES = {
    "string_type": "must be a string",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "none_required": "must be null",
}


def resolve(value: Any, location: Sequence[str | int]) -> Path:
    """Turn the location of a validation error into the path of the value in the document.

    Parts that are no key or index of the document (pydantic names the branch of a union) are left out, and options that
    stand one level deeper, under ``options``, are found there. A missing key, always the last part, is kept.
    """
    path: list[str | int] = []
    for depth, part in enumerate(location):
        inner = value.get("options") if isinstance(value, dict) and part not in value else None
        if isinstance(inner, dict) and part in inner:
            path.append("options")
            value = inner
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif not (isinstance(value, dict) and depth == len(location) - 1):
            continue
        path.append(part)
    return tuple(path)


def explain(error: ErrorDetails, known: Callable[[], Collection[str]]) -> str:
    """Say in one sentence what is wrong; ``known`` gives the keys that are allowed where an unknown one was found."""
    kind, context = error["type"], error.get("ctx", {})
    key = str(error["loc"][-1]) if error["loc"] else ""
    if kind == "missing":
        return f"{quoted(key)} is missing"
    if kind == "extra_forbidden":
        return unknown_key(key, known())
    found = f", not {shown(error['input'])}"
    if kind in _TYPES:
        return _TYPES[kind] + found
    if kind in {"value_error", "assertion_error"}:
        return str(context.get("error", error["msg"]))
    return _limit(kind, context) + found if _limit(kind, context) else f"{_lowered(error['msg'])}{found}"


def unknown_key(key: str, known: Collection[str]) -> str:
    """Say that a key is not known, and which one was probably meant or which there are."""
    meant = nearest(key, known)
    if meant:
        return f"unknown key {quoted(key)}; did you mean {quoted(meant)}?"
    return f"unknown key {quoted(key)}" + (f"; known are {', '.join(sorted(known))}" if known else "")


def _limit(kind: str, context: Mapping[str, Any]) -> str | None:
    """Say which limit a value of the right type goes beyond."""
    if kind in {"literal_error", "enum"}:
        return f"must be {str(context['expected']).replace(chr(39), chr(34))}"
    if kind == "string_pattern_mismatch" and context["pattern"] == r"\S":
        return "must not be blank"
    if kind == "string_pattern_mismatch":
        return f"must match {context['pattern']}"
    if kind == "string_too_short" and context["min_length"] == 1:
        return "must not be empty"
    if kind == "too_short":
        return f"must have {context['min_length']} or more entries"
    if kind == "too_long":
        return f"must have {context['max_length']} entries or fewer"
    for name, words in (("ge", "at least"), ("le", "at most"), ("gt", "more than"), ("lt", "less than")):
        if name in context:
            return f"must be {words} {context[name]}"
    return None


def quoted(text: str) -> str:
    """Quote a name, with control characters escaped and the middle of a long one left out."""
    return json.dumps(text if len(text) <= 60 else f"{text[:40]}…{text[-15:]}", ensure_ascii=not text.isprintable())


def shown(value: Any) -> str:
    """Show a value that was found, shortened to one line."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "an object" if value else "{}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "[]"
    return json.dumps(value)


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:].replace("Input should", "should")


def keys_at(schema: Mapping[str, Any], location: Sequence[str | int]) -> set[str]:
    """Return the property names that a JSON Schema allows at a location, of every branch that leads there."""
    branches = [schema]
    for part in location:
        branches = [inner for branch in _expanded(schema, branches) for inner in _inside(branch, part)]
    return {name for branch in _expanded(schema, branches) for name in branch.get("properties", {})}


def _expanded(schema: Mapping[str, Any], branches: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Follow references and alternatives until there are none."""
    expanded = []
    waiting = list(branches)
    while waiting:
        branch = waiting.pop()
        if "$ref" in branch:
            waiting.append(schema["$defs"][branch["$ref"].rpartition("/")[2]])
        for key in ("anyOf", "oneOf", "allOf"):
            waiting.extend(branch.get(key, ()))
        expanded.append(branch)
    return expanded


def _inside(branch: Mapping[str, Any], part: str | int) -> list[Mapping[str, Any]]:
    inner = branch.get("items") if isinstance(part, int) else branch.get("properties", {}).get(part)
    if inner is None and isinstance(part, str):
        inner = branch.get("additionalProperties")
    return [inner] if isinstance(inner, dict) else []
