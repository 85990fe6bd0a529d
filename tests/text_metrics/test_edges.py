"""Odd and huge texts have a defined result."""

from __future__ import annotations

import time

import pytest
from text_metrics.scoring import score

from pytest_agentevals.errors import EvaluationError, MissingInput
from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.text_metrics.bleu import BleuScore
from pytest_agentevals.evaluators.text_metrics.f1 import F1Score
from pytest_agentevals.evaluators.text_metrics.gleu import GleuScore
from pytest_agentevals.evaluators.text_metrics.meteor import MeteorScore
from pytest_agentevals.evaluators.text_metrics.rouge import RougeScore
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import Outcome

METRICS = [F1Score(), BleuScore(), GleuScore(), MeteorScore(), RougeScore()]
every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
WORDS = [f"word{number % 5_000}" for number in range(100_000)]


@every_metric
@pytest.mark.parametrize(
    ("response", "expected", "reason"),
    [
        ("", "Warsaw", "the response has no words"),
        (" \n", "Warsaw", "the response has no words"),
        ("Warsaw", "", "the expected response has no words"),
        ("", "", "the expected response has no words"),
    ],
)
def test_without_words_the_score_is_0_and_the_reason_says_so(metric, response, expected, reason):
    verdict = score(metric, response, expected)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.score == 0.0
    assert verdict.reason == reason


@every_metric
def test_a_missing_expected_response_is_an_error(metric):
    with pytest.raises(MissingInput, match="expected_response"):
        metric.evaluate(Exchange(prompt="?", response=AgentResponse(text="Warsaw")))


@pytest.mark.parametrize(
    ("metric", "value"),
    # With one token nothing but the 1-gram counts for BLEU; METEOR's one chunk of one match costs half.
    [(F1Score(), 0.0), (BleuScore(), 1.0), (GleuScore(), 1.0), (MeteorScore(), 0.5), (RougeScore(), 0.0)],
    ids=lambda value: type(value).__name__,
)
def test_punctuation_alone_counts_only_for_metrics_with_punctuation_marks(metric, value):
    assert score(metric, "...", "...").score == value


@every_metric
def test_a_hundred_thousand_words_are_scored_in_seconds(metric):
    text = " ".join(WORDS)
    start = time.perf_counter()
    assert score(metric, text, text).score == pytest.approx(1.0)
    assert time.perf_counter() - start < 60


@every_metric
@pytest.mark.parametrize("unit", ["a", ".", "é", "twenty-letter-words "])
def test_a_megabyte_of_text_has_a_score(metric, unit):
    assert 0 <= score(metric, unit * (1_000_000 // len(unit)), "a word").score <= 1


def test_a_word_of_a_megabyte_is_shortened_in_notes():
    assert len(score(F1Score(), "a" * 1_000_000, "b").notes[1]) < 200


def test_texts_that_are_too_long_for_rouge_l_are_an_error_that_names_the_limit():
    text = "word " * 200_001
    with pytest.raises(EvaluationError, match=r'200,001 words .* at most 40,000,000,000; use "rouge1"'):
        score(RougeScore(), text, text)
    assert score(RougeScore(rouge_type="rouge2"), text, text).score == 1.0


@every_metric
def test_unpaired_surrogates_and_control_characters_are_scored(metric):
    assert 0 <= score(metric, "a \ud800 b \x00 \x1b[31m", "a \ud800 c").score <= 1
