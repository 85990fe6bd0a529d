"""The scores that the sources print, and what the parts of a score are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_metrics.pairs import SEED_PAIR
from text_metrics.scoring import score

from pytest_agentevals.evaluators.text_metrics.bleu import BleuScore
from pytest_agentevals.evaluators.text_metrics.f1 import F1Score
from pytest_agentevals.evaluators.text_metrics.gleu import GleuScore
from pytest_agentevals.evaluators.text_metrics.lcs import BLOCK, lcs_length
from pytest_agentevals.evaluators.text_metrics.meteor import MeteorScore
from pytest_agentevals.evaluators.text_metrics.rouge import RougeScore
from pytest_agentevals.results import Outcome

METRICS = [F1Score(), BleuScore(), GleuScore(), MeteorScore(), RougeScore()]


@pytest.mark.parametrize(
    ("metric", "value", "outcome"),
    [
        (F1Score(threshold=0.5), 0.631578947368421, "pass"),
        (BleuScore(threshold=0.3), 0.1550967560878879, "fail"),
        (GleuScore(threshold=0.2), 0.25925925925925924, "pass"),
        (MeteorScore(threshold=0.9), 0.8621140763997908, "fail"),
    ],
    ids=lambda value: getattr(value, "prefix", None),
)
def test_the_sources_examples_come_out_exactly(metric, value, outcome):
    verdict = score(metric, *SEED_PAIR)
    assert verdict.score == value
    assert verdict.outcome == outcome
    own = {key: found for key, found in verdict.details.items() if key.startswith(f"{metric.prefix}_")}
    assert own == {
        f"{metric.prefix}_score": value,
        f"{metric.prefix}_result": outcome,
        f"{metric.prefix}_threshold": metric.threshold,
    }


def test_the_sources_rouge_example_comes_out_exactly():
    verdict = score(
        RougeScore(rouge_type="rougeL", precision_threshold=0.6, recall_threshold=0.5, f1_score_threshold=0.55),
        *SEED_PAIR,
    )
    assert {key: value for key, value in verdict.details.items() if key.startswith("rouge_")} == {
        "rouge_precision": 0.46153846153846156,
        "rouge_recall": 1.0,
        "rouge_f1_score": 0.631578947368421,
        "rouge_precision_result": "fail",
        "rouge_recall_result": "pass",
        "rouge_f1_score_result": "pass",
        "rouge_precision_threshold": 0.6,
        "rouge_recall_threshold": 0.5,
        "rouge_f1_score_threshold": 0.55,
        "rouge_type": "rougeL",
    }
    assert verdict.score == 0.631578947368421
    assert verdict.threshold == 0.55
    assert verdict.outcome is Outcome.FAIL


def test_the_parts_of_bleu_are_its_ngram_precisions_and_the_brevity_penalty():
    details = score(BleuScore(), "the cat sat on a mat", "the cat sat on the red mat").details
    assert details["precisions"] == [5 / 6, 3 / 5, 2 / 4, 1 / 3]
    assert details["brevity_penalty"] == pytest.approx(0.846481724890614)  # exp(1 - 7/6)


def test_the_parts_of_gleu_count_all_ngrams_up_to_four_words():
    details = score(GleuScore(), "the cat sat", "the cat sat on").details
    assert details["matches"] == 6
    assert details["precision"] == 1.0
    assert details["recall"] == 6 / 10


def test_the_parts_of_meteor_are_its_matches_chunks_and_penalty():
    details = score(MeteorScore(), "on mat sat cat", "cat sat on mat").details
    assert {key: details[key] for key in ("precision", "recall", "matches", "chunks")} == {
        "precision": 1.0,
        "recall": 1.0,
        "matches": 4,
        "chunks": 3,
    }
    assert details["penalty"] == 0.5 * (3 / 4) ** 3


@pytest.mark.parametrize(
    ("response", "expected"),
    [("auto", "car"), ("kids", "child"), ("She bought it", "She buy it"), ("men", "man"), ("running", "runs")],
)
def test_meteor_matches_synonyms_and_other_forms(response, expected):
    assert score(MeteorScore(), response, expected).details["recall"] == 1.0


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
def test_a_failure_names_the_part_that_fell_short_and_the_unshared_words(metric):
    strict = type(metric)(threshold=0.9)
    verdict = score(strict, "Curie was not born in Paris", "Curie was born in Warsaw")
    assert verdict.outcome is Outcome.FAIL
    assert "precision 0." in verdict.reason
    assert "fell short" in verdict.reason
    notes = [note.lower() for note in verdict.notes]
    assert notes == ['not in the response: "warsaw"', 'not expected: "not", "paris"']


def test_a_pass_shows_its_parts():
    verdict = score(F1Score(), *SEED_PAIR)
    assert verdict.reason == "precision 0.46, recall 1"


def test_a_response_that_is_too_short_for_bleu_is_told_so():
    verdict = score(BleuScore(), "Marie Curie was born", "Marie Curie was born in Warsaw in the year 1867")
    assert verdict.reason.startswith("brevity penalty 0.22 fell short")


def test_when_no_part_alone_misses_the_threshold_the_lowest_is_named():
    verdict = score(BleuScore(threshold=0.7), "a b c d e f g h i j", "a b c d e f g h i j k l m n")
    assert verdict.reason.startswith("brevity penalty 0.67 fell short")
    verdict = score(MeteorScore(threshold=0.8, gamma=0.2, alpha=0.5, beta=0.0), "a b c d e f g h i", "a b c d e f g h")
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reason.startswith("word order 0.80 fell short")


def test_words_of_all_scripts_are_kept_whole():
    for metric in METRICS:
        assert score(metric, "Varsóvia é bela", "Varsóvia é bela").outcome is Outcome.PASS
        assert score(metric, "Мария родилась в Варшаве", "Мария родилась в Варшаве").outcome is Outcome.PASS
    verdict = score(BleuScore(), "Ela nasceu em Varsóvia.", "Ela nasceu em São Paulo.")
    assert verdict.notes == ('not in the response: "São", "Paulo"', 'not expected: "Varsóvia"')
    verdict = score(RougeScore(), "हिन्दी भाषा", "हिन्दी लिपि")
    assert verdict.notes == ('not in the response: "लिपि"', 'not expected: "भाषा"')


@pytest.mark.parametrize("metric", METRICS[1:], ids=lambda metric: type(metric).__name__)
def test_composed_and_decomposed_letters_are_equal(metric):
    composed, decomposed = "caf\u00e9 com leite", "cafe\u0301 com leite"
    assert score(metric, decomposed, composed).score == score(metric, composed, composed).score


def longest_common_subsequence(first, second):
    """The textbook's table."""
    row = [0] * (len(second) + 1)
    for word in first:
        above = row
        row = [0]
        for column, other in enumerate(second):
            row.append(above[column] + 1 if word == other else max(above[column + 1], row[column]))
    return row[-1]


@given(st.lists(st.sampled_from("abcde")), st.lists(st.sampled_from("abcdx")))
def test_the_longest_common_subsequence_is_that_of_the_textbook(first, second):
    assert lcs_length(first, second) == longest_common_subsequence(first, second)


def test_the_longest_common_subsequence_crosses_blocks():
    numbers = [str(number) for number in range(2 * BLOCK + 100)]
    assert lcs_length(numbers, numbers) == len(numbers)
    assert lcs_length(numbers, numbers[::-1]) == 1
    assert lcs_length(numbers, numbers[BLOCK + 7 :] + numbers[: BLOCK + 7]) == max(BLOCK + 7, len(numbers) - BLOCK - 7)
    assert lcs_length(["a"] * (BLOCK + 5), ["a", "b"] * (BLOCK + 3)) == BLOCK + 3


@given(st.text(), st.text())
def test_any_text_has_a_score_between_0_and_1(response, expected):
    for metric in METRICS:
        verdict = score(metric, response, expected)
        assert isinstance(verdict.score, float)
        assert 0 <= verdict.score <= 1 + 1e-12
