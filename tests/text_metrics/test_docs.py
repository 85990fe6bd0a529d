"""What docs/text-metrics.md shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from text_metrics.scoring import score

from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

PAGE = (Path(__file__).parents[2] / "docs" / "text-metrics.md").read_text(encoding="utf-8")
ITEM = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1])
NAMES = ("F1Score", "BleuScore", "GleuScore", "RougeScore", "MeteorScore")


@pytest.fixture
def make(tmp_path):
    return Catalog(Place(tmp_path, tmp_path)).make


def test_the_example_passes(make):
    for name, options in ITEM["evaluators"].items():
        assert score(make(name, options), ITEM["response"], ITEM["expected_response"]).outcome == "pass"


def test_the_failure_reads_as_shown(make):
    verdict = score(make("BleuScore", {}), ITEM["response"], ITEM["expected_response"])
    shown = re.search(r"```\n(BleuScore .*?)```", PAGE, re.DOTALL)[1]
    assert shown.split() == " ".join(["BleuScore", f"{verdict.measure}:", verdict.reason, *verdict.notes]).split()


def test_the_scores_of_the_wrong_and_the_right_answer_are_those_shown(make):
    wrong, right = re.search(r'wrong answer "(.*?)" scores.*?right answer "(.*?)"', PAGE, re.DOTALL).groups()
    found = [
        round(score(make(name, {}), " ".join(text.replace("*", "").split()), ITEM["expected_response"]).score, 2)
        for text in (wrong, right)
        for name in ("F1Score", "MeteorScore")
    ]
    assert found == [0.92, 0.97, 0.13, 0.13]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_and_every_detail_is_documented(make, name):
    metric = make(name, {})
    details = score(metric, ITEM["response"], ITEM["expected_response"]).details
    # The three parts of ROUGE share the explanation of their result and threshold.
    shared = {name for name in details if re.fullmatch("rouge_.*_(result|threshold)", name)}
    assert [name for name in {*type(metric).model_fields, *details} - shared if f"`{name}`" not in PAGE] == []
