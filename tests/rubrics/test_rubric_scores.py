"""What a rubric's scores add up to."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_answers import answer, dimensions

from pytest_agentevals.results import Outcome
from pytest_agentevals.rubrics.answer import RubricAnswer, read_answer
from pytest_agentevals.rubrics.definition import Definition
from pytest_agentevals.rubrics.scoring import DimensionScore, drivers, weighted_mean
from pytest_agentevals.rubrics.verdict import decide


def scored(*pairs):
    return [
        DimensionScore(id=chr(ord("a") + place), score=score, weight=float(weight), reason="Seen.")
        for place, (weight, score) in enumerate(pairs)
    ]


@pytest.mark.parametrize("outcome", ["pass", "fail"])
def test_published_outputs_are_reproduced_from_their_dimension_scores(sources, make, outcome):
    published = json.loads((sources / f"rubric-output-{outcome}.json").read_text())
    rubric = make({"dimensions": json.loads((sources / "rubric.json").read_text())})
    scores = published["properties"]["dimension_scores"]
    text = json.dumps({"dimensions": {one["id"]: {"score": one["score"], "reason": one["reason"]} for one in scores}})

    verdict = decide(read_answer(text, rubric), rubric)

    details = verdict.details
    assert verdict.score == published["score"]
    assert verdict.threshold == published["threshold"]
    assert details["label"] == verdict.outcome == published["label"] == outcome
    assert details["passed"] is published["passed"]
    assert details["properties"] == published["properties"]
    assert headline(verdict.reason) == headline(published["reason"])


def headline(reason):
    """Take a headline apart; the published ones leave open how they order dimensions that weigh nearly the same."""
    driven, names = re.match(r"The verdict is (driven .*?)((?:\S+ \(\d\)[.,]? ?(?:and )?)+)", reason).groups()
    return driven, sorted(re.findall(r"\w+ \(\d\)", names))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1, 5)], Fraction(1)),
        ([(1, 1)], Fraction(1, 5)),
        ([(9, 3), (6, 1), (5, 1), (4, 2), (2, 2), (5, 1)], Fraction(55, 155)),
        ([(9, 5), (6, 5), (5, 5), (4, 4), (2, 5), (5, 4)], Fraction(146, 155)),
        ([(10, 5), (1, None)], Fraction(1)),
        ([(3, 4), (10, None), (1, 2)], Fraction(14, 20)),
        ([(0.1, 5), (0.2, 2)], Fraction(3, 5)),
        ([(7, None), (2, None)], None),
    ],
)
def test_weighted_mean_counts_applicable_dimensions_only(pairs, expected):
    assert weighted_mean(scored(*pairs)) == expected


@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 5)), min_size=1))
def test_weighted_mean_lies_between_the_lowest_and_the_highest_score(pairs):
    scores = [score for _, score in pairs]

    assert Fraction(min(scores), 5) <= weighted_mean(scored(*pairs)) <= Fraction(max(scores), 5)


@given(
    st.lists(st.tuples(st.integers(1, 10), st.one_of(st.none(), st.integers(1, 5))), min_size=1), st.integers(1, 100)
)
def test_scaling_all_weights_changes_nothing(pairs, factor):
    assert weighted_mean(scored(*pairs)) == weighted_mean(
        scored(*((weight * factor, score) for weight, score in pairs))
    )


@given(st.integers(1, 10), st.integers(1, 5), st.integers(1, 30))
def test_equal_scores_reach_a_threshold_of_exactly_their_fifth(weight, score, count):
    rubric = Definition.model_validate_json(
        json.dumps({"dimensions": dimensions(**{f"d{n}": weight for n in range(count)}), "threshold": score / 5})
    )
    scores = tuple(DimensionScore(id=one.id, score=score, weight=weight, reason="Seen.") for one in rubric.dimensions)

    assert decide(RubricAnswer(scores), rubric).outcome is Outcome.PASS


def test_a_score_is_compared_before_it_is_rounded(judge_with):
    options = {"dimensions": dimensions(a=9, b=6, c=5, d=4, e=2, f=5), "threshold": 0.9419354839}
    scores = {"a": 5, "b": 5, "c": 5, "d": 4, "e": 5, "f": 4}

    verdict, _ = judge_with(options, answer(scores))

    assert verdict.score == 0.9419354839
    assert verdict.outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("pairs", "passed", "expected"),
    [
        ([(1, 5)], True, "The verdict is driven most by a (5)."),
        ([(1, 4), (2, 4)], True, "The verdict is driven most by b (4) and a (4)."),
        ([(1, 5), (1, 5), (1, 5), (1, 5)], True, "The verdict is driven most by a (5), b (5), and c (5)."),
        ([(1, 5), (9, 1), (2, 4), (3, 5)], True, "The verdict is driven most by d (5), b (1), and c (4)."),
        ([(1, 1), (9, 1), (2, 2), (3, 5)], False, "The verdict is driven by very low b (1), c (2), and a (1)."),
        ([(1, 3), (9, 1), (2, 2)], False, "The verdict is driven most by b (1), c (2), and a (3)."),
        ([(9, None), (1, 1)], False, "The verdict is driven by very low b (1)."),
    ],
)
def test_the_headline_names_the_three_dimensions_that_moved_the_score_most(pairs, passed, expected):
    assert drivers(scored(*pairs), passed=passed) == expected


def test_the_judges_summary_follows_the_headline(judge_with):
    verdict, _ = judge_with({"dimensions": dimensions(tone=1)}, answer({"tone": 5}, "All courteous."))

    assert verdict.reason == "The verdict is driven most by tone (5). All courteous."


def test_nothing_applicable_is_no_verdict(judge_with):
    verdict, _ = judge_with({"dimensions": dimensions(a=1, b=2)}, answer({"a": None, "b": None}))

    assert verdict.outcome is Outcome.NOT_APPLICABLE
    assert verdict.score is None
    assert verdict.details["label"] == "not_applicable"
    assert verdict.details["passed"] is None


def test_inapplicable_dimensions_are_listed_without_a_score(judge_with):
    verdict, _ = judge_with({"dimensions": dimensions(a=1, b=2)}, answer({"a": 4, "b": None}))

    assert verdict.score == 0.8
    assert verdict.details["properties"]["dimension_scores"][1] == {
        "id": "b",
        "score": None,
        "applicable": False,
        "weight": 2,
        "reason": "Evidence for b.",
    }


def test_min_score_fails_a_rubric_whose_mean_passes(judge_with):
    options = {"dimensions": [*dimensions(a=10), {**dimensions(policy=1)[0], "min_score": 3}]}

    verdict, _ = judge_with(options, answer({"a": 5, "policy": 2}))
    inapplicable, _ = judge_with(options, answer({"a": 5, "policy": None}))
    met, _ = judge_with(options, answer({"a": 5, "policy": 3}))

    assert verdict.outcome is Outcome.FAIL
    assert verdict.score > verdict.threshold
    assert verdict.reason.startswith("policy scored 2, below its min_score of 3. The verdict is driven")
    assert inapplicable.outcome is met.outcome is Outcome.PASS


def test_fail_on_score_1_is_off_unless_asked_for(judge_with):
    options = {"dimensions": dimensions(a=10, b=1)}

    lenient, _ = judge_with(options, answer({"a": 5, "b": 1}))
    strict, _ = judge_with({**options, "fail_on_score_1": True}, answer({"a": 5, "b": 1}))

    assert lenient.outcome is Outcome.PASS
    assert strict.outcome is Outcome.FAIL
    assert strict.reason.startswith("b scored 1, and the rubric has fail_on_score_1.")


@pytest.mark.parametrize(
    ("scores", "outcome", "score", "reason"),
    [
        ({"a": True, "b": True}, "pass", 1, "All 2 applicable dimensions are true."),
        ({"a": True, "b": None}, "pass", 1, "All 1 applicable dimensions are true."),
        ({"a": True, "b": False}, "fail", 0.5, "1 of 2 applicable dimensions are false: b."),
        ({"a": False, "b": False}, "fail", 0, "2 of 2 applicable dimensions are false: a and b."),
        ({"a": None, "b": None}, "not_applicable", None, "no dimension of the rubric applies"),
    ],
)
def test_boolean_scoring_passes_only_if_all_applicable_dimensions_are_true(judge_with, scores, outcome, score, reason):
    plain = [{"id": name, "description": "Is true."} for name in scores]

    verdict, _ = judge_with({"scoring": "boolean", "dimensions": plain}, answer(scores))

    assert verdict.outcome == outcome
    assert verdict.score == score
    assert verdict.threshold == 1
    assert verdict.reason == reason


def test_without_any_weight_all_dimensions_count_the_same(judge_with):
    plain = [{"id": name, "description": "Matters."} for name in "ab"]

    verdict, _ = judge_with({"dimensions": plain}, answer({"a": 5, "b": 2}))

    assert verdict.score == 0.7
