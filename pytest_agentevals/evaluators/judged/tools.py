"""Tool calls and tool definitions in the shape of azure-ai-evaluation, from whatever shape the agent has them in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError, MissingInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.responses import AgentResponse, SelectedFunction


def tool_calls(response: AgentResponse) -> list[dict[str, Any]] | None:
    """Return the agent's tool calls as ``{type, tool_call_id, name, arguments}``; None where they are not known.

    Understood are the shapes of Azure's agents (flat, or with a nested ``tool_call``), of OpenAI's chat completions
    and responses, and the plain ``function_name`` of eval documents with ``arguments`` beside it. Raises
    `EvaluationError` for calls without a name or with arguments that are no object.
    """
    evidence = response.tool_calls
    if evidence is None:
        return None
    if evidence.evidence_error:
        raise EvaluationError(evidence.evidence_error, code="toolCallEvidenceIndeterminate")
    calls = evidence.selected_functions if evidence.selected_functions is not None else evidence.executions
    return None if calls is None else [_call(call, position) for position, call in enumerate(calls, start=1)]


def tool_definitions(response: AgentResponse) -> list[dict[str, Any]]:
    """Return the definitions of the agent's tools as ``{name, description, parameters}``.

    OpenAI's chat completions nest these under ``function``.
    """
    flat = [
        {"type": "function", **_inside(definition, "function")} if "function" in definition else definition
        for definition in response.tool_definitions or ()
    ]
    # A function without parameters may leave them out at OpenAI; the SDK insists on them.
    return [
        definition if _collection(definition) else {**definition, "parameters": definition.get("parameters") or {}}
        for definition in flat
    ]


def defined_names(definitions: list[dict[str, Any]]) -> set[str]:
    """Return the names of the tools; an OpenAPI definition holds several functions."""
    return {
        function.get("name", "")
        for definition in definitions
        for function in (definition["functions"] if _collection(definition) else [definition])
        if isinstance(function, dict)
    }


def call_line(call: Mapping[str, Any]) -> str:
    """Write a call as the SDK shows it to judges: ``[TOOL_CALL] search(query="visa", top=3)``."""
    arguments = ", ".join(
        f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"
        for name, value in call["arguments"].items()
    )
    return f"[TOOL_CALL] {call['name']}({arguments})"


def _collection(definition: Mapping[str, Any]) -> bool:
    return definition.get("type") == "openapi" and isinstance(definition.get("functions"), list)


def _inside(outer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object that is nested under a name, or the outer one where there is none."""
    inner = outer.get(name)
    return inner if isinstance(inner, dict) else outer


def _call(call: SelectedFunction, position: int) -> dict[str, Any]:
    given = call.model_extra or {}
    nested = _inside(given, "tool_call")
    function = _inside(nested, "function")
    name = function.get("name") or call.function_name
    if not name:
        raise EvaluationError(f"tool call {position} of the agent has no name", code="toolCallEvidenceIndeterminate")
    if "arguments" not in function:
        raise MissingInput(f"the agent's call of {name} is recorded without its arguments, which the judge needs")
    identity = given.get("tool_call_id") or nested.get("call_id") or nested.get("id") or f"call_{position}"
    return {"type": "tool_call", "tool_call_id": identity, "name": name, "arguments": _arguments(name, function)}


def _arguments(name: str, function: Mapping[str, Any]) -> dict[str, Any]:
    arguments = function["arguments"]
    if isinstance(arguments, str):
        try:
            # Models write "" for a call without arguments.
            arguments = json.loads(arguments or "{}")
        except ValueError:
            raise EvaluationError(f"the arguments of the agent's call of {name} are no JSON: {arguments!r}") from None
    if not isinstance(arguments, dict):
        raise EvaluationError(f"the arguments of the agent's call of {name} are no JSON object: {arguments!r}")
    return arguments
