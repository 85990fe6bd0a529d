"""From the scores of the dimensions to the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.results import Outcome, Verdict
from pytest_agentevals.rubrics.scoring import drivers, exact, share_of_true, untrue, weighted_mean
from pytest_agentevals.rubrics.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.results import JudgeUsage
    from pytest_agentevals.rubrics.answer import RubricAnswer
    from pytest_agentevals.rubrics.definition import Definition

#: Decimals of a score in results documents.
DECIMALS = 10


def decide(answer: RubricAnswer, rubric: Definition, *, usage: JudgeUsage | None = None) -> Verdict:
    """Add up the scores and compare with the threshold, exactly: a mean of 3 is 0.6 and passes at 0.6."""
    score = share_of_true(answer.scores) if rubric.boolean else weighted_mean(answer.scores)
    details = {
        "properties": {"dimension_scores": [one.as_json() for one in answer.scores]},
        "rubric": {
            "name": rubric.name,
            "version": rubric.version,
            "category": rubric.category,
            "content_hash": rubric.content_hash,
        },
    }
    notes = (*table(answer.scores, weighted=not rubric.boolean), *rubric.warnings)
    if score is None:
        return Verdict(
            outcome=Outcome.NOT_APPLICABLE,
            threshold=rubric.cut,
            reason=answer.summary or "no dimension of the rubric applies",
            details={"label": "not_applicable", "passed": None, **details},
            notes=notes,
            usage=usage,
        )
    reached = score >= exact(rubric.cut)
    broken = list(minimums_missed(answer, rubric))
    passed = reached and not broken
    headline = untrue(answer.scores) if rubric.boolean else drivers(answer.scores, passed=passed)
    # Where the score reaches the threshold and the verdict is a fail all the same, that comes first.
    sentences = [*(broken if reached else ()), headline, answer.summary]
    return Verdict(
        outcome=Outcome.PASS if passed else Outcome.FAIL,
        score=float(round(score, DECIMALS)),
        threshold=rubric.cut,
        reason=" ".join(sentence for sentence in sentences if sentence),
        details={"label": "pass" if passed else "fail", "passed": passed, **details},
        notes=notes,
        usage=usage,
    )


def minimums_missed(answer: RubricAnswer, rubric: Definition) -> Iterator[str]:
    """Say of each applicable dimension that fails the rubric on its own why it does."""
    for one, dimension in zip(answer.scores, rubric.dimensions, strict=True):
        if one.score is None:
            continue
        if dimension.min_score is not None and one.score < dimension.min_score:
            yield f"{one.id} scored {one.score}, below its min_score of {dimension.min_score}."
        elif rubric.fail_on_score_1 and one.score == 1:
            yield f"{one.id} scored 1, and the rubric has fail_on_score_1."
