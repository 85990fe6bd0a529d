"""Reading a judge's answer to a rubric: every dimension exactly once, or no answer at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.judge import UnusableAnswer
from pytest_agentevals.judge.answers import read_object
from pytest_agentevals.rubrics.scoring import DimensionScore

if TYPE_CHECKING:
    from pytest_agentevals.rubrics.definition import Definition, Dimension

#: As everywhere on scales from 1 to 5, ``"4"`` means 4; ``4.0`` equals it.
WORDS = {str(score): score for score in range(1, 6)}


@dataclass(frozen=True, slots=True)
class RubricAnswer:
    """A complete answer: one score per dimension in the order of the rubric, and the judge's summary or nothing."""

    scores: tuple[DimensionScore, ...]
    summary: str = ""


def read_answer(text: str, rubric: Definition) -> RubricAnswer:
    """Read ``{"dimensions": {id: {"reason": …, "score": …}, …}, "summary": …}``.

    Raises `UnusableAnswer`, naming the dimension, for whatever is missing, unknown, given twice or off the scale: a
    part of an answer may hide the dimension that failed.
    """
    answer = read_object(text)
    given = answer.get("dimensions")
    if not isinstance(given, dict):
        raise UnusableAnswer('the judge\'s answer has no object "dimensions"')
    ids = [dimension.id for dimension in rubric.dimensions]
    if missing := [name for name in ids if name not in given]:
        raise UnusableAnswer(f"the judge left out {', '.join(missing)}")
    if unknown := [name for name in given if name not in ids]:
        raise UnusableAnswer(f"the judge scored {', '.join(unknown)}, which the rubric does not have")
    summary = answer.get("summary")
    return RubricAnswer(
        tuple(read_score(given[dimension.id], dimension, boolean=rubric.boolean) for dimension in rubric.dimensions),
        summary.strip() if isinstance(summary, str) else "",
    )


def read_score(entry: Any, dimension: Dimension, *, boolean: bool) -> DimensionScore:
    """Read the score of one dimension; raises `UnusableAnswer` for what is none."""
    if not isinstance(entry, dict) or "score" not in entry:
        raise UnusableAnswer(f"the judge gave no score for {dimension.id}")
    score, reason = entry["score"], entry.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise UnusableAnswer(f"the judge gave no reason for {dimension.id}")
    if score is None and dimension.always_applicable:
        raise UnusableAnswer(f"the judge did not score {dimension.id}, which always applies")
    return DimensionScore(
        id=dimension.id,
        score=None if score is None else on_scale(score, dimension, boolean=boolean),
        weight=1 if dimension.weight is None else dimension.weight,
        reason=reason.strip(),
    )


def on_scale(score: Any, dimension: Dimension, *, boolean: bool) -> int | bool:
    """Return a score that is on the scale; raises `UnusableAnswer` for any other value."""
    # bool is a kind of int, but true is no score from 1 to 5, and 1 is neither true nor false.
    if boolean:
        if isinstance(score, bool):
            return score
    elif isinstance(score, str) and score in WORDS:
        return WORDS[score]
    elif isinstance(score, int | float) and not isinstance(score, bool) and score in WORDS.values():
        return int(score)
    allowed = "true and false" if boolean else "the whole numbers from 1 to 5"
    raise UnusableAnswer(f"the judge's score for {dimension.id} is {json.dumps(score)}; allowed are {allowed}")
