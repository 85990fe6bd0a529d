"""Several answers of a judge, and several judges, made one verdict."""

from __future__ import annotations

import asyncio
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.engine.combining import Rule, majority, middle, of_answers, of_judges, of_repeats
from pytest_agentevals.engine.deciding import decide
from pytest_agentevals.engine.panel import Panel
from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import Outcome, Verdict
from pytest_agentevals.testing import scripted_judge

PASS, FAIL, ERROR, NOT_APPLICABLE = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_APPLICABLE
NAMES = ("strict", "mild", "small", "large", "odd")


def verdict(score, part=""):
    """A verdict on a 1 to 5 scale; None is an error, "-" is not applicable."""
    if score is None:
        return Verdict(outcome=ERROR, part=part, code="judgeTimeout", reason="no answer")
    if score == "-":
        return Verdict(outcome=NOT_APPLICABLE, part=part, reason="nothing to judge")
    outcome = PASS if score >= 3 else FAIL
    return Verdict(outcome=outcome, part=part, score=score, threshold=3, scale=(1, 5), reason=f"{part} says {score}.")


def verdicts(*scores):
    return [verdict(score, part) for score, part in zip(scores, NAMES, strict=False)]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([2, 4, 5], 4),
        ([2, 2, 5], 2),
        # Of an even number the lower of the two in the middle.
        ([2, 4], 2),
        ([1, 2, 4, 5], 2),
        # Errors are worse than any score; half of them make an error.
        ([None, 4, 5], 4),
        ([None, 2, 5], 2),
        ([None, 5], None),
        ([None, None, 5], None),
        ([None, None, 5, 5], None),
        ([None, 2, 4, 5], 2),
        # What does not apply has no place in the order.
        (["-", 4, 5], 4),
        (["-", 4], 4),
        (["-", "-", 5], "-"),
        (["-", None, 5], None),
    ],
)
def test_the_median_is_an_answer_that_was_given(scores, expected):
    found = middle(verdicts(*scores))

    assert found.outcome is verdict(expected).outcome
    assert found.score == (None if expected == "-" else expected)


@pytest.mark.parametrize(
    ("scores", "outcome", "score"),
    [
        ([2, 4, 5], PASS, 4),
        ([1, 2, 5], FAIL, 1),
        ([2, 5], FAIL, 2),
        ([2, 2, 4, 4], FAIL, 2),
        ([5, 5, None], PASS, 5),
        ([2, 2, None], FAIL, 2),
        # The judge that failed would have made the difference.
        ([2, 5, None], ERROR, None),
        ([5, None, None], ERROR, None),
        ([2, 2, None, None], ERROR, None),
        (["-", 4, 5], PASS, 4),
        (["-", "-", 5], NOT_APPLICABLE, None),
    ],
)
def test_the_majority_is_more_than_half(scores, outcome, score):
    found = majority(verdicts(*scores))

    assert (found.outcome, found.score) == (outcome, score)


def test_a_low_score_that_passes_is_better_than_a_high_one_that_fails():
    """A rubric may fail for one dimension whatever the others say."""
    failing = Verdict(outcome=FAIL, score=0.9, threshold=0.5)
    passing = Verdict(outcome=PASS, score=0.6, threshold=0.5)

    assert middle([passing, failing, passing]) is passing
    assert middle([failing, failing, passing]) is failing


def test_judges_that_disagree_are_told_with_their_reasons():
    summed = of_judges(verdicts(2, 4, 5), Rule.MEDIAN)

    assert summed.reason == "mild says 4."
    assert summed.notes == ("the judges disagree: 2 pass, 1 fail",)
    assert [part.reason for part in summed.parts] == ["strict says 2.", "mild says 4.", "small says 5."]
    assert summed.part == ""


def test_a_judge_that_failed_is_told():
    summed = of_judges(verdicts(4, None, 5), Rule.MAJORITY)

    assert summed.outcome is PASS
    assert summed.notes == ("mild gave no verdict: judgeTimeout: no answer",)


BRIEFLY = settings(max_examples=50, deadline=None)
SCORES = st.lists(st.sampled_from([1, 2, 3, 4, 5, None, "-"]), min_size=1, max_size=7)
WAYS = {
    "median": middle,
    "majority": majority,
    "answers": of_answers,
    "all repeats": lambda parts: of_repeats(parts, len(parts)),
    "two repeats": lambda parts: of_repeats(parts, 2),
}


