"""How well a rubric tells good from bad responses."""

from __future__ import annotations

import json
import math
import random
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from pytest_agentevals.documents.labels import Label, as_good, read_csv
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.rubrics.definition import Definition
from pytest_agentevals.rubrics.labelled import Labelled, Reader
from pytest_agentevals.rubrics.separating import report
from pytest_agentevals.rubrics.separation import auc, interval, separation

DIMENSIONS = [{"id": "intent", "description": "a", "weight": 9}, {"id": "rest", "description": "b", "weight": 5}]
RUBRIC = Definition.model_validate_json(json.dumps({"dimensions": DIMENSIONS}))

BRIEFLY = settings(max_examples=40, deadline=None)
scores = st.lists(st.sampled_from([0.2, 0.4, 0.5, 0.6, 1.0]), min_size=1, max_size=12)


@BRIEFLY
@given(scores, scores)
def test_the_area_is_the_share_of_pairs_in_which_the_good_response_scores_higher(good, bad):
    wins = [1.0 if one > other else 0.5 if one == other else 0.0 for one, other in product(good, bad)]

    assert auc(good, bad) == pytest.approx(sum(wins) / len(wins))
    assert auc(good, bad) + auc(bad, good) == pytest.approx(1)


def test_the_area_is_that_of_scikit_learn():
    source = random.Random(7)

    for good, bad in product(range(1, 9), repeat=2):
        found = [source.randint(1, 5) for _ in range(good + bad)]
        expected = roc_auc_score([1] * good + [0] * bad, found)
        assert auc(found[:good], found[good:]) == pytest.approx(expected)


def test_the_area_of_a_known_example():
    """Hanley and McNeil (1982), table I: ratings of 109 CT images, 58 normal and 51 abnormal; the area is 0.893."""
    normal = [1] * 33 + [2] * 6 + [3] * 6 + [4] * 11 + [5] * 2
    abnormal = [1] * 3 + [2] * 2 + [3] * 2 + [4] * 11 + [5] * 33

    assert auc(abnormal, normal) == pytest.approx(0.893, abs=5e-4)


@BRIEFLY
@given(st.floats(0, 1), st.integers(1, 200), st.integers(1, 200))
def test_the_interval_holds_the_area_and_is_the_mirror_image_of_its_opposite(area, good, bad):
    low, high = interval(area, good, bad)
    mirrored = interval(1 - area, bad, good)

    assert 0 <= low <= area <= high <= 1
    assert low < high
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high), abs=1e-9)


@BRIEFLY
@given(st.floats(0, 1), st.integers(2, 100), st.integers(2, 100))
def test_more_labels_make_the_interval_narrower(area, good, bad):
    few, many = interval(area, good, bad), interval(area, 4 * good, 4 * bad)

    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize(("area", "good", "bad"), [(0.893, 51, 58), (0.7, 10, 30), (0.5, 4, 3), (1.0, 8, 9)])
def test_the_limits_lie_as_many_standard_errors_away_as_they_should(area, good, bad):
    """The variance as Hanley and McNeil (1982) write it, with the mean of both groups' sizes for both of its terms."""

    def standard_error(true):
        first, second = true / (2 - true) - true**2, 2 * true**2 / (1 + true) - true**2
        pairs = (good + bad) / 2 - 1
        return math.sqrt((true * (1 - true) + pairs * (first + second)) / (good * bad))

    for limit in interval(area, good, bad):
        if limit < 1:
            assert abs(limit - area) / standard_error(limit) == pytest.approx(1.959964, abs=1e-5)


def test_a_perfect_score_of_few_labels_is_not_certain():
    found = separation([1.0, 0.9, 0.8], [0.1, 0.2])

    assert found.auc == 1
    assert found.interval.high == 1
    assert found.interval.low < 0.6


def label(value, place="p"):
    return Label(value, place)


@pytest.mark.parametrize(
    ("values", "good"),
    [
        (["pass", "FAIL", " good ", "bad"], [True, False, True, False]),
        ([True, False, "true", "no"], [True, False, True, False]),
        ([1, 0, "1"], [True, False, True]),
        ([5, 3, 2, 1, "4"], [True, True, False, False, True]),
    ],
)
def test_labels_are_words_or_numbers(values, good):
    assert as_good([label(value) for value in values]) == good


def test_from_which_score_a_response_is_good_can_be_said():
    assert as_good([label(5), label(4), label(3)], 4.5) == [True, False, False]


@pytest.mark.parametrize("value", ["perhaps", 6, -1, "", ["pass"]])
def test_another_label_is_an_error_with_its_place(value):
    with pytest.raises(ConfigurationError, match=r"labels\.csv:3: the label .* is not known; allowed are pass"):
        as_good([label(value, "labels.csv:3")])


def test_a_csv_file_has_labels_for_items_and_for_turns(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text('\ufeffid,turn,label,who\na,,pass,ann\n"b,c",2, fail ,bob\n')

    labels = read_csv(path)
    assert {(one.item, one.turn): one.value for one in labels} == {("a", None): "pass", ("b,c", 2): "fail"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name,label\n", "the first line must name the columns id and label"),
        ("id,label\na,pass\na,fail\n", "'a' has a label already at "),
        ("item,label\na,pass\nb,\na,pass\n", "csv:4: 'a' has a label already at .*csv:2"),
        ("id,label,turn\na,pass,0\n", "the turn is '0'; allowed are whole numbers from 1 up"),
    ],
)
def test_other_csv_files_are_an_error(tmp_path, text, problem):
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(ConfigurationError, match=problem):
        read_csv(tmp_path / "labels.csv")


