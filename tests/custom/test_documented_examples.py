"""The examples of docs/custom-evaluators.md and docs/rubrics.md work as they stand there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from scripted_answers import answer

from pytest_agentevals.testing import scripted_judge

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language=""):
    """Return the code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def documented(custom):
    """Write the two custom evaluators of the page."""
    code, judged, _ = blocks("custom-evaluators.md", "python")
    (prompty,) = [block for block in blocks("custom-evaluators.md") if block.startswith("---")]
    custom("forbidden_terms", code)
    custom("professional_tone", judged, prompty)
    return json.loads("{" + blocks("custom-evaluators.md", "json")[0] + "}")["evaluators"]


def test_the_documented_check_decides(documented, evaluate):
    options = documented["forbidden_terms"]

    assert evaluate("forbidden_terms", options).reason == "clean"
    assert evaluate("forbidden_terms", options, response="TODO").reason == "found todo"


def test_the_documented_wrapper_asks_the_judge(documented, evaluate):
    judge = scripted_judge({"Score the tone": {"score": 3, "reason": "Neutral."}})

    verdict = evaluate("professional_tone", documented["professional_tone"], judge=judge)

    assert (verdict.outcome, verdict.score, verdict.threshold, verdict.reason) == ("fail", 3, 4, "Neutral.")
    assert judge.model.requests[0]["messages"][1]["content"].startswith("# Prompt\nWhere is the form?")


def test_the_documented_rubric_is_one(evaluate):
    document = json.loads(blocks("rubrics.md", "json")[0])
    judge = scripted_judge({"": answer({"intent": 5, "policy": 2, "overall": 4})})

    verdict = evaluate("Rubric", document["default_evaluators"]["Rubric"], judge=judge)

    assert verdict.outcome == "fail"
    assert verdict.reason.startswith("policy scored 2, below its min_score of 3.")
