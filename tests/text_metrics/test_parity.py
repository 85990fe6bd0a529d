"""The text metrics give the numbers of azure-ai-evaluation and of NLTK with its full data."""

from __future__ import annotations

import pytest
from rouge_score.rouge_scorer import RougeScorer
from text_metrics.pairs import NOT_ASCII
from text_metrics.scoring import score

from pytest_agentevals.evaluators.text_metrics.bleu import BleuScore
from pytest_agentevals.evaluators.text_metrics.f1 import F1Score
from pytest_agentevals.evaluators.text_metrics.gleu import GleuScore
from pytest_agentevals.evaluators.text_metrics.meteor import MeteorScore
from pytest_agentevals.evaluators.text_metrics.rouge import RougeScore

ROUGE_TYPES = ("rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rougeL")


def exactly(value):
    return pytest.approx(value, abs=1e-12, rel=0)


@pytest.mark.parametrize(
    ("metric", "names"),
    [
        (F1Score(), ["sdk f1"]),
        (BleuScore(), ["sdk bleu", "nltk bleu"]),
        (GleuScore(), ["sdk gleu", "nltk gleu"]),
        (MeteorScore(), ["sdk meteor", "nltk meteor"]),
        (MeteorScore(alpha=0.5, beta=2.0, gamma=0.3), ["nltk meteor, other weights"]),
    ],
    ids=["F1Score", "BleuScore", "GleuScore", "MeteorScore", "MeteorScore with other weights"],
)
def test_ascii_texts_score_as_with_the_sdk_and_nltk(metric, names, ascii_pairs, references):
    assert len(ascii_pairs) >= 2_000
    assert len({reference[names[0]] for reference in references}) > 200
    for pair, reference in zip(ascii_pairs, references, strict=False):
        verdict = score(metric, *pair)
        assert verdict.details.get("sentence_data") in {"embedded", None}
        assert verdict.details.get("synonym_data") in {"embedded", None}
        for name in names:
            assert verdict.score == exactly(reference[name]), (name, pair)


@pytest.mark.parametrize("rouge_type", ROUGE_TYPES)
def test_rouge_has_the_parts_of_the_sdk_and_of_rouge_score(rouge_type, ascii_pairs, references):
    scorer = RougeScorer([rouge_type])
    for pair, reference in zip(ascii_pairs, references, strict=False):
        details = score(RougeScore(rouge_type=rouge_type), *pair).details
        original = scorer.score(target=pair[1], prediction=pair[0])[rouge_type]
        for part, value in zip(("precision", "recall", "f1_score"), original, strict=True):
            assert details[f"rouge_{part}"] == exactly(value), pair
            assert details[f"rouge_{part}"] == exactly(reference[f"sdk {rouge_type} {part}"]), pair


def test_the_users_own_nltk_data_is_used_where_it_is_installed_and_gives_the_same_scores(with_nltk_data, references):
    for details, reference in zip(with_nltk_data[: -len(NOT_ASCII)], references, strict=False):
        for name, metric in details.items():
            assert metric["sentence_data"] == "nltk"
            assert metric[f"{name}_score"] == exactly(reference[f"sdk {name}"])
        assert details["meteor"]["synonym_data"] == "nltk"


def test_nist_gives_the_sdks_scores_for_text_that_is_not_ascii(with_nltk_data, references):
    for details, reference in zip(with_nltk_data[-len(NOT_ASCII) :], references[-len(NOT_ASCII) :], strict=True):
        for name, metric in details.items():
            assert metric["tokenizer"] == "nist"
            assert metric[f"{name}_score"] == exactly(reference[f"sdk {name}"])


def test_ascii_rouge_gives_the_sdks_scores_for_text_that_is_not_ascii(references):
    for pair, reference in zip(NOT_ASCII, references[-len(NOT_ASCII) :], strict=True):
        details = score(RougeScore(tokenizer="ascii"), *pair).details
        assert details["rouge_f1_score"] == exactly(reference["sdk rougeL f1_score"])


@pytest.mark.parametrize("metric", [BleuScore(), GleuScore(), MeteorScore()], ids=lambda metric: metric.prefix)
def test_unicode_gives_the_scores_of_nltks_word_tokenizer_for_text_that_is_not_ascii(metric, references):
    for pair, reference in zip(NOT_ASCII, references[-len(NOT_ASCII) :], strict=True):
        assert score(metric, *pair).score == exactly(reference[f"nltk {metric.prefix}"])
