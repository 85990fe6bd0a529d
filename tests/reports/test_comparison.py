"""A run beside an earlier one: which items and verdicts belong together, and what is said of their differences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_runs import error, evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.reports.cases import Kind, Trouble
from pytest_agentevals.reports.comparison import EvaluatorChange, probability
from pytest_agentevals.reports.comparison.compare import compare
from pytest_agentevals.results import JudgeUsage, Outcome, TurnError, TurnResult, Verdict


def rated(scores, name="Relevance", **rest):
    """Return a run of one evaluator with these scores, item by item."""
    return run_of(*(evaluated(f"i{n}", turn(f"{n}?", verdict(name, score, **rest))) for n, score in enumerate(scores)))


def only(comparison):
    (evaluator,) = comparison.evaluators
    return evaluator


def test_a_run_does_not_differ_from_itself():
    comparison = compare(sample_run(), sample_run(), "base.json")
    assert comparison.matched == len(sample_run().items)
    different = (comparison.added, comparison.removed, comparison.regressions, comparison.fixed, comparison.changed)
    assert different == ((),) * 5
    assert comparison.remarks == ()
    assert {each.p for each in comparison.evaluators} == {None}
    assert comparison.regression("any") is comparison.regression("significant") is None


def test_what_got_worse_got_better_and_moved():
    comparison = compare(rated([2, 4, 5, 3]), rated([4, 2, 4, 3]), "base.json")
    assert [(each.item, each.before, each.after) for each in comparison.regressions] == [
        ("datasets/hr.json::i0", Outcome.PASS, Outcome.FAIL)
    ]
    assert [(each.item, each.difference) for each in comparison.fixed] == [("datasets/hr.json::i1", 2)]
    assert [(each.item, each.difference) for each in comparison.changed] == [("datasets/hr.json::i2", 1)]
    found = only(comparison)
    assert (found.pairs, found.worse, found.better, found.lower, found.higher) == (4, 1, 1, 1, 2)
    assert (found.before_pass_rate, found.after_pass_rate) == (0.75, 0.75)
    assert (found.before_mean, found.after_mean) == (3.25, 3.5)
    assert comparison.regression("any") == "1 regression"


def test_items_match_by_address_then_id_then_prompts():
    def item(name, prompt, document, score):
        return evaluated(name, turn(prompt, verdict("Relevance", score)), document=document)

    baseline = run_of(
        item("same", "1?", "a.json", 5),
        item("same", "1?", "b.json", 4),
        item("moved", "2?", "a.json", 3),
        item("renamed", "3?", "a.json", 2),
        item("gone", "4?", "a.json", 1),
        item("double", "5?", "a.json", 1),
    )
    run = run_of(
        item("same", "1!", "b.json", 4),
        item("same", "1!", "a.json", 5),
        item("moved", "2!", "c.json", 3),
        item("called-otherwise", "3?", "c.json", 2),
        item("new", "6?", "a.json", 1),
        item("double", "7?", "c.json", 1),
        item("double", "5!", "d.json", 1),
    )
    comparison = compare(run, baseline, "base.json")
    assert comparison.matched == 4
    assert not comparison.changed
    assert comparison.added == ("a.json::new", "c.json::double", "d.json::double")
    assert comparison.removed == ("a.json::gone", "a.json::double")


def test_turns_of_a_thread_are_compared_one_by_one():
    def thread(*scores):
        turns = [turn(f"{n}?", verdict("Relevance", score), index=n) for n, score in enumerate(scores, 1)]
        return run_of(evaluated("talk", *turns))

    comparison = compare(thread(5, 2), thread(5, 4), "base.json")
    assert [(each.name, each.before_score, each.after_score) for each in comparison.regressions] == [
        ("turn 2: Relevance", 4, 2)
    ]


def test_an_error_is_a_regression_but_no_lower_score():
    baseline = run_of(evaluated("a", turn("a?", verdict("Relevance", 4), verdict("Coherence", 4))))
    run = run_of(evaluated("a", turn("a?", error("Relevance"), verdict("Coherence", 4))))
    comparison = compare(run, baseline, "base.json")
    assert [(each.after, each.difference, each.reason) for each in comparison.regressions] == [
        (Outcome.ERROR, None, "no answer within 120 s")
    ]
    relevance, coherence = comparison.evaluators
    assert (relevance.pairs, relevance.undecided, relevance.p) == (0, 1, None)
    assert relevance.sentence == "nothing to compare; 1 pair with an error on either side"
    assert coherence.sentence == "no difference in 1 verdict"


NO_ANSWER = TurnError(code="agentTimeout", message="no answer in 60 s")


@pytest.mark.parametrize(
    "lost",
    [
        evaluated("a", TurnResult(prompt="a?", evaluators=("Relevance",), error=NO_ANSWER)),
        evaluated("a", troubles=[Trouble(Kind.ERROR, "workerCrashed", "no answer in 60 s, it died")]),
    ],
)
def test_an_item_that_lost_its_verdicts_got_worse(lost):
    baseline = run_of(evaluated("a", turn("a?", verdict("Relevance", 4), verdict("Coherence", 2))))
    comparison = compare(run_of(lost), baseline, "base.json")
    (change,) = comparison.regressions
    assert (change.name, change.after, change.after_score) == ("Relevance", Outcome.ERROR, None)
    assert "no answer in 60 s" in change.reason
    assert [each.undecided for each in comparison.evaluators] == [1, 1]
    assert [each.name for each in compare(baseline, run_of(lost), "base.json").fixed] == ["Relevance"]


def test_what_does_not_apply_is_not_compared():
    nothing = Verdict(outcome=Outcome.NOT_APPLICABLE, evaluator="Relevance", reason="it has no context")
    comparison = compare(run_of(evaluated("i0", turn("0?", nothing))), rated([5]), "base.json")
    assert not comparison.regressions
    assert only(comparison).sentence == "nothing to compare"


def test_many_changes_one_way_are_more_than_noise():
    """Nine of nine verdicts worse: 2 / 2**9, and the same again for their ranks; doubled for two tests."""
    before, after = [5, 4, 4, 5, 4, 5, 4, 5, 4, 3], [1, 2, 1, 2, 2, 1, 1, 1, 2, 3]
    worse = compare(rated(after), rated(before), "base.json")
    found = only(worse)
    assert (found.outcome_p, found.score_p) == (2 / 2**9, 2 / 2**9)
    assert (found.p, found.direction) == (4 / 2**9, -1)
    assert found.sentence == "worse, by more than noise (p = 0.0078, 9 of 10 verdicts differ, 9 scores lower, 0 higher)"
    assert worse.regression("significant") == "worse than the baseline by more than noise: Relevance"
    better = compare(rated(before), rated(after), "base.json")
    assert only(better).sentence.startswith("better, by more than noise")
    assert better.regression("significant") is None


def test_a_few_changes_could_be_noise():
    comparison = compare(rated([2, 2, 4, 5]), rated([4, 4, 2, 5]), "base.json")
    assert only(comparison).sentence == "could be noise (p = 1, 3 of 4 verdicts differ, 2 scores lower, 1 higher)"
    assert comparison.regression("significant") is None


def test_scores_that_repeat_the_outcomes_are_tested_once():
    comparison = compare(
        rated([0, 0, 0, 1], threshold=1, scale=(0, 1)), rated([1, 1, 1, 1], threshold=1, scale=(0, 1)), "base.json"
    )
    found = only(comparison)
    assert (found.outcome_p, found.score_p, found.p) == (0.25, None, 0.25)
    assert found.sentence == "could be noise (p = 0.25, 3 of 4 verdicts differ)"


def test_p_values_are_adjusted_for_all_evaluators():
    """Six verdicts worse of each of two: 2 / 2**6 is below 0.05 for one of two tests, not for one of four."""
    before, after = [0.75] * 6, [0.25, 0.0, 0.125, 0.25, 0.25, 0.0]

    def run(scores, *names):
        rest = {"threshold": 0.5, "scale": (0, 1)}
        return run_of(
            *(
                evaluated(f"i{n}", turn(f"{n}?", *(verdict(name, score, **rest) for name in names)))
                for n, score in enumerate(scores)
            )
        )

    alone = compare(run(after, "F1Score"), run(before, "F1Score"), "base.json")
    assert only(alone).outcome_p == 2 / 2**6
    assert only(alone).p == 4 / 2**6
    both = compare(run(after, "F1Score", "BleuScore"), run(before, "F1Score", "BleuScore"), "base.json")
    assert [each.p for each in both.evaluators] == [8 / 2**6] * 2


def test_what_makes_it_less_of_a_comparison_is_said():
    baseline = rated([4, 4, 4], threshold=4)
    other = replace(verdict("Relevance", 4), usage=JudgeUsage(model="gpt-5"))
    run = run_of(
        *(evaluated(f"i{n}", turn(f"{n}?", other, verdict("Fluency", 4, judged=False))) for n in range(3)),
    )
    run = replace(run, about=replace(run.about, interrupted=True))
    assert compare(run, baseline, "base.json").remarks == (
        "this run ended before all items had run",
        "the judge differs: gpt-4o in the baseline, gpt-5 now",
        "Relevance: the threshold of 3 verdicts differs: 4 in the baseline, 3 now",
        "Fluency has verdicts in this run only",
    )


def test_a_baseline_without_a_common_item_shows_no_progress():
    comparison = compare(rated([5]), run_of(evaluated("other", turn("What?", verdict("Relevance", 5)))), "base.json")
    assert comparison.regression("any") == comparison.regression("significant") == "no item is in the baseline, too"


def test_probabilities_are_not_rounded_to_the_limit():
    assert probability(0.3437) == "= 0.34"
    assert probability(0.04996) == "= 0.04996"
    assert probability(0.0503) == "= 0.0503"
    assert probability(0.00001) == "< 0.0001"


def test_an_error_on_both_sides_is_told():
    same = EvaluatorChange(
        evaluator="Relevance",
        pairs=3,
        worse=0,
        better=0,
        before_pass_rate=1.0,
        after_pass_rate=1.0,
        before_mean=4.0,
        after_mean=4.0,
        outcome_p=None,
        score_p=None,
        undecided=2,
    )
    assert same.sentence == "no difference in 3 verdicts; 2 pairs with an error on either side"
