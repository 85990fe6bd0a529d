"""Whether the agent chose and ran the tools it had to.

Evidence may be incomplete: an entry without a name, an execution without a status. What is known decides wherever the
rest could not change it; where it could, the verdict is an error with the code ``toolCallEvidenceIndeterminate``.
Names compare exactly; order and arguments are not looked at.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple, NoReturn

from pydantic import Field

from pytest_agentevals.errors import EvaluationError, MissingInput
from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.options import Part, Text
from pytest_agentevals.evaluators.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentevals.responses import AgentResponse, SelectedFunction, ToolCallEvidence, ToolExecution
    from pytest_agentevals.results import Verdict

_INDETERMINATE = "toolCallEvidenceIndeterminate"


class Identity(NamedTuple):
    """Which tool: its plugin's name and its own; None where the record lacks it."""

    plugin_name: str | None
    function_name: str | None

    def __str__(self) -> str:
        return f"{self.plugin_name or '?'}.{self.function_name or '?'}"

    @property
    def complete(self) -> bool:
        """Whether both names are known."""
        return None not in self

    def may_be(self, other: Identity) -> bool:
        """Tell whether the names known of both agree."""
        return all(mine is None or mine == theirs for mine, theirs in zip(self, other, strict=True))


class Tool(Part):
    """The identity of a tool."""

    plugin_name: Text = Field(description="Name of the plugin, exactly as it is recorded.")
    function_name: Text = Field(description="Name of the plugin's function, exactly as it is recorded.")


class ExpectedCall(Part):
    """A call that the agent must make."""

    id: str | None = Field(default=None, description="A label for messages.")
    tool: Tool = Field(description="The tool to call.")

    @property
    def identity(self) -> Identity:
        """Which tool."""
        return Identity(self.tool.plugin_name, self.tool.function_name)


Calls = Annotated[tuple[ExpectedCall, ...], Field(min_length=1)]


class ToolCallSelection(Evaluator):
    """Whether the agent chose the expected tools, however often. Score 1.0 or 0.0."""

    result_key: ClassVar[str] = "toolCallSelection"

    calls: Calls = Field(description="The tools that must be chosen; repeated ones count once.")
    allow_additional_calls: bool = Field(default=True, description="Whether other tools may be chosen too.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Compare the chosen tools with the expected ones.

        Raises `EvaluationError` with code ``toolCallEvidenceIndeterminate`` where the evidence does not decide.
        """
        selected = _evidence(exchange.response).selected_functions
        if selected is None:
            raise MissingInput("the evidence does not say which tools were selected", code=_INDETERMINATE)
        entries = [_identity(entry) for entry in selected]
        found = [entry for entry in dict.fromkeys(entries) if entry.complete]
        unnamed = [entry for entry in entries if not entry.complete]
        expected = list(dict.fromkeys(call.identity for call in self.calls))
        missing = [tool for tool in expected if tool not in found]
        others = [tool for tool in found if tool not in expected]
        others += [entry for entry in unnamed if not any(entry.may_be(tool) for tool in expected)]
        additional = [] if self.allow_additional_calls else others
        if (
            not additional
            and _coverable(missing, unnamed)
            and (missing or (unnamed and not self.allow_additional_calls))
        ):
            _undecided("selected", missing or expected, unnamed)
        return _verdict("selected", self.calls, found=found, missing=missing, additional=additional)


class ToolCallExecution(Evaluator):
    """Whether the expected tools ran with success: an HTTP status from 200 to 299. Score 1.0 or 0.0."""

    result_key: ClassVar[str] = "toolCallExecution"

    calls: Calls = Field(description="The tools that must run; one repeated must run as often, each time with success.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Find a successful execution of its own for each expected call.

        Raises `EvaluationError` with code ``toolCallEvidenceIndeterminate`` where the evidence does not decide.
        """
        executions = _evidence(exchange.response).executions
        if executions is None:
            raise MissingInput("the evidence does not say which tools were executed", code=_INDETERMINATE)
        possible = [execution for execution in executions if _succeeded(execution) is not False]
        found = [_identity(execution) for execution in possible if _known(execution)]
        unclear = [_identity(execution) for execution in possible if not _known(execution)]
        missing = list((Counter(call.identity for call in self.calls) - Counter(found)).elements())
        if missing and _coverable(missing, unclear):
            _undecided("executed", missing, unclear)
        failed = [execution for execution in executions if _succeeded(execution) is False]
        notes = tuple(f"failed: {_identity(execution)} with status {execution.response_status}" for execution in failed)
        return _verdict("executed with success", self.calls, found=found, missing=missing, notes=notes)


def _evidence(response: AgentResponse) -> ToolCallEvidence:
    if response.tool_calls is None:
        raise MissingInput('the response has no "tool_calls", so the tools used are not known', code=_INDETERMINATE)
    if response.tool_calls.evidence_error:
        raise EvaluationError(
            f"the tool calls are not known: {response.tool_calls.evidence_error}", code=_INDETERMINATE
        )
    return response.tool_calls


def _identity(entry: SelectedFunction) -> Identity:
    return Identity(entry.plugin_name, entry.function_name)


def _succeeded(execution: ToolExecution) -> bool | None:
    """Tell whether an execution succeeded; None where its status is not known."""
    return None if execution.response_status is None else 200 <= execution.response_status <= 299


def _known(execution: ToolExecution) -> bool:
    return _identity(execution).complete and execution.response_status is not None


def _coverable(calls: Sequence[Identity], entries: Sequence[Identity]) -> bool:
    """Tell whether incomplete entries, each standing for one call, could be all of the calls.

    Bipartite matching by augmenting paths: an entry already taken moves to another call that it may be.
    """
    taken: dict[int, int] = {}

    def place(call: int, tried: set[int]) -> bool:
        for number, entry in enumerate(entries):
            if number in tried or not entry.may_be(calls[call]):
                continue
            tried.add(number)
            if number not in taken or place(taken[number], tried):
                taken[number] = call
                return True
        return False

    return all(place(call, set()) for call in range(len(calls)))


def _undecided(done: str, calls: Sequence[Identity], entries: Sequence[Identity]) -> NoReturn:
    raise EvaluationError(
        f"whether {_names(calls)} was {done} cannot be decided: the record is incomplete ({_names(entries)})",
        code=_INDETERMINATE,
    )


def _verdict(
    done: str,
    calls: Iterable[ExpectedCall],
    *,
    found: Sequence[Identity],
    missing: Sequence[Identity],
    additional: Sequence[Identity] = (),
    notes: tuple[str, ...] = (),
) -> Verdict:
    labels = {call.identity: f" ({quoted(call.id)})" for call in calls if call.id}
    failures = []
    if missing:
        failures.append(f"not {done}: {', '.join(str(tool) + labels.get(tool, '') for tool in missing)}")
    if additional:
        failures.append(f"{done} beside what was expected: {_names(additional)}")
    return decide(
        0.0 if failures else 1.0,
        reason="; ".join(failures) or f"all expected tools were {done}",
        notes=(f"{done}: {_names(found) or 'none'}", *notes),
        expected_calls=[call.identity._asdict() for call in calls],
        found_calls=[tool._asdict() for tool in found],
        missing_calls=[tool._asdict() for tool in missing],
        additional_calls=[tool._asdict() for tool in additional],
    )


def _names(tools: Iterable[Identity]) -> str:
    return ", ".join(map(str, tools))
