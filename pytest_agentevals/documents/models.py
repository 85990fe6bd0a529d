"""The eval document as the format defines it, version 1.x.

Attributes have the names of the format, in snake case where it is not. Unknown keys of items, threads and turns are
refused, so that a typo cannot silently leave an evaluation out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from pytest_agentevals.responses import Citation, Open, RetrievalExecution, ToolCallEvidence, Usage

#: Evaluator name -> its options. Names and options are checked against the evaluators when a document is loaded.
EvaluatorMap: TypeAlias = dict[str, dict[str, Any]]
Mode: TypeAlias = Literal["extend", "replace"]
Status: TypeAlias = Literal["pass", "fail", "partial", "error"]
ToolName: TypeAlias = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]


class Part(BaseModel):
    """Base of the parts of a document: strict types, no unknown keys."""

    # Built when first used, or inside a model that is: a document needs few of them, and each build takes time.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Diagnostics(Open):
    """Evidence of how the agent came to its response. Absent or null: not known; an empty list: none, for certain."""

    retrieval_executions: tuple[RetrievalExecution, ...] | None = Field(
        default=None, description="What the retrieval system was asked and returned."
    )
    tool_calls: ToolCallEvidence | None = Field(default=None, description="Which tools the agent chose and ran.")
    tool_definitions: tuple[dict[str, Any], ...] | None = Field(
        default=None, description="The tools that the agent could choose from."
    )
    usage: Usage | None = Field(default=None, description="Tokens that the agent spent.")
    latency_ms: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Milliseconds that the agent took."
    )


class ErroredScore(Part):
    """The entry of an evaluator that could not decide: it has no score."""

    result: Literal["error"]
    error: str = Field(min_length=1, description="Why the evaluator could not decide.")
    code: str | None = Field(default=None, min_length=1, description="Category of the error.")


class DecidedScore(Open):
    """The entry of an evaluator that decided; further keys depend on the evaluator."""

    model_config = ConfigDict(strict=True)

    result: Literal["pass", "fail"] | None = Field(default=None, description="How the evaluator decided.")
    reason: str | None = Field(default=None, description="Why it decided so.")


def _score_kind(value: Any) -> str:
    result = value.get("result") if isinstance(value, dict) else getattr(value, "result", None)
    return "errored" if result == "error" else "decided"


Score: TypeAlias = Annotated[
    Annotated[DecidedScore, Tag("decided")] | Annotated[ErroredScore, Tag("errored")], Discriminator(_score_kind)
]


class ErrorObject(Part):
    """Why an item or turn has no response, or not all scores."""

    code: str = Field(min_length=1, description="Category of the error, for programs.")
    message: str = Field(min_length=1, description="What happened, for people.")


class ThreadSummary(Part):
    """How the turns of a thread ended."""

    turns_total: int = Field(ge=1)
    turns_passed: int = Field(ge=0)
    turns_failed: int = Field(ge=0)
    turns_partial: int = Field(ge=0)
    turns_errored: int = Field(ge=0)
    overall_status: Status


class Turn(Part):
    """One prompt of a thread, and what is expected of the answer."""

    prompt: str = Field(min_length=1, description="What the user says to the agent.")
    expected_response: str | None = Field(
        default=None, description="The ideal answer; for evaluators that compare with it."
    )
    context: str | None = Field(
        default=None, description="What the answer is to be grounded in. The agent never sees it."
    )
    evaluators: EvaluatorMap | None = Field(
        default=None, description="Evaluators for this prompt: names with their options."
    )
    evaluators_mode: Mode = Field(
        default="extend", description="Whether these evaluators run beside the default ones or instead of them."
    )
    allowed_tools: list[ToolName] | None = Field(
        default=None, description="Tools that the agent may use without asking, as namespace_toolname."
    )
    allowed_tools_mode: Mode = Field(
        default="extend", description="Whether these tools are allowed beside the default ones or instead of them."
    )
    response: str | None = Field(default=None, description="The recorded answer of the agent.")
    citations: list[Citation] | None = Field(default=None, description="Citations recorded beside the answer.")
    diagnostics: Diagnostics | None = Field(default=None, description="Evidence recorded with the answer.")
    scores: dict[str, Score] | None = Field(default=None, description="Results of an earlier run.")
    status: Status | None = Field(default=None, description="Status in an earlier run.")
    error: ErrorObject | None = Field(default=None, description="What failed in an earlier run.")
    tags: list[str] | None = Field(default=None, description="Words to select by, with -k and -m.")
    extensions: dict[str, Any] | None = Field(
        default=None, description='Whatever else belongs here. "id" and "tags" are used by pytest-agentevals.'
    )


class Item(Turn):
    """One prompt that stands alone."""


class Thread(Part):
    """A conversation of several turns."""

    name: str | None = Field(default=None, description="Name of the thread, used as its test id.")
    description: str | None = Field(default=None, description="What the thread tests.")
    turns: list[Turn] = Field(min_length=1, max_length=20, description="The prompts, in the order of the conversation.")
    conversation_id: str | None = Field(default=None, description="Identifier of the conversation.")
    summary: ThreadSummary | None = Field(default=None, description="Results of an earlier run.")
    tags: list[str] | None = Field(default=None, description="Words to select by, with -k and -m.")
    extensions: dict[str, Any] | None = Field(
        default=None, description='Whatever else belongs here. "id" and "tags" are used by pytest-agentevals.'
    )


class Metadata(BaseModel):
    """About the document; further keys are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True, defer_build=True)

    name: str | None = Field(default=None, description="Name of the dataset.")
    description: str | None = Field(default=None, description="What the dataset tests.")
    created_at: str | None = Field(default=None, alias="createdAt", description="When it was made (ISO 8601).")
    created_by: str | None = Field(default=None, alias="createdBy", description="Who or what made it.")
    evaluated_at: str | None = Field(default=None, alias="evaluatedAt", description="When it was run (ISO 8601).")
    tags: list[str] | None = Field(default=None, description="Words that all its items can be selected by.")
    agent_id: str | None = Field(default=None, alias="agentId", description="Identifier of the agent.")
    agent_name: str | None = Field(default=None, alias="agentName", description="Name of the agent.")
    cli_version: str | None = Field(default=None, alias="cliVersion", description="What wrote the results.")
    extensions: dict[str, Any] | None = Field(default=None, description="Whatever else belongs here.")


class Header(BaseModel):
    """Everything of a document but its items. Unknown top-level keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)

    schema_uri: str | None = Field(
        default=None, alias="$schema", description="A JSON Schema for editors. It is never downloaded."
    )
    schema_version: str = Field(
        alias="schemaVersion",
        pattern=r"^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}$",
        description='Version of the format, for example "1.6.0".',
    )
    metadata: Metadata | None = Field(default=None, description="About the document.")
    default_evaluators: EvaluatorMap | None = Field(
        default=None,
        description="Evaluators for every prompt, instead of Relevance and Coherence; {} for none.",
    )
    default_allowed_tools: list[ToolName] | None = Field(
        default=None, description="Tools that the agent may always use without asking."
    )


def item_kind(value: Any) -> Literal["item", "thread"]:
    """Tell an item from a thread: only threads have turns."""
    return "thread" if isinstance(value, Thread) or (isinstance(value, dict) and "turns" in value) else "item"


class EvalDocument(Header):
    """An eval document."""

    items: list[
        Annotated[Annotated[Item, Tag("item")] | Annotated[Thread, Tag("thread")], Discriminator(item_kind)]
    ] = Field(min_length=1, description="What is evaluated: single prompts, and threads of several turns.")
