"""A rubric written by a model, from what an agent is told to do and from what it did."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeRequest, UnusableAnswer
from pytest_agentevals.judge.answers import read_object
from pytest_agentevals.judge.live import judgment
from pytest_agentevals.judge.marking import EXPLANATION, marked_off
from pytest_agentevals.rubrics.prompt import closed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentevals.judge import ChatModel
    from pytest_agentevals.results import JudgeUsage

#: Changes with every change of the words below.
VERSION = "rubric-generation-1"
#: The dimension that every rubric ends with: it always applies.
RESIDUAL = "general_quality"
#: Weights of the one dimension that decides, and of all others, as Microsoft Foundry's generator gives them.
DECIDING, OTHERS = range(8, 11), range(1, 7)
TOKENS = 4000
#: Characters of all that the model reads.
LIMIT = 100_000

ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

SYSTEM = """\
You write a rubric: the criteria by which a judge will score single responses of an AI agent from 1 to 5.

{explanation}

From the material, find what decides whether a response of this agent is good: its task, its rules and limits, its \
tools, what its users need. Where conversations are shown, look for what goes wrong in them.

Write four to eight dimensions, each about one thing, so that no two of them score the same:
- "id": a short name in snake_case.
- "description": what the judge looks for, in one or two sentences. Name the rules, figures and steps of the material; \
a judge who sees the conversation alone has to be able to tell whether they were followed. Avoid words such as good, \
appropriate or relevant, which leave to the judge what is meant.
- "weight": how much it matters, see below.
- "rationale": one sentence for people on where in the material this comes from.

