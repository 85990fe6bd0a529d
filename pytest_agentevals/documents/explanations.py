"""Validation errors as sentences: what was found, what is allowed, and the nearest known name for a typo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.suggestions import nearest
from pytest_agentevals.documents.wording import quoted, shown

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
_LIMITS = {
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
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
        if _contains(value, part):
            value = value[part]
            path.append(part)
        elif isinstance(value, dict) and depth == len(location) - 1:
            path.append(part)
    return tuple(path)


def _contains(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def explain(error: ErrorDetails, known: Callable[[], Collection[str]]) -> str:
    """Say in one sentence what is wrong; ``known`` gives the keys that are allowed where an unknown one was found."""
    kind, context = error["type"], error.get("ctx", {})
    key = str(error["loc"][-1]) if error["loc"] else ""
    if kind == "missing":
        return f"{quoted(key)} is missing"
    if kind == "extra_forbidden":
        return unknown_key(key, known())
    if kind in {"value_error", "assertion_error"}:
        return str(context.get("error", error["msg"]))
    return f"{_allowed(kind, context) or _lowered(error['msg'])}, not {shown(error['input'])}"


def _allowed(kind: str, context: Mapping[str, Any]) -> str | None:
    """Say what is allowed, for the kinds of errors that are known."""
    if context.get("min_length") == 1:
        return "must not be empty"
    if kind in _LIMITS:
        return _LIMITS[kind].format(**context).replace("'", '"')
    return _TYPES.get(kind)


def unknown_key(key: str, known: Collection[str]) -> str:
    """Say that a key is not known, and which one was probably meant or which there are."""
    meant = nearest(key, known)
    if meant:
        return f"unknown key {quoted(key)}; did you mean {quoted(meant)}?"
    return f"unknown key {quoted(key)}" + (f"; known are {', '.join(sorted(known))}" if known else "")


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
