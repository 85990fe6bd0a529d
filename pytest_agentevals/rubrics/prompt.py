"""The question that a rubric asks its judge: one prompt of our own, with what is graded marked off as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_agentevals.judge.marking import EXPLANATION, marked_off

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.rubrics.definition import Definition, Dimension

#: Changes with every change of the words below, so that recorded answers to older words are not taken for newer ones.
VERSION = "rubric-1"

TURN = "Grade the agent's response, the last part of the material; earlier messages are there to understand it."
CONVERSATION = "Grade how the agent handled the conversation as a whole: all of its messages, not only the last one."

LIKERT = """\
Score each dimension with a whole number:
5 - fully meets the description
4 - meets it with minor flaws
3 - meets it in part
2 - mostly misses it
1 - fails it"""

BOOLEAN = """\
Answer each dimension with true (the description is met) or false (it is not)."""

SYSTEM = """\
You are a strict and fair grader of AI agents. {task}

{scale}

The score is null where a dimension does not apply to this material, for example a dimension about tool calls where \
no tool was needed. Dimensions marked "always" may not be null. Judge every dimension on its own, from the evidence \
in the material alone; what is not there did not happen.

{about}Dimensions, as a JSON list:
{dimensions}

{explanation}

Answer with one JSON object and nothing else:
{form}
"dimensions" has exactly one entry per dimension id above: first the reason, one or two sentences that name the \
evidence, then the score. "summary" is one sentence that says what decided."""


def messages(
    rubric: Definition, material: Sequence[tuple[str, str]], *, conversation: bool = False
) -> tuple[Mapping[str, str], ...]:
    """Write the chat messages that ask for all dimensions at once.

    ``material`` is the title and text of each part of what is graded, the response last; ``conversation`` says whether
    it is graded with the messages before it, as a whole.

    The first message is the same for all responses, which servers that cache prompts make use of.
    """
    example = {"reason": "...", "score": "true, false or null" if rubric.boolean else "1 to 5 or null"}
    system = SYSTEM.format(
        task=CONVERSATION if conversation else TURN,
        scale=BOOLEAN if rubric.boolean else LIKERT,
        about=f"What this rubric is about: {rubric.description}\n\n" if rubric.description else "",
        dimensions=json.dumps([described(dimension) for dimension in rubric.dimensions], ensure_ascii=False, indent=1),
        explanation=EXPLANATION.format(task="graded", work="grading task"),
        form=json.dumps({"dimensions": {rubric.dimensions[0].id: example}, "summary": "..."}, ensure_ascii=False),
    )
    return {"role": "system", "content": system}, {"role": "user", "content": marked_off(material)}


def described(dimension: Dimension) -> dict[str, Any]:
    """Return what the judge is told of a dimension; weights are none of its business."""
    entry = {"id": dimension.id, "description": dimension.description}
    return {**entry, "applies": "always"} if dimension.always_applicable else entry


def answer_schema(rubric: Definition) -> dict[str, Any]:
    """Return the JSON Schema of the answer: one required key per dimension id, so that none can be left out."""
    values: list[Any] = [True, False] if rubric.boolean else [1, 2, 3, 4, 5]
    kind = "boolean" if rubric.boolean else "integer"

    def scored(dimension: Dimension) -> dict[str, Any]:
        score = (
            {"type": kind, "enum": values}
            if dimension.always_applicable
            else {"type": [kind, "null"], "enum": [*values, None]}
        )
        return closed({"reason": {"type": "string"}, "score": score})

    return closed(
        {
            "dimensions": closed({dimension.id: scored(dimension) for dimension in rubric.dimensions}),
            "summary": {"type": "string"},
        }
    )


def closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has exactly these keys, as strict structured output demands."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