"most_important" is the one dimension that decides most; its weight is 8, 9 or 10. "others" are all other dimensions; \
their weights are 1 to 6. "general_quality" is for whatever else matters and is not covered by the others; its weight \
is 1 to 6, and it is scored for every response.
{earlier}
Answer with one JSON object and nothing else:
{form}"""

EARLIER = """
One part of the material is the rubric so far. Keep the id of every dimension that stays, also where you improve its \
description; leave out what no longer matters, and add what is missing.
"""

AGAIN = "This breaks the rules of the rubric: {problems}. Write the whole rubric again, with these problems solved."


@dataclass(frozen=True, slots=True)
class Generated:
    """The dimensions of a new rubric, as a rubric file has them, and what writing it took."""

    dimensions: tuple[dict[str, Any], ...]
    usage: JudgeUsage


async def generate(
    model: ChatModel, material: Sequence[tuple[str, str]], *, earlier: bool, timeout: float
) -> Generated:
    """Ask a model for a rubric.

    ``material`` is the title and text of each part that it reads; ``earlier`` says whether one of them is the rubric
    so far. An answer that breaks a rule is asked for once more, with the problems named. Raises `EvaluationError`
    where the model cannot be asked, or its second answer breaks a rule too.
    """
    request = question(material, earlier=earlier)
    first = await model.complete(request, timeout=timeout)
    try:
        return Generated(judgment(first, read_dimensions).answer, first.usage)
    except UnusableAnswer as unusable:
        said = {"role": "assistant", "content": first.content or first.refusal or ""}
        problems = {"role": "user", "content": AGAIN.format(problems=unusable)}
    second = await model.complete(replace(request, messages=(*request.messages, said, problems)), timeout=timeout)
    try:
        return Generated(judgment(second, read_dimensions).answer, first.usage + second.usage)
    except UnusableAnswer as unusable:
        raise EvaluationError(
            f"The judge wrote no usable rubric, asked twice: {unusable}",
            code="judgeOutputUnparseable",
            raw=second.content,
        ) from None


def question(material: Sequence[tuple[str, str]], *, earlier: bool) -> JudgeRequest:
    """Write the question, with the one form of answer that counts as its JSON Schema."""
    example = {"id": "...", "description": "...", "weight": 9, "rationale": "..."}
    other = {**example, "weight": 4}
    form = {"most_important": example, "others": [other], RESIDUAL: {name: other[name] for name in list(other)[1:]}}
    system = SYSTEM.format(
        explanation=EXPLANATION.format(task="read", work="task"),
        earlier=EARLIER if earlier else "",
        form=json.dumps(form),
    )
    return JudgeRequest(
        evaluator="rubric generate",
        prompt_version=VERSION,
        messages=({"role": "system", "content": system}, {"role": "user", "content": marked_off(material)}),
        parameters={
            "temperature": 0.0,
            "max_tokens": TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "rubric", "strict": True, "schema": answer_schema()},
            },
        },
    )


def answer_schema() -> dict[str, Any]:
    """Return the JSON Schema of the answer, whose form keeps the rules: one dimension decides, one always applies."""

    def dimension(weights: range, *, named: bool = True) -> dict[str, Any]:
        text = {"type": "string"}
        weight = {"type": "integer", "enum": list(weights)}
        return closed({**({"id": text} if named else {}), "description": text, "weight": weight, "rationale": text})

    return closed(
        {
            "most_important": dimension(DECIDING),
            "others": {"type": "array", "items": dimension(OTHERS)},
            RESIDUAL: dimension(OTHERS, named=False),
        }
    )


def read_dimensions(text: str) -> tuple[dict[str, Any], ...]:
    """Read an answer; raises `UnusableAnswer` with every rule that it breaks."""
    answer = read_object(text)
    others = answer.get("others")
    given = [
        ("most_important", answer.get("most_important")),
        *((f"others[{index}]", one) for index, one in enumerate(others if isinstance(others, list) else ())),
        (RESIDUAL, answer.get(RESIDUAL)),
    ]
    problems = [] if isinstance(others, list) and others else ['"others" is no list of dimensions']
    dimensions = []
    for place, one in given:
        if isinstance(one, dict):
            named = {**one, "id": RESIDUAL} if place == RESIDUAL else one
            wrong = list(_mistakes(named, place))
            problems += wrong
            if not wrong:
                dimensions.append(_dimension(named, always=place == RESIDUAL))
        else:
            problems.append(f'"{place}" is missing')
    problems += broken_rules(dimensions) if not problems else []
    if problems:
        raise UnusableAnswer("; ".join(problems))
    return tuple(dimensions)


def broken_rules(dimensions: Sequence[dict[str, Any]]) -> list[str]:
    """Return what is wrong with generated dimensions taken together, as phrases."""
    ids = [one["id"] for one in dimensions]
    deciding = [one["id"] for one in dimensions if one["weight"] in DECIDING]
    between = [one["id"] for one in dimensions if one["weight"] not in DECIDING and one["weight"] not in OTHERS]
    problems = [f"the id {name} is used more than once" for name in dict.fromkeys(ids) if ids.count(name) > 1]
    if len(deciding) != 1:
        problems.append(f"{len(deciding)} dimensions have a weight of 8 to 10; exactly one has to")
    if between:
        problems.append(f"the weights of {', '.join(between)} are neither 8 to 10 nor 1 to 6")
    if not any(one["id"] == RESIDUAL and one.get("always_applicable") for one in dimensions):
        problems.append(f"there is no {RESIDUAL} that always applies")
    return problems


def _mistakes(one: dict[str, Any], place: str) -> Iterable[str]:
    """Yield what is wrong with one dimension by itself."""
    for name in ("id", "description", "rationale"):
        if not isinstance(one.get(name), str) or not one[name].strip():
            yield f"{place} has no {name}"
    if isinstance(one.get("id"), str) and not ID.fullmatch(one["id"].strip()):
        yield f"the id {one['id'].strip()!r} is not in snake_case"
    if not isinstance(one.get("weight"), int) or isinstance(one["weight"], bool):
        yield f"{place} has no whole number as its weight"


def _dimension(one: dict[str, Any], *, always: bool) -> dict[str, Any]:
    """Return a dimension as a rubric file has it."""
    written = {"id": one["id"].strip(), "description": one["description"].strip(), "weight": one["weight"]}
    return {
        **written,
        **({"always_applicable": True} if always else {}),
        "rationale": one["rationale"].strip(),
    }
