"""What an agent answers: text, and the evidence of how it came to it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Open(BaseModel):
    """Base of the evidence models: fields the format does not name are kept."""

    # Built when first used, or inside a model that is: most documents have no evidence, and each build takes time.
    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


class IssuedQuery(Open):
    """A query that the agent sent to a retrieval capability."""

    queryString: str | None = None  # noqa: N815 - names of the format
    filterExpression: str | None = None  # noqa: N815


class Extract(Open):
    """A piece of text of a retrieval hit."""

    text: str | None = None


class RetrievalHit(Open):
    """One result of a retrieval. ``rank`` counts from 1; a hit without one takes its position."""

    rank: int | None = None
    webUrl: str | None = None  # noqa: N815
    extracts: tuple[Extract, ...] = ()


class RetrievalExecution(Open):
    """One use of a retrieval capability: the queries sent and the hits that came back."""

    capability: str | None = None
    status: str | None = None
    totalResultCount: int | None = None  # noqa: N815
    queries: tuple[IssuedQuery, ...] = ()
    retrievalHits: tuple[RetrievalHit, ...] = ()  # noqa: N815


class SelectedFunction(Open):
    """A tool that the agent chose. A missing name marks an incomplete record."""

    plugin_name: str | None = None
    function_name: str | None = None


class ToolExecution(SelectedFunction):
    """A tool that the agent ran, with the HTTP status of the call where it is known."""

    response_status: int | None = None


class ToolCallEvidence(Open):
    """Which tools the agent chose and ran. None: not known; an empty list: none, for certain."""

    selected_functions: tuple[SelectedFunction, ...] | None = None
    executions: tuple[ToolExecution, ...] | None = None
    #: Why the evidence cannot be trusted; where it is set, nothing can be decided from the lists.
    evidence_error: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _calls_are_selected_and_executed(cls, value: Any) -> Any:
        """Accept a plain list of calls: each was chosen, and those with a ``response_status`` key were run."""
        if not isinstance(value, list | tuple):
            return value
        calls = [call.model_dump() if isinstance(call, BaseModel) else call for call in value]
        return {
            "selected_functions": calls,
            "executions": [call for call in calls if isinstance(call, dict) and "response_status" in call],
        }


class Citation(Open):
    """A citation that the agent gave beside its text."""

    index: int | None = Field(default=None, ge=1)
    text: str | None = None
    source: str | None = None


class Usage(Open):
    """Tokens that the agent spent on the answer."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class AgentResponse(BaseModel):
    """An agent's answer to one prompt.

    Only ``text`` is needed. The other fields are evidence for the evaluators that look at it; None means "not known",
    an empty list means "none, for certain". Unknown fields are refused, so that a typo cannot hide evidence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    text: str
    citations: tuple[Citation, ...] | None = None
    retrieval_executions: tuple[RetrievalExecution, ...] | None = None
    tool_calls: ToolCallEvidence | None = None
    tool_definitions: tuple[dict[str, Any], ...] | None = None
    usage: Usage | None = None
    #: Milliseconds the agent took; measured around the call where the agent does not say.
    latency_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)
