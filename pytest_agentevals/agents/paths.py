"""Where an answer in JSON of any shape has the text and the evidence."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from pytest_agentevals.agents.reply import described, unusable

_LISTS = ("citations", "retrieval_executions", "tool_calls", "tool_definitions")


class Paths(BaseModel):
    """JSONPath queries (RFC 9535) for the fields of an `AgentResponse`; without any, the answer is read as it is.

    A list is best found by the path of the list itself, because ``[*]`` finds nothing both in an empty list (none, for
    certain) and where there is no list (not known).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    text: str | None = None
    citations: str | None = None
    retrieval_executions: str | None = None
    tool_calls: str | None = None
    tool_definitions: str | None = None
    usage: str | None = None

    @field_validator("*")
    @classmethod
    def _is_a_query(cls, path: str | None) -> str | None:
        from jsonpath import JSONPathError, compile  # noqa: A004 - the package's name for it

        if path is not None:
            try:
                compile(path)
            except JSONPathError as error:
                raise ValueError(f"{path!r} is no JSONPath: {error.args[0]}") from None
        return path

    @model_validator(mode="after")
    def _text_is_needed(self) -> Paths:
        if self.text is None and self.model_fields_set:
            raise ValueError('the path of the "text" is missing')
        return self

    def read(self, answers: list[Any]) -> Any:
        """Return what `read_reply` reads: of one answer, or of the events of a stream in order.

        The pieces of the text are joined, lists are put together, and of the usage the last one counts. Raises
        `AgentError` ``agentResponseUnparseable`` where there is no text.
        """
        if self.text is None:
            return _as_it_is(answers)
        pieces = _find(self.text, answers)
        if not pieces:
            last = described(answers[-1]) if answers else "a stream without events"
            raise unusable(f"nothing stands at {self.text} in the agent's answer, which is {last}")
        for piece in pieces:
            if not isinstance(piece, str | None):
                raise unusable(f"{self.text} in the agent's answer is {described(piece)}; it has to be text")
        fields: dict[str, Any] = {"text": "".join(piece for piece in pieces if piece is not None)}
        for name in _LISTS:
            if found := [each for each in _find(getattr(self, name), answers) if each is not None]:
                fields[name] = _put_together(found)
        if usage := _find(self.usage, answers):
            fields["usage"] = usage[-1]
        return fields


def _find(path: str | None, answers: list[Any]) -> list[Any]:
    from jsonpath import compile  # noqa: A004 - as above

    if path is None:
        return []
    query = compile(path)
    return [each for answer in answers for each in query.findall(answer)]


def _put_together(found: list[Any]) -> Any:
    """Make one list of what was found, be it lists or their elements; an evidence object stays what it is."""
    if len(found) == 1 and isinstance(found[0], dict) and found[0].keys() & {"selected_functions", "executions"}:
        return found[0]
    return [each for part in found for each in (part if isinstance(part, list) else [part])]


def _as_it_is(answers: list[Any]) -> Any:
    if not answers:
        raise unusable("the agent's answer is a stream without events")
    if all(isinstance(answer, str) for answer in answers):
        return "".join(answers)
    if len(answers) > 1:
        raise unusable(
            f'the agent\'s answer is a stream of {len(answers)} events; set "response.text" to the JSONPath of the text'
        )
    return answers[0]
