"""What the evaluators of retrieval share: the executions of a capability, and what to say where there are none."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from pytest_agentevals.errors import MissingInput
from pytest_agentevals.evaluators.wording import listed, quoted

if TYPE_CHECKING:
    from pytest_agentevals.responses import AgentResponse, RetrievalExecution


def executions_of(response: AgentResponse, capability: str | None) -> list[RetrievalExecution]:
    """Return the executions of one capability, of all for None; names compare exactly.

    Raises `MissingInput` for a response that does not say what was retrieved. An empty list says it: nothing was.
    """
    if response.retrieval_executions is None:
        raise MissingInput('the response has no "retrieval_executions", so what the agent retrieved is not known')
    return [execution for execution in response.retrieval_executions if capability in {None, execution.capability}]


def not_executed(response: AgentResponse, capability: str | None) -> str:
    """Say that a capability was not executed, and which were; a name close to it comes alone."""
    if capability is None:
        return "the agent retrieved nothing"
    executed = dict.fromkeys(execution.capability or "" for execution in response.retrieval_executions or ())
    folded = {name.casefold(): name for name in executed}
    sentence = f"the agent did not execute the capability {quoted(capability)}"
    if close := get_close_matches(capability.casefold(), folded, n=1, cutoff=0.8):
        return f"{sentence}, but {quoted(folded[close[0]])}: names of capabilities compare exactly"
    return f"{sentence}, but {listed(executed)}" if executed else f"{sentence} nor any other"
