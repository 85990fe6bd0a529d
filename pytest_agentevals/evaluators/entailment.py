"""The question whether retrieved extracts support a claim: one prompt of our own, and the reading of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.judge import JudgeRequest, UnusableAnswer
from pytest_agentevals.judge.answers import read_object
from pytest_agentevals.judge.marking import EXPLANATION, marked_off

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Changes with every change of the words below, so that recorded answers to older words are not taken for newer ones.
VERSION = "entailment-1"

SYSTEM = f"""\
You decide whether a claim is supported by extracts that a search brought back. It is supported if the extracts, one \
or several together, say the same or make it certain, in whatever words. It is not supported if they contradict it, \
say only a part of it, or leave it open. What you know from elsewhere does not count.

{EXPLANATION.format(task="examined", work="task")}

Answer with one JSON object and nothing else:
{{"reason": "...", "supported": true or false}}
"reason" is one sentence that names the evidence, or says what is missing."""

PARAMETERS = {
    "temperature": 0.0,
    "max_tokens": 400,
    "response_format": {
        "type": "json_schema",
        "json_schema": {
            "name": "entailment",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"reason": {"type": "string"}, "supported": {"type": "boolean"}},
                "required": ["reason", "supported"],
                "additionalProperties": False,
            },
        },
    },
}


@dataclass(frozen=True, slots=True)
class Entailment:
    """Whether a claim is supported, and why."""

    supported: bool
    reason: str


def question(evaluator: str, claim: str, extracts: Sequence[tuple[str, str]]) -> JudgeRequest:
    """Ask about one claim; ``extracts`` are title and text of each."""
    material = [("the claim", claim), *extracts]
    return JudgeRequest(
        evaluator=evaluator,
        prompt_version=VERSION,
        messages=({"role": "system", "content": SYSTEM}, {"role": "user", "content": marked_off(material)}),
        parameters=PARAMETERS,
    )


def read_entailment(text: str) -> Entailment:
    """Read ``{"reason": …, "supported": …}``; raises `UnusableAnswer` for anything else."""
    answer: dict[str, Any] = read_object(text)
    supported, reason = answer.get("supported"), answer.get("reason")
    if not isinstance(supported, bool):
        raise UnusableAnswer('the judge\'s answer has no "supported" that is true or false')
    if not isinstance(reason, str) or not reason.strip():
        raise UnusableAnswer("the judge gave no reason")
    return Entailment(supported, reason.strip())
