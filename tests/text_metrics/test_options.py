"""Which options the text metrics take."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from text_metrics.pairs import SEED_PAIR
from text_metrics.scoring import score

from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.results import Outcome

NAMES = ("F1Score", "BleuScore", "GleuScore", "RougeScore", "MeteorScore")


@pytest.fixture
def make(tmp_path):
    return Catalog(Place(tmp_path, tmp_path)).make


@pytest.mark.parametrize("name", NAMES)
def test_the_default_threshold_is_one_half(make, name):
    assert score(make(name, {}), *SEED_PAIR).threshold == 0.5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("threshold", [-0.1, 1.1, True, "0.5", None])
def test_a_threshold_is_a_number_from_0_to_1(make, name, threshold):
    with pytest.raises(ValidationError, match="threshold"):
        make(name, {"threshold": threshold})


@pytest.mark.parametrize("name", NAMES)
def test_a_threshold_that_is_met_exactly_passes(make, name):
    assert score(make(name, {"threshold": 1}), "one two three four five", "one two three four five").score <= 1
    reached = score(make(name, {"threshold": 0}), *SEED_PAIR)
    options = (
        {"threshold": 0, "f1_score_threshold": reached.score} if name == "RougeScore" else {"threshold": reached.score}
    )
    assert score(make(name, options), *SEED_PAIR).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RougeScore", {"rouge_type": "rouge6"}),
        ("RougeScore", {"rouge_type": "rougel"}),
        ("RougeScore", {"precision_threshold": None}),
        ("RougeScore", {"recall_threshold": 2}),
        ("RougeScore", {"tokenizer": "nist"}),
        ("MeteorScore", {"alpha": 1.5}),
        ("MeteorScore", {"beta": -1}),
        ("MeteorScore", {"gamma": True}),
        ("BleuScore", {"tokenizer": "azure"}),
        ("F1Score", {"case_sensitive": True}),
    ],
)
def test_options_outside_their_range_are_refused(make, name, options):
    with pytest.raises(ValidationError, match=next(iter(options))):
        make(name, options)


def test_the_common_threshold_of_rouge_sets_those_that_are_not_set(make):
    rouge = make("RougeScore", {"threshold": 0.4, "recall_threshold": 0.8})
    assert (rouge.precision_threshold, rouge.recall_threshold, rouge.f1_score_threshold) == (0.4, 0.8, 0.4)


def test_rouge_passes_only_when_all_three_parts_do(make):
    assert score(make("RougeScore", {"precision_threshold": 0.4}), *SEED_PAIR).outcome is Outcome.PASS
    verdict = score(make("RougeScore", {}), *SEED_PAIR)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.reason == "precision 0.46 fell short (recall 1, f1_score 0.63)"


def test_a_failure_of_rouge_names_the_thresholds_where_they_differ(make):
    verdict = score(make("RougeScore", {"precision_threshold": 0.6}), *SEED_PAIR)
    assert verdict.reason.endswith("; needed: precision 0.60, recall 0.50, f1_score 0.50")


@pytest.mark.parametrize(
    ("rouge_type", "matches"),
    [("rouge1", 6), ("rouge2", 4), ("rouge3", 1), ("rouge4", 0), ("rouge5", 0), ("rougeL", 6)],
)
def test_the_rouge_type_says_what_is_counted(make, rouge_type, matches):
    details = score(make("RougeScore", {"rouge_type": rouge_type}), *SEED_PAIR).details
    assert details["matches"] == matches
    assert details["rouge_type"] == rouge_type


def test_the_weights_of_meteor_change_its_score(make):
    default = score(make("MeteorScore", {}), *SEED_PAIR).score
    assert score(make("MeteorScore", {"gamma": 0}), *SEED_PAIR).score > default
    assert score(make("MeteorScore", {"beta": 1}), *SEED_PAIR).score < default
    assert score(make("MeteorScore", {"alpha": 0, "gamma": 0}), *SEED_PAIR).score == pytest.approx(7 / 15)
    assert score(make("MeteorScore", {"alpha": 1, "gamma": 0}), *SEED_PAIR).score == 1.0


def test_the_options_of_a_metric_may_stand_under_options(make):
    assert make("RougeScore", {"options": {"rouge_type": "rouge2"}}) == make("RougeScore", {"rouge_type": "rouge2"})
