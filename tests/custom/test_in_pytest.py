"""Evaluators of the project in a run of pytest."""

from __future__ import annotations

import json

import pytest

CHECK = """
class Check:
    def __init__(self, **_): ...
    def __call__(self, *, response, **_):
        return {"score": len(response.split()), "reason": f"{len(response.split())} words"}
"""


@pytest.fixture
def run(pytester):
    """Run pytest over one document whose items have these evaluators."""

    def run(evaluators, *arguments):
        items = [{"prompt": "Where is the form?", "response": "On the portal."}]
        document = {"schemaVersion": "1.7.0", "default_evaluators": evaluators, "items": items}
        (pytester.path / "evals").mkdir()
        (pytester.path / "evals" / "hr.json").write_text(json.dumps(document))
        return pytester.runpytest("evals", "-p", "no:cacheprovider", *arguments)

    return run


@pytest.fixture
def word_count(pytester):
    """Put an evaluator beside the project's root."""
    folder = pytester.path / "custom-evaluators" / "word_count"
    folder.mkdir(parents=True)
    (folder / "word_count.py").write_text(CHECK)


@pytest.mark.usefixtures("word_count")
def test_the_verdict_of_a_custom_evaluator_is_a_subtest(run):
    result = run({"word_count": {"threshold": 5}})

    result.stdout.fnmatch_lines(["SUBFAILED[[]word_count[]] evals/hr.json::where-is-the-form - 3 < 5: 3 words"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.usefixtures("word_count")
def test_a_near_miss_of_a_custom_evaluators_name_is_a_mistake_of_the_document(run):
    result = run({"word_cuont": {}})

    result.stdout.fnmatch_lines(['*unknown evaluator "word_cuont"; did you mean "word_count"?'])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_an_unknown_evaluator_could_not_be_evaluated(run):
    result = run({"no_such_evaluator": {}})

    result.stdout.fnmatch_lines(
        ["*no_such_evaluator could not decide (evaluatorLoadError)", "*custom-evaluators/no_such_evaluator/*"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_what_is_odd_about_an_evaluator_is_a_warning(run):
    dimensions = [{"id": "tone", "description": "Is courteous.", "weight": 40}]

    result = run({"Rubric": {"dimensions": dimensions}}, "--collect-only", "-Wdefault")

    result.stdout.fnmatch_lines(["*AgentEvalsWarning: Rubric: weights should be whole numbers from 1 to 10*tone (40)*"])
    assert result.ret == pytest.ExitCode.OK
