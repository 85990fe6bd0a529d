from __future__ import annotations

import time

import pytest
from evaluators.exchanges import judge, make
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.errors import EvaluationError, MissingInput
from pytest_agentevals.evaluators import patterns


@pytest.mark.parametrize(
    ("text", "options", "outcome"),
    [
        pytest.param("red blue", {"all": ["red", "blue"]}, "pass", id="all"),
        pytest.param("red", {"all": ["red", "blue"]}, "fail", id="one-of-all-missing"),
        pytest.param("red", {"all": "red"}, "pass", id="one-text-for-a-list"),
        pytest.param("Red", {"all": ["red"]}, "fail", id="case-counts-by-default"),
        pytest.param("Red", {"all": ["red"], "case_sensitive": False}, "pass", id="case-insensitive"),
        pytest.param("blue", {"any": ["red", "blue"]}, "pass", id="any"),
        pytest.param("green", {"any": ["red", "blue"]}, "fail", id="none-of-any"),
        pytest.param("green", {"none": ["red"]}, "pass", id="none"),
        pytest.param("infrared", {"none": ["red"]}, "fail", id="forbidden-inside-a-word"),
        pytest.param("red", {"all": ["red"], "any": ["x", "e"], "none": ["blue"]}, "pass", id="all-three-met"),
        pytest.param("red", {"all": ["red"], "any": ["x", "e"], "none": ["r"]}, "fail", id="one-of-three-broken"),
        pytest.param("a\n\nb", {"none": ["\n\n"]}, "fail", id="white-space-is-a-text"),
        pytest.param("", {"none": ["red"]}, "pass", id="empty-response-lacks-everything"),
        pytest.param("", {"all": ["red"]}, "fail", id="empty-response-has-nothing"),
    ],
)
def test_contains(text, options, outcome):
    verdict = judge("Contains", options, text)
    assert verdict.outcome == outcome
    assert (verdict.score, verdict.threshold) == (float(outcome == "pass"), 1.0)


def test_contains_says_everything_that_is_wrong():
    verdict = judge("Contains", {"all": ["a", "b"], "any": ["c"], "none": ["d", "e"]}, "a d")
    assert verdict.reason == (
        'the response lacks "b"; the response has none of "c"; the response has "d", which it must not'
    )
    assert verdict.details == {"all_missing": ["b"], "any_found": [], "none_found": ["d"]}


@pytest.mark.parametrize(
    ("text", "options", "outcome"),
    [
        pytest.param("within 30 days", {"pattern": r"\b\d+ days?\b"}, "pass", id="found-anywhere"),
        pytest.param("within a month", {"pattern": r"\d"}, "fail", id="not-found"),
        pytest.param("within 30 days", {"pattern": r"\d", "matches": False}, "fail", id="must-not-match"),
        pytest.param("within a month", {"pattern": r"\d", "matches": False}, "pass", id="does-not-match"),
        pytest.param("YES", {"pattern": "yes"}, "fail", id="case-counts-by-default"),
        pytest.param("YES", {"pattern": "yes", "case_sensitive": False}, "pass", id="case-insensitive"),
        pytest.param("YES yes", {"pattern": "(yes ?)+$", "case_sensitive": False}, "pass", id="risky-case-insensitive"),
        pytest.param("yes no", {"pattern": "^(yes ?)+$"}, "fail", id="risky-not-found"),
        pytest.param("a\nb", {"pattern": "^b$"}, "fail", id="one-line-by-default"),
        pytest.param("a\nb", {"pattern": "(?m)^b$"}, "pass", id="flags-in-the-pattern"),
        pytest.param("", {"pattern": "^$"}, "pass", id="empty-response"),
    ],
)
def test_regex(text, options, outcome):
    assert judge("Regex", options, text).outcome == outcome


def test_regex_says_what_matched_and_where():
    verdict = judge("Regex", {"pattern": r"\d+", "matches": False}, "within 30 days")
    assert verdict.reason == r'the pattern "\\d+" matches at character 8: "30", and must not match'
    assert verdict.details == {"matched_text": "30"}


def test_regex_that_would_never_end_is_an_error_after_the_deadline(monkeypatch):
    monkeypatch.setattr(patterns, "DEADLINE", 0.5)
    evaluator = make("Regex", {"pattern": "^(a+)+$"})
    start = time.monotonic()
    with pytest.raises(EvaluationError, match=r"took more than 0\.5 s"):
        judge("Regex", {"pattern": evaluator.pattern}, "a" * 50 + "!")
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("pattern", [r"(a|aa)+b", r"(?:a*){3}b", r"a*a*a*b", r"\s*\w*\s*$"])
def test_patterns_that_may_take_very_long_are_known(pattern):
    assert patterns.risky(pattern)


@pytest.mark.parametrize("pattern", [r"\b\d+ days?\b", r"^(yes|no)$", r"(a)?b", r"foo.*bar", "[ab]{3}"])
def test_ordinary_patterns_are_searched_directly(pattern):
    assert not patterns.risky(pattern)


@settings(deadline=None, max_examples=20)
@given(st.text(st.characters(), max_size=20))
def test_a_risky_pattern_finds_the_same_as_a_direct_search(text):
    pattern = patterns.compiled("(?:[a-m]+ ?)+", case_sensitive=False)
    found = pattern.search(text)
    assert patterns.search(pattern, text) == (found.span() if found else None)


@pytest.mark.parametrize(("taken", "outcome"), [(99.9, "pass"), (100, "pass"), (100.1, "fail"), (0, "pass")])
def test_latency(taken, outcome):
    verdict = judge("Latency", {"max_ms": 100}, latency_ms=taken)
    assert verdict.outcome == outcome
    assert verdict.score == float(outcome == "pass")
    assert verdict.details == {"latency_ms": taken, "max_ms": 100}


def test_latency_says_both_times():
    assert judge("Latency", {"max_ms": 800}, latency_ms=1234.5).reason == "the answer took 1234.50 of at most 800 ms"


def test_latency_that_was_not_measured_decides_nothing():
    with pytest.raises(MissingInput, match="latency_ms"):
        judge("Latency", {"max_ms": 100})