def both_ways(*lists):
    """Sum up two lists of scores in every way."""
    for name, way in WAYS.items():
        yield name, *(way([verdict(score) for score in scores]) for scores in lists)


@BRIEFLY
@given(SCORES, st.data())
def test_a_fail_that_turns_into_a_pass_never_makes_a_fail(scores, data):
    better = [*scores]
    for position, score in enumerate(scores):
        if score in {1, 2} and data.draw(st.booleans()):
            better[position] = data.draw(st.sampled_from([3, 4, 5]))
    for way, before, after in both_ways(scores, better):
        assert before.outcome is not PASS or after.outcome is PASS, way


@BRIEFLY
@given(SCORES, st.data())
def test_an_error_never_makes_a_pass(scores, data):
    worse = [None if data.draw(st.booleans()) else score for score in scores]
    for way, before, after in both_ways(scores, worse):
        assert after.outcome is not PASS or before.outcome is PASS, way


@BRIEFLY
@given(SCORES.flatmap(lambda scores: st.tuples(st.just(scores), st.permutations(scores))))
def test_the_order_does_not_matter(orders):
    for way, one, other in both_ways(*orders):
        assert (one.outcome, one.score) == (other.outcome, other.score), way


# Whom an evaluator asks

EXCHANGE = Exchange(prompt="Where?", response=AgentResponse(text="In Warsaw."))


def judge(*scores):
    """Answers with the scores, one after the other, the last one again and again."""
    number = count()
    return scripted_judge(lambda _: {"explanation": "Because.", "score": scores[min(next(number), len(scores) - 1)]})


def decided(judges, *, options=None, rule=Rule.MEDIAN, folder):
    catalog = Catalog(Place(folder, folder), judges=judges)
    evaluator = catalog.make("Coherence", options or {})
    return asyncio.run(decide("Coherence", evaluator, EXCHANGE, Panel(judges, rule)))


def test_all_judges_decide_together(tmp_path):
    judges = {"strict": (judge(2),), "mild": (judge(4),), "small": (judge(5),)}

    found = decided(judges, folder=tmp_path)

    assert (found.evaluator, found.score) == ("Coherence", 4)
    assert [(part.part, part.score) for part in found.parts] == [("strict", 2), ("mild", 4), ("small", 5)]


def test_the_option_model_names_the_one_judge_that_is_asked(tmp_path):
    judges = {"strict": (judge(2),), "mild": (judge(4),)}

    found = decided(judges, options={"model": "strict"}, folder=tmp_path)

    assert (found.score, found.parts) == (2, ())


def test_by_the_rule_first_the_others_are_not_asked(tmp_path):
    judges = {"strict": (judge(2),), "mild": (judge(4),)}

    assert decided(judges, rule=Rule.FIRST, folder=tmp_path).score == 2
    assert judges["mild"][0].model.requests == []
    assert decided(judges, options={"model": "mild"}, rule=Rule.FIRST, folder=tmp_path).score == 4


def test_answers_of_each_judge_come_before_the_judges(tmp_path):
    strict, mild = judge(2, 4, 2), judge(5, 1, 4)

    found = decided({"strict": (strict,) * 3, "mild": (mild,) * 3}, folder=tmp_path)

    assert [(part.part, part.score, len(part.parts)) for part in found.parts] == [("strict", 2, 3), ("mild", 4, 3)]
    assert [leaf.part for leaf in found.leaves] == ["answer 1", "answer 2", "answer 3"] * 2
    assert found.score == 2
    assert sum("the judge disagrees with itself" in note for note in found.notes) == 1


def test_a_judge_that_cannot_be_asked_is_one_of_them(tmp_path):
    silent = scripted_judge({})

    found = decided({"silent": (silent,), "mild": (judge(4),), "small": (judge(5),)}, folder=tmp_path)

    assert found.score == 4
    assert found.notes[0].startswith("silent gave no verdict: evaluatorError:")


def test_a_panel_that_does_not_know_a_name_is_an_error(tmp_path):
    evaluator = Catalog(Place(tmp_path, tmp_path)).make("Coherence", {"model": "strict"})
    panel = Panel({"mild": (judge(4),), "small": (judge(4),)})

    found = asyncio.run(decide("Coherence", evaluator, EXCHANGE, panel))

    assert (found.outcome, found.code) == (ERROR, "evaluatorConfigurationError")
