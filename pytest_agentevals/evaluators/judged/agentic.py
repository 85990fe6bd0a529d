"""Did the agent do its job: intent resolution, task adherence, tool call accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.errors import EvaluationError, MissingInput
from pytest_agentevals.evaluators.judged.base import Likert, SdkJudged
from pytest_agentevals.evaluators.judged.conversation import message_list, transcript
from pytest_agentevals.evaluators.judged.tools import call_line, defined_names, tool_calls, tool_definitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.evaluators.base import Exchange


class IntentResolution(Likert):
    """Is the user's intent resolved."""

    result_key = "intentResolution"
    key = "intent_resolution"
    prompt = "_intent_resolution/intent_resolution.prompty"

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation as numbered turns, and the response."""
        return {"query": transcript(exchange), "response": exchange.response.text}


class TaskAdherence(SdkJudged):
    """Did the agent do what it was asked to, within its rules: 1, or 0 for a material failure. Has no threshold."""

    result_key = "taskAdherence"
    key = "task_adherence"
    prompt = "_task_adherence/task_adherence.prompty"
    scale = (0, 1)

    @property
    def cut(self) -> float:
        """1, the only passing score."""
        return 1

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation as numbered turns, and the response with the tool calls before it.

        The SDK leaves the template's ``tool_calls`` empty and writes the calls into the response.
        """
        lines, _ = _call_lines(exchange)
        response = "\n".join([*lines, exchange.response.text])
        return {"system_message": "", "query": transcript(exchange), "response": response, "tool_calls": ""}

    def remarks(self, exchange: Exchange) -> dict[str, str]:
        """Say where the judge did not see the tool calls, and why."""
        _, problem = _call_lines(exchange)
        return {"tool_calls_not_shown": problem} if problem else {}


class ToolCallAccuracy(Likert):
    """Are the tool calls the right ones with the right arguments."""

    result_key = "toolCallAccuracy"
    key = "tool_call_accuracy"
    prompt = "_tool_call_accuracy/tool_call_accuracy.prompty"

    def inapplicable(self, exchange: Exchange) -> str | None:
        """Like the SDK, judge no response without tool calls, and none whose calls are not all defined."""
        calls = tool_calls(exchange.response)
        if calls is None:
            raise MissingInput("the agent's response does not say which tools it called")
        if not calls:
            return "the agent called no tool"
        definitions = tool_definitions(exchange.response)
        if not definitions:
            raise MissingInput("the agent's response has no tool_definitions to judge its tool calls by")
        undefined = [call["name"] for call in calls if call["name"] not in defined_names(definitions)]
        return f"there is no tool definition of {', '.join(undefined)}" if undefined else None

    def inputs(self, exchange: Exchange) -> Mapping[str, object]:
        """Show the conversation as messages, the tool calls and the tool definitions."""
        return {
            "query": message_list(exchange),
            "tool_calls": tool_calls(exchange.response),
            "tool_definitions": tool_definitions(exchange.response),
        }


def _call_lines(exchange: Exchange) -> tuple[list[str], str | None]:
    """Return the tool calls as the judge reads them, or none and why they cannot be shown."""
    try:
        return [call_line(call) for call in tool_calls(exchange.response) or ()], None
    except EvaluationError as error:
        return [], str(error)
