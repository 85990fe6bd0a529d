from __future__ import annotations

import pytest
from evaluators.exchanges import judge
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.errors import MissingInput
from pytest_agentevals.evaluators.words import words
from pytest_agentevals.results import Outcome

MARIE = "According to wikipedia, Marie Curie was not born in Paris but in Warsaw."
CURIE = "Marie Curie was born in Warsaw."


@pytest.mark.parametrize(
    ("response", "expected", "options", "match"),
    [
        pytest.param("4", "4", {}, True, id="equal"),
        pytest.param("  4\n", "\t4 ", {}, True, id="white-space-around-is-trimmed"),
        pytest.param("4 5", "4  5", {}, False, id="white-space-inside-counts"),
        pytest.param("It is 4.", "4", {}, False, id="containing-is-not-equal"),
        pytest.param("Yes", "yes", {}, False, id="case-counts-by-default"),
        pytest.param("Yes", "yes", {"case_sensitive": True}, False, id="case-sensitive"),
        pytest.param("Yes", "yes", {"case_sensitive": False}, True, id="case-insensitive"),
        pytest.param("STRASSE", "straße", {"case_sensitive": False}, True, id="case-folding"),
        pytest.param("", "4", {}, False, id="empty-response-is-a-response"),
        pytest.param("", " ", {}, True, id="both-empty"),
    ],
)
def test_exact_match_compares_trimmed_texts(response, expected, options, match):
    verdict = judge("ExactMatch", options, response, expected=expected)
    assert verdict.score is match
    assert verdict.details == {"match": match}
    assert verdict.outcome is (Outcome.PASS if match else Outcome.FAIL)
    assert verdict.threshold is None


@pytest.mark.parametrize(
    ("response", "expected", "options", "said"),
    [
        ("Yes", "yes", {}, "only in upper and lower case"),
        ("in Paris", "in Warsaw", {}, 'at character 4: "Paris" instead of "Warsaw"'),
        ("IN Paris", "in Warsaw", {"case_sensitive": False}, 'at character 4: "Paris" instead of "Warsaw"'),
        ("4", "4.", {}, 'at character 2: its end instead of "."'),
        ("4.", "4", {}, 'at character 2: "." instead of its end'),
        ("a\x1b[31m", "a", {}, r"\u001b[31m"),
    ],
)
def test_exact_match_says_where_the_texts_differ(response, expected, options, said):
    assert said in judge("ExactMatch", options, response, expected=expected).reason


@settings(deadline=None)
@given(st.text(), st.text(" \t\n"), st.text(" \t\n"))
def test_exact_match_accepts_every_text_itself_whatever_white_space_is_around_it(text, before, after):
    assert judge("ExactMatch", {}, before + text + after, expected=text).score is True


@pytest.mark.parametrize(
    ("response", "expected", "options", "score", "outcome"),
    [
        pytest.param(MARIE, CURIE, {}, 0.631578947368421, "pass", id="published-example-6-of-13-and-6-of-6"),
        pytest.param(MARIE, CURIE, {"threshold": 0.631578947368421}, 12 / 19, "pass", id="threshold-met-exactly"),
        pytest.param(MARIE, CURIE, {"threshold": 0.7}, 12 / 19, "fail", id="threshold-missed"),
        pytest.param("The cat", "cat", {}, 1.0, "pass", id="articles-do-not-count"),
        pytest.param("It's 5,000!", "its 5000", {}, 1.0, "pass", id="punctuation-does-not-count"),
        pytest.param("red red blue", "red blue blue", {}, 2 / 3, "pass", id="words-count-as-often-as-both-have-them"),
        pytest.param("a b c", "b", {}, 2 / 3, "pass", id="the-article-a-leaves-two-words"),
        pytest.param("x", "y", {}, 0.0, "fail", id="nothing-shared"),
        pytest.param("", "Warsaw", {}, 0.0, "fail", id="empty-response-is-a-response"),
        pytest.param("Warsaw", "", {}, 0.0, "fail", id="nothing-expected-but-something-said"),
        pytest.param(" ", "", {}, 1.0, "pass", id="both-empty"),
        pytest.param("A", "A", {}, 1.0, "pass", id="an-article-alone-is-a-word"),
        pytest.param("+", "-", {}, 0.0, "fail", id="punctuation-alone-is-a-word"),
        pytest.param("WARSAW", "Warsaw", {}, 1.0, "pass", id="case-does-not-count-by-default"),
        pytest.param("WARSAW", "Warsaw", {"case_sensitive": True}, 0.0, "fail", id="case-sensitive"),
        pytest.param("The Cat", "the Cat", {"case_sensitive": True}, 1.0, "pass", id="articles-in-any-case"),
        pytest.param("Ela é de Varsóvia.", "Varsóvia", {}, 2 / 5, "fail", id="accents-stay-in-words"),
        pytest.param("x", "y", {"threshold": 0}, 0.0, "pass", id="threshold-0-accepts-everything"),
    ],
)
def test_partial_match_is_the_f1_of_the_words(response, expected, options, score, outcome):
    verdict = judge("PartialMatch", options, response, expected=expected)
    assert verdict.score == score
    assert verdict.outcome == outcome


def test_partial_match_lists_the_words_that_only_one_text_has():
    verdict = judge("PartialMatch", {}, "Paris, France", expected="Paris, Texas, Texas")
    assert verdict.notes == ('not in the response: "texas", "texas"', 'not expected: "france"')
    assert verdict.reason == "the response has 1 of 3 expected words among its 2 words"
    assert verdict.details == {"precision": 1 / 2, "recall": 1 / 3}


TEXTS = st.lists(st.sampled_from(["the", "Cat", "cat", "dog.", "é", "+", "a"])).map(" ".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_partial_match_does_not_care_which_text_is_the_response(one, other):
    assert judge("PartialMatch", {}, one, expected=other).score == judge("PartialMatch", {}, other, expected=one).score


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_partial_match_is_perfect_exactly_for_the_same_words_in_any_order(one, other):
    score = judge("PartialMatch", {}, one, expected=other).score
    assert 0 <= score <= 1
    if words(one) or words(other):
        assert (score == 1) == (sorted(words(one)) == sorted(words(other)))


@pytest.mark.parametrize("name", ["ExactMatch", "PartialMatch"])
def test_without_expected_response_nothing_is_decided(name):
    with pytest.raises(MissingInput, match="expected_response"):
        judge(name, {}, "Warsaw")
