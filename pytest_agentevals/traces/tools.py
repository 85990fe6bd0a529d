"""The evidence of tool calls, as eval documents write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentevals.traces.messages import Call, Result

#: Plugin of a tool: neither conventions nor chat logs name one. It is the one that recorded runs of models get too.
PLUGIN = "functions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """A tool that was run. ``status`` is the HTTP status of the call, None where there was none or it is not known."""

    call: Call
    status: int | None = None
    result: Any = None

    def recorded(self) -> dict[str, Any]:
        """Return it as eval documents write it."""
        found = {**recorded(self.call), "response_status": self.status}
        return found if self.result is None else {**found, "result": self.result}


def evidence(calls: Sequence[Call], results: Sequence[Result], executions: Sequence[Execution] = ()) -> dict[str, Any]:
    """Return which tools were chosen and which were run.

    A tool was run where there is an execution of it or a result. Executions are None (not known) where there are calls
    without either, unless some tool's execution was traced: then the others' would be too.
    """
    chosen = [*calls, *(one.call for one in executions if not _among(one.call, calls))]
    returned = {result.id: result for result in results if result.id is not None}
    unnamed = [result for result in results if result.id is None]
    run = [one.recorded() for one in executions]
    complete = True
    for call in calls:
        if any(_same(call, one.call) for one in executions):
            continue
        if call.id in returned:
            result = returned[call.id]
        elif unnamed:
            result = unnamed.pop(0)
        else:
            complete = complete and bool(executions)
            continue
        run.append({**recorded(call), "response_status": None, "result": result.value})
    return {"selected_functions": [recorded(call) for call in chosen], "executions": run if complete else None}


def recorded(call: Call) -> dict[str, Any]:
    """Return a call as eval documents write it."""
    found: dict[str, Any] = {"plugin_name": PLUGIN, "function_name": call.name}
    if call.id is not None:
        found["tool_call_id"] = call.id
    if call.arguments is not None:
        found["arguments"] = call.arguments
    return found


def definitions(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return definitions of tools, each once; what is no object is none."""
    found: list[dict[str, Any]] = []
    for value in values:
        if isinstance(value, dict) and value not in found:
            found.append(value)
    return found


def _among(call: Call, calls: Iterable[Call]) -> bool:
    return any(_same(call, other) for other in calls)


def _same(call: Call, other: Call) -> bool:
    """Tell whether two records are of one call: by its id, or by the tool's name where one of them lacks it."""
    if call.id is not None and other.id is not None:
        return call.id == other.id
    return call.name == other.name