def scored(intent, rest=3, **more):
    """A response with the scores of its dimensions."""
    entries = [{"id": "intent", "score": intent}, {"id": "rest", "score": rest}]
    total = (9 * (intent or 0) + 5 * (rest or 0)) / ((9 if intent else 0) + (5 if rest else 0)) / 5
    score = {"score": total, "result": "pass", "properties": {"dimension_scores": entries}, **more}
    return {"prompt": f"prompt {intent} {rest}", "response": "r", "scores": {"rubric": score}}


@pytest.fixture
def labelled(tmp_path):
    """Read labelled responses from a results document of these items; returns them and the reader."""

    def run(*items, labels=None):
        path = tmp_path / "results.json"
        path.write_text(json.dumps({"schemaVersion": "1.7.0", "items": items}))
        reader = Reader(RUBRIC, "booking", labels or ())
        return list(reader.read(path)), reader

    return run


def test_labels_stand_in_the_extensions_of_items(labelled):
    found, reader = labelled(
        {**scored(5), "extensions": {"human": "pass"}},
        {**scored(1), "extensions": {"human": {"Relevance": "pass", "Rubric": "fail"}}},
        {**scored(2), "extensions": {"human": {"Relevance": "pass"}}},
        {"prompt": "not scored", "extensions": {"human": "pass"}},
    )

    assert [(one.label.value, one.scores["intent"]) for one in found] == [("pass", 5), ("fail", 1)]
    assert reader.counts == {"scored responses without a label": 1}


def test_labels_of_a_csv_file_are_found_by_the_id_that_the_item_has_in_pytest(labelled):
    found, _ = labelled(
        scored(5),
        {**scored(4), "extensions": {"id": "four"}},
        labels=[Label("pass", "", "prompt-5-3"), Label("fail", "", "four")],
    )

    assert [one.label.value for one in found] == ["pass", "fail"]


def test_results_of_several_documents_keep_the_ids_of_their_items(labelled):
    item = {**scored(5), "extensions": {"pytest-agentevals": {"id": "first"}}}
    found, _ = labelled(item, labels=[Label("pass", "", "first")])

    assert [one.label.value for one in found] == ["pass"]


def test_labels_for_other_evaluators_are_left_alone_and_one_labeller_is_enough(labelled):
    item = {"prompt": "p", "response": "r", "scores": {"rubric": scored(4)["scores"]["rubric"]}}
    other = Label("fail", "", "p", evaluator="Relevance")
    found, _ = labelled(item, labels=[other, Label("pass", "", "p", evaluator="booking")])
    assert [one.label.value for one in found] == ["pass"]

    two = [Label("pass", "l.csv:2", "p", labeller="ann"), Label("fail", "l.csv:3", "p", labeller="ben")]
    with pytest.raises(ConfigurationError, match=r"^l.csv:3: 'p' has a label already at l.csv:2; of several labellers"):
        labelled(item, labels=two)


def test_turns_have_labels_of_their_own_and_that_of_a_thread_is_for_its_last_one(labelled):
    turns = [scored(5), {**scored(4), "extensions": {"human": "fail"}}, scored(2), {"prompt": "Thanks"}]
    thread = {"name": "t", "turns": turns, "extensions": {"human": "pass"}}
    found, reader = labelled(thread, labels=[Label("good", "", "t", 1)])

    assert [(one.label.value, one.scores["intent"]) for one in found] == [("good", 5), ("fail", 4), ("pass", 2)]
    assert not reader.counts


def test_scores_of_other_rubrics_are_not_taken_and_those_of_older_versions_are_counted(labelled):
    other = {**scored(5), "extensions": {"human": "pass"}}
    other["scores"]["rubric"]["properties"]["dimension_scores"].append({"id": "more", "score": 1})
    old = {**scored(5, rubric={"content_hash": "old"}), "extensions": {"human": "pass"}}
    new = {**scored(4, rubric={"content_hash": RUBRIC.content_hash}), "extensions": {"human": "pass"}}
    found, reader = labelled(other, old, new)

    assert len(found) == 2
    assert reader.counts == {"scores by another version of the rubric": 1}


def test_the_report_says_which_dimensions_separate(labelled):
    good = [{**scored(5, 2), "extensions": {"human": "pass"}} for _ in range(12)]
    bad = [{**scored(1, 4), "extensions": {"human": "fail"}} for _ in range(11)]
    half = [{**scored(None, 4), "extensions": {"human": "fail"}}]
    found, _ = labelled(*good, *bad, *half)
    told = report(RUBRIC, found, as_good([one.label for one in found]))

    assert told.lines == (
        "  dimension     good  bad   AUC  95 % interval",
        "  all together    12   12  0.92  0.71 to 0.98  separates",
        "  intent          12   11  1.00  0.82 to 1.00  separates",
        "  rest            12   12  0.00  0.00 to 0.17  higher for bad responses",
        "  at the threshold 0.5, 12 of 12 good responses pass and 11 of 12 bad ones fail",
    )
    assert told.warnings == ("rest scores bad responses higher than good ones",)


@BRIEFLY
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.booleans()), min_size=2, max_size=30))
def test_a_report_is_made_of_any_labels(rows):
    good = [one for _, _, one in rows]
    assume(len(set(good)) == 2)
    found = [Labelled(label(one), intent / 5, {"intent": intent, "rest": rest}) for intent, rest, one in rows]

    told = report(RUBRIC, found, good)
    assert len(told.lines) == 5
    assert all("nan" not in line for line in told.lines)
