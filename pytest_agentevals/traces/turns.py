"""From the messages of a conversation to prompts and answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_agentevals.traces.tools import evidence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.traces.messages import Call, Message, Result
    from pytest_agentevals.traces.notes import Notes

#: Between messages that follow each other on the same side.
BETWEEN = "\n\n"


@dataclass(slots=True)
class Turn:
    """A prompt, the answer, and the evidence of how the agent came to it. None: not known."""

    prompt: str
    response: str | None = None
    tool_calls: dict[str, Any] | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    retrievals: list[dict[str, Any]] | None = None
    usage: dict[str, int] | None = None
    latency_ms: float | None = None

    @property
    def said(self) -> tuple[str, str | None]:
        """Prompt and answer, by which turns are recognised."""
        return self.prompt, self.response


@dataclass(slots=True)
class Spoken:
    """A turn as the messages show it: the calls in their order, and what tools returned."""

    prompts: list[str]
    answers: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    answered: bool = False

    @property
    def prompt(self) -> str:
        """What the user said."""
        return BETWEEN.join(self.prompts)

    @property
    def turn(self) -> Turn:
        """The turn with the evidence that messages give."""
        return Turn(self.prompt, self.response, tool_calls=evidence(self.calls, self.results))

    @property
    def response(self) -> str | None:
        """What the agent said after its last tool call, empty where that is nothing; None where it did not answer."""
        return BETWEEN.join(self.answers) if self.answered else None


def spoken(messages: Iterable[Message], notes: Notes) -> list[Spoken]:
    """Group messages by the prompt that they belong to; those before the first prompt are counted in ``notes``."""
    turns: list[Spoken] = []
    for message in messages:
        if message.role == "system" or message.empty:
            continue
        if message.role == "user" and message.text:
            if turns and not turns[-1].answered:
                turns[-1].prompts.append(message.text)
            else:
                turns.append(Spoken([message.text]))
        elif not turns and message.role != "user":
            notes.count("messages before the first prompt of their conversation")
        if turns:
            _add(message, turns[-1])
    return turns


def _add(message: Message, turn: Spoken) -> None:
    turn.results.extend(message.results)
    if message.role != "assistant":
        return
    turn.answered = True
    if message.calls:
        # What was said before a call announces it; the answer comes after the last one.
        turn.answers.clear()
        turn.calls.extend(message.calls)
    elif message.text:
        turn.answers.append(message.text)
