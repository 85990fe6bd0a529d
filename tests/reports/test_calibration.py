"""Verdicts beside people's labels."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_runs import HOSTILE, error, evaluated, run_of, turn, verdict
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from pytest_agentevals.documents.labels import Label
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.calibration.calibrate import calibrate
from pytest_agentevals.reports.calibration.labelling import has_results, of_file, of_run
from pytest_agentevals.reports.calibration.text import calibration_lines
from pytest_agentevals.reports.columns import width
from pytest_agentevals.reports.formats import write
from pytest_agentevals.reports.html import render
from pytest_agentevals.reports.restore import restore
from pytest_agentevals.results import Outcome, Verdict


def label(value, item, **rest):
    return Label(value, "labels.csv:2", item, **rest)


def items(*scores, name="Relevance", text="An answer.", **rest):
    return [
        evaluated(f"i{place}", turn(f"{place}?", verdict(name, score, **rest), text=text))
        for place, score in enumerate(scores)
    ]


def calibrated(scores, labels, **rest):
    """Calibrate one evaluator; the items are labelled in their order."""
    found = [label(value, f"i{place}") for place, value in enumerate(labels)]
    return calibrate(run_of(*items(*scores)), found, **rest).evaluators[0]


grades = st.integers(1, 5)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(grades, grades), min_size=1, max_size=25))
def test_all_figures_of_grades_are_those_of_scikit_learn(drawn):
    own, people = (list(side) for side in zip(*drawn, strict=True))
    found = calibrated(own, people)

    assert found.grades.confusion == tuple(map(tuple, confusion_matrix(people, own, labels=[1, 2, 3, 4, 5])))
    for weights, result in (("linear", found.grades.linear), ("quadratic", found.grades.quadratic)):
        if len({*own, *people}) == 1:
            assert result is None
        else:
            expected = cohen_kappa_score(people, own, labels=[1, 2, 3, 4, 5], weights=weights)
            assert result.value == pytest.approx(expected)
    good, passed = [value >= 3 for value in people], [value >= 3 for value in own]
    assert found.confusion == tuple(map(tuple, confusion_matrix(good, passed, labels=[True, False])))
    assert found.agreed == sum(one == other for one, other in zip(good, passed, strict=True))
    assert found.agreed + found.false_passes + found.false_fails == found.count == len(own)
    assert len(found.disagreements) == found.false_passes + found.false_fails
    if len({*good, *passed}) == 2:
        assert found.kappa.value == pytest.approx(cohen_kappa_score(good, passed))
    else:
        assert found.kappa is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(grades, st.lists(st.sampled_from(["pass", "fail", 1, 2, 4, 5, None]), min_size=2, max_size=3)),
        min_size=1,
        max_size=30,
    ),
    st.integers(30, 120),
)
def test_any_labels_make_json_and_lines_that_fit_without_a_nan(drawn, room):
    found = [
        label(value, f"i{place}", labeller=f"person {number}")
        for place, (_, values) in enumerate(drawn)
        for number, value in enumerate(values)
        if value is not None
    ]
    if not found:
        return
    calibration = calibrate(run_of(*items(*(score for score, _ in drawn))), found)

    json.dumps(asdict(calibration), allow_nan=False)
    lines = list(calibration_lines(calibration, room))
    assert lines[0].startswith("Relevance: ")
    assert all(width(line) <= max(room, 40) for line in lines)
    assert not any("nan" in line for line in lines)


@pytest.mark.parametrize(
    ("scores", "labels", "sentence"),
    [
        ([5, 1, 5], ["pass", "fail", "pass"], "too few labels (n = 3) to say"),
        ([5] * 24 + [1], ["pass"] * 24 + ["fail"], "too few labels of fail (1 of 25) to say"),
        ([5] * 25, ["fail"] * 25, "too few labels of pass (0 of 25) to say"),
        ([5] * 40, ["pass"] * 20 + ["fail"] * 20, "not better than chance: it passes whatever people say"),
        ([1] * 40, ["pass"] * 20 + ["fail"] * 20, "not better than chance: it fails whatever people say"),
        ([5, 1] * 20, ["pass"] * 20 + ["fail"] * 20, "not better than chance, as far as these labels tell (kappa 0.00"),
        (
            [5] * 20 + [1] * 20,
            ["pass"] * 20 + ["fail"] * 20,
            "almost perfect agreement beyond chance (kappa 1.00, 0.82",
        ),
        ([5] * 26 + [1] * 14, ["pass"] * 20 + ["fail"] * 20, "substantial agreement beyond chance (kappa 0.70"),
        ([1] * 20 + [5] * 20, ["pass"] * 20 + ["fail"] * 20, "not better than chance, as far as these labels tell"),
    ],
)
def test_a_sentence_says_whether_the_evaluator_can_be_trusted(scores, labels, sentence):
    assert calibrated(scores, labels).sentence.startswith(sentence)


def test_perfect_disagreement_is_worse_than_chance_and_known_well():
    found = calibrated([1] * 20 + [5] * 20, ["pass"] * 20 + ["fail"] * 20)
    assert found.kappa.value == -1
    assert found.agreement == 0


def test_errors_and_what_did_not_apply_are_never_labels():
    none = Verdict(outcome=Outcome.NOT_APPLICABLE, evaluator="Relevance")
    run = run_of(
        *items(5, 5),
        evaluated("broken", turn("?", error("Relevance"))),
        evaluated("apart", turn("?", none)),
        evaluated("unlabelled", turn("?", verdict("Relevance", 1))),
        evaluated("other", turn("?", verdict("Coherence", 1))),
    )
    labels = [label("pass", name) for name in ("i0", "i1", "broken", "apart")]
    found = calibrate(run, labels)
    (each,) = found.evaluators

    assert (each.count, each.agreed, each.errors, each.not_applicable, each.unlabelled) == (2, 2, 1, 1, 1)
    assert found.unlabelled == 2


@pytest.mark.parametrize(
    ("scores", "labels", "said"),
    [
        ([4, 4, 2, 2], ["pass", "fail", "fail", "fail"], "no other agrees better than 3 (3 of 4)"),
        (
            [2, 2, 1, 5] * 9,
            ["pass", "pass", "fail", "pass"] * 9,
            "2 agrees with 36, 3 with 18 of 36; 36 (90.4% to 100.0%)",
        ),
        ([2, 2, 1, 5] * 9, ["pass", "pass", "fail", "pass"] * 9, "better by more than noise, p < 0.0001"),
        ([2, 3, 2, 3], ["pass", "fail", "pass", "pass"], "2, which everything passes, agrees with 3, 3 with 1 of 4"),
        ([2, 3, 2, 3], ["pass", "fail", "pass", "pass"], "could be noise, p = 0.5"),
        (
            [1, 3, 4],
            ["fail", "fail", "pass"],
            "4 agrees with 3, 3 with 2 of 3; 2 (20.8% to 93.9%) when each label is left",
        ),
        ([1, 3, 4], ["fail", "fail", "pass"], "left out of the choice: not better"),
    ],
)
def test_a_better_threshold_is_told_with_what_is_to_be_expected_of_it(scores, labels, said):
    found = calibrate(run_of(*items(*scores)), [label(value, f"i{place}") for place, value in enumerate(labels)])
    assert any(said in line for line in calibration_lines(found, 200)), list(calibration_lines(found, 200))


def test_an_evaluator_that_never_decided_has_no_figures():
    found = calibrate(run_of(evaluated("a", turn("?", error("Relevance")))), [label("pass", "a")])
    (each,) = found.evaluators

    assert (each.count, each.errors, each.agreement, each.kappa) == (0, 1, None, None)
    assert next(calibration_lines(found, 80)) == "Relevance: too few labels (n = 0) to say"


def test_a_grade_is_a_pass_from_the_threshold_of_the_evaluator_or_from_where_it_is_said():
    assert calibrated([3, 3, 3], [2, 3, 4]).confusion == ((2, 0), (1, 0))
    assert calibrated([3, 3, 3], [2, 3, 4], good_from=4).confusion == ((1, 0), (2, 0))


@pytest.mark.parametrize(
    ("scale", "threshold", "score", "labels", "good"),
    [
        ((1, 5), 3, 5, ["1", "0"], [True, False]),
        ((1, 5), 3, 5, ["1", "4"], [False, True]),
        ((0, 1), 0.5, 0.7, ["0.6", "0.4"], [True, False]),
        ((0, 1), 0.5, 0.7, ["2", "4"], [False, True]),
        ((0, None), 2, 7, ["1", "9"], [False, True]),
        ((0, 1), None, True, [True, False], [True, False]),
        ((0, 1), None, True, ["1", "0"], [True, False]),
    ],
)
def test_a_number_is_on_the_scale_of_the_evaluator(scale, threshold, score, labels, good):
    one = replace(verdict("X", score, threshold=threshold or 0, scale=scale), threshold=threshold)
    run = run_of(*(evaluated(f"i{place}", turn(f"{place}?", one)) for place in range(len(labels))))
    found = calibrate(run, [label(value, f"i{place}") for place, value in enumerate(labels)]).evaluators[0]

    assert [found.good, found.count - found.good] == [sum(good), len(good) - sum(good)]


@pytest.mark.parametrize("value", ["maybe", "6", "0.5", "nan", "-1", None, [1], 7])
def test_a_label_that_is_none_is_named_with_its_place(value):
    with pytest.raises(ConfigurationError, match=r"labels\.csv:2: the label .* allowed are pass and fail.* 1 to 5\.$"):
        calibrate(run_of(*items(3, 4)), [label(value, "i0"), label("5", "i1")])


def test_several_labellers_are_the_ceiling_and_a_tie_is_left_out():
    run = run_of(*items(5, 5, 1, 1))
    said = {"i0": ("pass", "pass", "pass"), "i1": ("pass", "fail"), "i2": ("fail", "fail", "pass"), "i3": ("fail",)}
    labels = [
        label(value, name, labeller=who)
        for name, values in said.items()
        for who, value in zip(("ann", "ben", "cem"), values, strict=False)
    ]
    found = calibrate(run, labels).evaluators[0]

    assert (found.confusion, found.tied) == (((1, 0), (0, 2)), 1)
    assert (found.ceiling.labellers, found.ceiling.responses) == (3, 3)
    assert found.ceiling.people == pytest.approx((1 + 0 + 1 / 3) / 3)
    assert found.ceiling.evaluator == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)
    pairs = {
        ("ann", "ben"): ([1, 1, 0], [1, 0, 0]),
        ("ann", "cem"): ([1, 0], [1, 1]),
        ("ben", "cem"): ([1, 0], [1, 1]),
    }
    expected = sum(cohen_kappa_score(*each) * len(each[0]) for each in pairs.values()) / 7
    assert found.ceiling.kappa == pytest.approx(expected)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (3, "agrees with people as well as two people do ("),
        (6, "better than chance; too few labels to say whether it agrees as well as two people do ("),
        (16, "better than chance, but agrees with people less than two people do ("),
    ],
)
def test_the_evaluator_is_measured_by_what_two_people_reach(wrong, sentence):
    """Two people agree on 57 of 60 responses; the evaluator differs from both on some others."""
    good = [place % 2 == 0 for place in range(60)]
    scores = [5 if fine is (place >= wrong) else 1 for place, fine in enumerate(good)]
    labels = [
        label("pass" if fine is not (who == "ben" and place >= 57) else "fail", f"i{place}", labeller=who)
        for place, fine in enumerate(good)
        for who in ("ann", "ben")
    ]
    found = calibrate(run_of(*items(*scores)), labels).evaluators[0]

    assert found.sentence.startswith(sentence)


def test_a_judge_that_likes_long_answers_is_found_and_position_is_no_excuse():
    scores = [5, 3, 3, 5] * 10
    answers = [turn("?", verdict("Relevance", score), text="word " * score) for score in scores]
    run = run_of(*(evaluated(f"i{place}", answer) for place, answer in enumerate(answers)))
    calibration = calibrate(run, [label(3, f"i{place}") for place in range(40)])
    found = calibration.evaluators[0]

    assert (found.length.direction, found.length.lower, found.length.upper) == (1, 0, 2)
    assert found.position.direction == 0
    assert any("milder with longer responses" in line for line in calibration_lines(calibration, 200))


def thread():
    return evaluated(
        "t",
        turn("1?", verdict("Relevance", 5), index=1),
        turn("2?", verdict("Relevance", 1), verdict("Tone", 5), index=2),
    )


@pytest.mark.parametrize(
    ("labels", "compared"),
    [
        ([label("pass", "t")], {"Relevance": [(0, 1)], "Tone": [(1, 0)]}),
        ([label("pass", "t", evaluator="Relevance")], {"Relevance": [(0, 1)]}),
        ([label("pass", "t", turn=1)], {"Relevance": [(1, 0)]}),
        ([label("pass", "t", turn=2, evaluator="Tone")], {"Tone": [(1, 0)]}),
        # That for the evaluator counts, whatever stands first.
        ([label("fail", "t"), label("pass", "t", evaluator="Tone")], {"Relevance": [(0, 0)], "Tone": [(1, 0)]}),
    ],
)
def test_a_label_is_for_what_it_names_and_without_a_turn_for_the_last_one(labels, compared):
    found = calibrate(run_of(thread()), labels)

    assert {each.evaluator: [each.confusion[0]] for each in found.evaluators} == compared
    assert found.unmatched == found.overruled == ()


def test_labels_without_a_verdict_are_told():
    labels = [
        label("pass", "t"),
        label("pass", "gone"),
        label("pass", "t", turn=3),
        label("fail", "t", evaluator="tone"),
    ]
    assert calibrate(run_of(thread()), labels).unmatched == (
        "labels.csv:2 (gone)",
        "labels.csv:2 (t [turn 3])",
        "labels.csv:2 (t [tone])",
    )


def test_labels_that_match_nothing_at_all_are_an_error():
    with pytest.raises(ConfigurationError, match=r"none of the labels \(1\) is for a verdict .* labels.csv:2 \(gone\)"):
        calibrate(run_of(thread()), [label("pass", "gone")])
    with pytest.raises(ConfigurationError, match="there are no labels"):
        calibrate(run_of(thread()), [])


def test_the_first_of_two_labels_that_contradict_each_other_counts_and_the_other_is_told():
    labels = [label("fail", "i0"), Label("pass", "b.csv:9", "i0"), Label("fail", "c.csv:9", "i0")]
    found = calibrate(run_of(*items(5)), labels)

    assert found.evaluators[0].false_passes == 1
    assert found.overruled == ("b.csv:9",)


def test_an_id_of_two_documents_needs_the_document():
    run = run_of(
        *(evaluated("a", turn("?", verdict("Relevance", 5)), document=name) for name in ("x/a.json", "x/b.json"))
    )
    with pytest.raises(ConfigurationError, match=r"'a' is an item of x/a.json and of x/b.json; the column document"):
        calibrate(run, [label("pass", "a")])
    found = calibrate(run, [label("pass", "a", document="b.json"), label("fail", "a", document="/home/x/a.json")])
    assert found.evaluators[0].confusion == ((1, 0), (1, 0))


def test_the_very_document_is_meant_before_one_of_that_name_in_a_folder():
    answers = {name: turn("?", verdict("Relevance", score)) for name, score in (("a.json", 5), ("x/a.json", 1))}
    run = run_of(*(evaluated("a", answer, document=name) for name, answer in answers.items()))

    assert calibrate(run, [label("pass", "a", document="a.json")]).evaluators[0].confusion == ((1, 0), (0, 0))
    assert calibrate(run, [label("pass", "a", document="x/a.json")]).evaluators[0].confusion == ((0, 1), (0, 0))


def test_labels_are_read_from_results_and_from_eval_documents(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    human = {"Relevance": {"ann": 4, "ben": "fail"}, "Tone": False}
    content = {
        "turns": [{"prompt": "1?", "extensions": {"human": "pass"}}, {"prompt": "2?"}],
        "extensions": {"id": "t", "human": human},
    }
    write(run_of(replace(thread(), content=content)), tmp_path / "results.json")
    dataset = {"schemaVersion": "1.11.0", "items": [{"prompt": "Two words?", "extensions": {"human": 3}}, content]}
    (tmp_path / "hr.json").write_text(json.dumps(dataset))

    def told(labels):
        return [(one.item, one.turn, one.evaluator, one.labeller, one.value) for one in labels]

    of_thread = [
        ("t", 1, "", "", "pass"),
        ("t", None, "Relevance", "ann", 4),
        ("t", None, "Relevance", "ben", "fail"),
        ("t", None, "Tone", "", False),
    ]
    assert told(of_run(restore(tmp_path / "results.json"))) == of_thread
    assert told(of_file(tmp_path / "hr.json")) == [("two-words", None, "", "", 3), *of_thread]
    assert has_results(tmp_path / "results.json")
    assert not has_results(tmp_path / "hr.json")


def test_the_page_has_a_section_that_escapes_what_others_wrote():
    run = run_of(*(replace(item, id=HOSTILE) for item in items(5, reason=HOSTILE, name="<b>X</b>")))
    calibration = calibrate(run, [Label("no", HOSTILE, HOSTILE, labeller=HOSTILE), Label("no", HOSTILE, HOSTILE * 2)])
    page = render(replace(run, calibration=calibration))

    assert "Compared with people's labels" in page.replace("&#39;", "'")
    assert "False passes (1)" in page
    assert "Labels without a verdict (1)" in page
    assert "<b>X</b>" not in page
    assert "<script>document.title" not in page
    assert "\x1b" not in page
    assert not any("\x1b" in line or "\u202e" in line for line in calibration_lines(calibration, 300))
    assert "people's labels" not in render(run).replace("&#39;", "'")
