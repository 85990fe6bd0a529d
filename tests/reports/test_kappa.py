"""Agreement beyond chance, correlation and the best threshold: the arithmetic of calibrations."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from pytest_agentevals.reports.calibration.correlation import spearman
from pytest_agentevals.reports.calibration.kappa import kappa, linear, plain, quadratic
from pytest_agentevals.reports.calibration.threshold import best

DISTANCES = {None: plain, "linear": linear, "quadratic": quadratic}
BRIEFLY = settings(max_examples=60, deadline=None)

#: Pairs of judgments on a scale of two to five categories.
pairs = st.integers(2, 5).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), min_size=1, max_size=30),
    )
)


def table_of(size, found):
    return [[sum(pair == (one, other) for pair in found) for other in range(size)] for one in range(size)]


@BRIEFLY
@given(pairs, st.sampled_from(list(DISTANCES)))
def test_kappa_is_that_of_scikit_learn_and_undefined_only_where_both_say_one_thing(drawn, weights):
    size, found = drawn
    result = kappa(table_of(size, found), DISTANCES[weights])

    if len({category for pair in found for category in pair}) == 1:
        assert result is None
    else:
        one, other = zip(*found, strict=True)
        expected = cohen_kappa_score(one, other, labels=list(range(size)), weights=weights)
        assert result.value == pytest.approx(expected)


@BRIEFLY
@given(pairs, st.sampled_from(list(DISTANCES)))
def test_the_interval_holds_kappa_and_there_is_none_where_one_side_says_one_thing(drawn, weights):
    size, found = drawn
    result = kappa(table_of(size, found), DISTANCES[weights])
    assume(result is not None)

    constant = any(len(set(side)) == 1 for side in zip(*found, strict=True))
    assert (result.interval is None) is constant
    if result.interval is not None:
        assert -1 <= result.interval.low <= result.value <= result.interval.high <= 1


@BRIEFLY
@given(pairs, st.sampled_from(list(DISTANCES)))
def test_it_does_not_matter_who_is_called_first(drawn, weights):
    size, found = drawn
    swapped = [(other, one) for one, other in found]
    one, other = (kappa(table_of(size, each), DISTANCES[weights]) for each in (found, swapped))

    assert (one and one.value) == pytest.approx(other and other.value)
    assert (one and one.interval) == pytest.approx(other and other.interval)


GRADED = [[5, 2, 1, 0, 0], [1, 6, 2, 0, 0], [0, 3, 9, 2, 1], [0, 0, 2, 11, 4], [0, 0, 1, 3, 12]]


@pytest.mark.parametrize(
    ("table", "distance", "value", "low", "high"),
    [
        ([[20, 5], [10, 15]], plain, 0.4, 0.1510923, 0.6489077),
        ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], plain, 0.4841629, 0.2136613, 0.7546645),
        ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], linear, 0.4701195, 0.1844625, 0.7557766),
        (GRADED, plain, 0.5678453, 0.4208302, 0.7148603),
        (GRADED, linear, 0.7361585, 0.6341373, 0.8381796),
        (GRADED, quadratic, 0.8597676, 0.7879551, 0.9315800),
    ],
)
def test_intervals_are_those_of_another_library(table, distance, value, low, high):
    """As `statsmodels.stats.inter_rater.cohens_kappa` (0.14) computes them."""
    found = kappa(table, distance)

    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.interval == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("distance", DISTANCES.values())
def test_perfect_agreement_on_few_responses_is_not_certain(distance):
    few, many = (kappa([[count, 0, 0], [0, count, 0], [0, 0, count]], distance) for count in (3, 300))

    assert few.value == many.value == 1
    assert few.interval.low < 0.6
    assert 0.97 < many.interval.low < 1


def test_nothing_at_all_has_no_kappa():
    assert kappa([[0, 0], [0, 0]]) is None


values = st.lists(st.tuples(st.sampled_from([-1, 0, 0.5, 2]), st.integers(0, 6)), min_size=2, max_size=30)


@BRIEFLY
@given(values)
def test_the_correlation_is_that_of_scipy_with_ties_too(drawn):
    one, other = zip(*drawn, strict=True)
    found = spearman(one, other)

    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found.rho == pytest.approx(spearmanr(one, other).statistic)


def test_the_probability_of_a_correlation_is_that_of_shuffled_values():
    source = random.Random(5)
    one = [source.randint(0, 3) for _ in range(40)]
    other = [value + source.randint(0, 6) for value in one]
    found = spearman(one, other)

    shuffled = [spearman(source.sample(one, 40), other).rho for _ in range(2000)]
    share = sum(abs(rho) >= abs(found.rho) for rho in shuffled) / 2000
    assert found.p == pytest.approx(share, abs=0.02)


def agreeing(scores, good, threshold):
    return sum((score >= threshold) is fine for score, fine in zip(scores, good, strict=True))


def choose(values, scores, good, present):
    """Try all thresholds."""
    return max(values, key=lambda value: (agreeing(scores, good, value), -abs(value - (present or value)), -value))


scored = st.lists(st.tuples(st.sampled_from([1, 2, 3, 3.5, 4, 5]), st.booleans()), min_size=1, max_size=25)


@BRIEFLY
@given(scored, st.sampled_from([None, 1, 3, 4.5]))
def test_the_best_threshold_and_leaving_one_out_are_as_if_all_were_tried(drawn, present):
    scores, good = (list(side) for side in zip(*drawn, strict=True))
    passed = [score >= (present or 3) for score in scores]
    found = best(scores, good, passed, present)
    if len(set(scores)) == 1 or len(set(good)) == 1:
        assert found is None
        return
    candidates = sorted({*scores, *([present] if present else [])})
    held_out = 0
    for place in range(len(scores)):
        others = [side[:place] + side[place + 1 :] for side in (scores, good)]
        held_out += (scores[place] >= choose(candidates, *others, present)) is good[place]

    assert found.value == choose(candidates, scores, good, present)
    assert found.agreed == agreeing(scores, good, found.value)
    assert found.held_out == held_out
    assert found.agreed_now == sum(one is other for one, other in zip(passed, good, strict=True))
    assert found.interval.low <= held_out / len(scores) <= found.interval.high


def test_where_the_present_threshold_is_right_leaving_one_out_takes_back_what_chance_added():
    source = random.Random(1)
    found = []
    for _ in range(50):
        scores = [source.random() for _ in range(30)]
        good = [(score >= 0.5) is (source.random() < 0.8) for score in scores]
        found.append(best(scores, good, [score >= 0.5 for score in scores], 0.5))

    assert sum(each.agreed > each.agreed_now for each in found) > 10
    assert sum(each.held_out - each.agreed_now for each in found) < 0
    assert not any(each.held_out > each.agreed_now and each.p < 0.05 for each in found)


def test_a_threshold_that_is_better_is_told_from_noise():
    scores, good = [1, 2, 3] * 10 + [4, 5] * 10, [False] * 30 + [True] * 20
    found = best(scores, good, [score >= 3 for score in scores], 3)

    assert (found.value, found.agreed, found.held_out, found.agreed_now) == (4, 50, 50, 40)
    assert found.p < 0.01
