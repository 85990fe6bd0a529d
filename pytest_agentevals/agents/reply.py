"""What a client may return, and how it becomes an `AgentResponse`. The only place that decides this.

===================  ===================================================================================================
returned             becomes
===================  ===================================================================================================
``str``              the text of the response; nothing is known of its evidence
`AgentResponse`      itself
a mapping            an `AgentResponse` of its fields; an unknown field is refused
===================  ===================================================================================================

``tool_calls`` may be the evidence as the eval-document format writes it (an object with ``selected_functions`` and
``executions``), a plain list of ``{"plugin_name", "function_name"}`` (with ``response_status`` where the tool was run),
or a list of calls as OpenAI's chat completions (``{"function": {"name", "arguments"}}``) and responses API
(``{"name", "arguments"}``) write them. Those name no plugin: it is then ``functions``, the namespace in which OpenAI's
models see them; whether the tool was run is not known from such a list. ``usage`` may count ``input_tokens`` and
``output_tokens``, as the responses API does.

Text is made valid Unicode (a lone surrogate becomes U+FFFD), because it is written to UTF-8 files. What JSON cannot
write (NaN, infinities, dates, objects) is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from math import isfinite
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_agentevals.errors import AgentError
from pytest_agentevals.responses import AgentResponse

#: Plugin name of tool calls that come without one.
FUNCTIONS = "functions"


def read_reply(value: object) -> AgentResponse:
    """Make an `AgentResponse` of what a client returned.

    Raises `AgentError` ``agentResponseUnparseable`` that names the type or the field that cannot be used.
    """
    if isinstance(value, str):
        return AgentResponse(text=valid_unicode(value))
    if isinstance(value, AgentResponse):
        value = value.model_dump()
    if not isinstance(value, Mapping):
        raise unusable(
            f"the agent client returned {described(value)}; allowed are str, AgentResponse and a dict of its fields"
        )
    try:
        fields = _json(value, "")
    except RecursionError:
        raise unusable("the agent client returned a dict that is nested too deeply or contains itself") from None
    if isinstance(fields.get("tool_calls"), list):
        fields["tool_calls"] = _tool_calls(fields["tool_calls"])
    if isinstance(fields.get("usage"), dict):
        fields["usage"] = _usage(fields["usage"])
    try:
        return AgentResponse.model_validate(fields)
    except ValidationError as error:
        raise unusable(_sentence(error)) from None


def unusable(message: str) -> AgentError:
    """Make the error of an answer that is no response."""
    return AgentError(message, code="agentResponseUnparseable")


def valid_unicode(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _json(value: object, place: str) -> Any:
    """Copy a value as plain JSON types; ``place`` is its path in the reply."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return valid_unicode(value)
        case float() if isfinite(value):
            return value
        case BaseModel():
            return _json(value.model_dump(), place)
        case Mapping():
            return {
                _key(key, place): _json(part, f"{place}.{key}" if place else str(key)) for key, part in value.items()
            }
        case list() | tuple():
            return [_json(part, f"{place}[{index}]") for index, part in enumerate(value)]
    raise unusable(f'"{place}" of the agent\'s response is {described(value)}, which JSON cannot write')


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        where = f'"{place}" of the agent\'s response' if place else "the agent's response"
        raise unusable(f"{where} has the key {described(key)}; keys are strings")
    return valid_unicode(key)


def _usage(usage: dict[str, Any]) -> dict[str, Any]:
    """Give the token counts of the responses API the names that the chat completions API has for them."""
    names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
    return {names.get(name, name): value for name, value in usage.items()}


def _tool_calls(calls: list[Any]) -> Any:
    """Bring a list of calls into the shape of the evidence; a plain list is read by the evidence itself."""
    if not any(isinstance(call, dict) and _is_openai(call) for call in calls):
        return calls
    named = [_named(call) if isinstance(call, dict) and _is_openai(call) else call for call in calls]
    return {"selected_functions": named, "executions": None}


def _is_openai(call: dict[str, Any]) -> bool:
    return "function_name" not in call and (isinstance(call.get("function"), dict) or "name" in call)


def _named(call: dict[str, Any]) -> dict[str, Any]:
    """Give an OpenAI call the names of the evidence; ``arguments`` are read where they are JSON."""
    function = call.get("function")
    source = function if isinstance(function, dict) else call
    arguments = source.get("arguments")
    if isinstance(arguments, str):
        with suppress(ValueError):  # a model can write arguments that are no JSON; the text is the evidence then
            arguments = json.loads(arguments, parse_constant=str)
    identifier = call.get("call_id") or call.get("tool_call_id") or call.get("id")
    plugin = call.get("plugin_name") or call.get("server_label") or FUNCTIONS
    return {
        "plugin_name": plugin,
        "function_name": source.get("name"),
        "arguments": arguments,
        **({"tool_call_id": identifier} if identifier else {}),
    }


def _sentence(error: ValidationError) -> str:
    """Say the first problem that pydantic found."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        found = f", but {', '.join(problem['input'])}" if problem["input"] else ""
        return f'the agent\'s response has no "{place}"{found}'
    if problem["type"] == "extra_forbidden":
        near = get_close_matches(place, AgentResponse.model_fields, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"allowed are {', '.join(AgentResponse.model_fields)}"
        return f'the agent\'s response has the unknown field "{place}"; {hint}'
    said = problem["msg"][:1].lower() + problem["msg"][1:]
    return f'"{place}" of the agent\'s response is {described(problem["input"])}; {said}'


def described(value: object) -> str:
    """Name a value and its type in at most one short phrase."""
    if value is None:
        return "None"
    if isinstance(value, str | int | float | bytes | list | dict):
        shown = repr(value)
        return f"{shown[:60]}… ({type(value).__name__})" if len(shown) > 61 else f"{shown} ({type(value).__name__})"
    return f"an object of type {type(value).__module__}.{type(value).__qualname__}"
