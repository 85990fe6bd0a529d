"""The summary of a run as lines for a terminal."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from sample_runs import HOSTILE, error, evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.reports.columns import cut, fitted, left, right, width
from pytest_agentevals.reports.comparison import Change, Comparison, EvaluatorChange
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.reports.ranking import Ranking
from pytest_agentevals.reports.tally import Tally
from pytest_agentevals.reports.terminal import comparison_lines, evaluator_table, gate_lines, summary_lines
from pytest_agentevals.results import Outcome, Verdict


def tally_of(run):
    return Tally.of(item.run for item in run.items)


def texts(lines):
    return [line.text for line in lines]


def test_each_evaluator_has_a_line_with_its_figures():
    lines = list(evaluator_table(tally_of(sample_run()).evaluators, 80))

    assert texts(lines) == [
        "evaluator  n  passed  failed  errors  pass rate  mean  threshold",
        "Relevance  6       4       2       0     66.67%  3.33          3",
        "Coherence  2       1       0       1       100%     4          3",
        "F1Score    1       0       1       0         0%  0.25       0.50",
        "Tone       1       1       0       0       100%  0.60       0.50",
    ]
    assert [line.style for line in lines] == ["place", "bad", "unknown", "bad", "good"]


def test_columns_for_what_hardly_occurs_are_there_where_it_does():
    skipped = Verdict(outcome=Outcome.NOT_APPLICABLE, evaluator="Relevance")
    run = run_of(
        evaluated("a", turn("?", skipped)),
        evaluated("b", turn("?", verdict("Relevance", 1)), tolerated={"Relevance": "Relevance mean >= 1"}),
        evaluated("c", turn("?", verdict("Relevance", 3, threshold=2))),
    )
    lines = list(evaluator_table(tally_of(run).evaluators, 90))

    assert texts(lines) == [
        "evaluator  n  passed  failed  errors  n/a  tolerated  pass rate  mean  threshold",
        "Relevance  3       1       1       0    1          1        50%     2     2 to 3",
    ]
    assert lines[1].style == "unknown"


def test_what_was_not_decided_has_no_rate_and_is_not_green():
    lines = list(evaluator_table(tally_of(run_of(evaluated("a", turn("?", error("Relevance"))))).evaluators, 80))

    assert lines[1].text.split() == ["Relevance", "1", "0", "0", "1", "-", "-", "-"]
    assert lines[1].style == "unknown"


def test_narrow_terminals_show_fewer_columns_and_the_ends_of_names():
    run = run_of(evaluated("a", turn("?", verdict("a_long_name_of_an_evaluator", 4), verdict("日本語の評価", 4))))
    evaluators = tally_of(run).evaluators

    assert texts(evaluator_table(evaluators, 60)) == [
        "evaluator         n  passed  failed  errors  pass rate  mean",
        "a_long_…valuator  1       1       0       0       100%     4",
        "日本語の評価      1       1       0       0       100%     4",
    ]
    assert texts(evaluator_table(evaluators, 40)) == [
        "evaluator      n  passed  failed  errors",
        "a_long…luator  1       1       0       0",
        "日本語の評価   1       1       0       0",
    ]


@settings(max_examples=40, deadline=None)
@given(names=st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4), room=st.integers(40, 200))
def test_no_line_is_wider_than_the_terminal(names, room):
    run = run_of(evaluated("a", turn("?", *(verdict(name, 1, reason=name) for name in names))))

    assert all(width(line.text) <= room for line in summary_lines(tally_of(run), room, verbose=True))


def test_the_items_with_the_lowest_scores_come_first_with_the_reason():
    run = run_of(
        evaluated("meh", turn("?", verdict("Relevance", 2, reason="It misses the point."), verdict("Coherence", 2))),
        evaluated("good", turn("?", verdict("Relevance", 5))),
        evaluated("bad", turn("?", verdict("F1Score", 0.4, threshold=0.5, scale=(0, 1)), verdict("Relevance", 1))),
        evaluated("expected", turn("?", verdict("Relevance", 1)), xfail="known"),
        evaluated("cites", turn("?", verdict("Citations", 1, threshold=2, scale=(0, None), reason="One citation."))),
    )

    assert texts(summary_lines(tally_of(run), 80))[5:] == [
        "lowest scores:",
        "  datasets/hr.json::bad [Relevance] 1/5 < 3: Because.",
        "  datasets/hr.json::meh [Relevance] 2/5 < 3: It misses the point.",
        "  datasets/hr.json::cites [Citations] 1 < 2: One citation.",
    ]


def test_a_low_score_that_a_gate_tolerates_says_so():
    run = run_of(evaluated("a", turn("?", verdict("Relevance", 1)), tolerated={"Relevance": "Relevance mean >= 1"}))

    assert texts(summary_lines(tally_of(run), 80))[3] == (
        "  datasets/hr.json::a [Relevance] tolerated, 1/5 < 3: Because."
    )


def test_only_the_worst_of_many_are_told():
    run = run_of(
        *(evaluated(f"i{number}", turn("?", verdict("Custom", number, threshold=9))) for number in range(1, 8))
    )
    lines = texts(summary_lines(tally_of(run), 80))

    assert lines[2] == "lowest scores (5 of 7 items):"
    assert [line.split()[0] for line in lines[3:]] == [f"datasets/hr.json::i{number}" for number in range(1, 6)]


def test_where_nothing_failed_nothing_is_worst():
    assert len(texts(summary_lines(tally_of(run_of(evaluated("a", turn("?", verdict("Relevance", 5))))), 80))) == 2


def test_the_slowest_judgments_and_responses_are_told_to_who_asks():
    slow = replace(verdict("Relevance", 5), usage=replace(verdict("Relevance", 5).usage, seconds=9))
    replayed = replace(slow, usage=replace(slow.usage, replayed=True, seconds=99))
    run = run_of(
        evaluated("fast", turn("?", verdict("Relevance", 5), index=1), turn("?", replayed, index=2)),
        evaluated("slow", turn("?", slow)),
    )

    assert texts(summary_lines(tally_of(run), 80, verbose=True))[2:] == [
        "slowest judgments:",
        "  9 s  datasets/hr.json::slow [Relevance]",
        "  0.50 s  datasets/hr.json::fast [turn 1: Relevance]",
        "slowest responses:",
        "  1.20 s  datasets/hr.json::fast [turn 1]",
        "  1.20 s  datasets/hr.json::fast [turn 2]",
        "  1.20 s  datasets/hr.json::slow",
    ]


def test_foreign_text_moves_no_cursor_and_breaks_no_line():
    change = Change(item=HOSTILE, document="a.json", name=HOSTILE, before=Outcome.PASS, after=Outcome.FAIL, reason="\n")
    comparison = Comparison(baseline=HOSTILE, baseline_started="", matched=1, regressions=(change,), remarks=(HOSTILE,))
    gate = GateResult(text=HOSTILE, value=1, count=1, met=False, reason=HOSTILE)
    lines = [
        *summary_lines(tally_of(run_of(evaluated(HOSTILE, turn("?", verdict(HOSTILE, 1, reason=HOSTILE))))), 80),
        *comparison_lines(comparison, 80),
        *gate_lines([gate]),
    ]

    assert not any(set("\x1b\x07\n\r\u202e") & set(line.text) for line in lines)


def test_unmet_gates_come_first_in_red():
    met = GateResult(text="errors <= 1", value=0, count=9, met=True)
    unmet = GateResult(text="Relevance mean >= 4", value=3.5, count=9, met=False)
    shown = replace(unmet, enforced=False)
    lines = list(gate_lines([met, unmet, shown]))

    assert [line.style for line in lines] == ["bad", "unknown", ""]
    assert texts(lines) == [f"evals: {gate}" for gate in (unmet, shown, met)]


def test_a_comparison_says_what_got_worse_and_whether_that_is_more_than_noise():
    change = Change(
        item="a.json::leave",
        document="a.json",
        name="Relevance",
        before=Outcome.PASS,
        after=Outcome.ERROR,
        before_score=4,
        reason="no answer within 120 s",
    )
    evaluator = EvaluatorChange(
        evaluator="Relevance",
        pairs=40,
        worse=9,
        better=0,
        before_pass_rate=1.0,
        after_pass_rate=0.775,
        before_mean=4.0,
        after_mean=3.1,
        outcome_p=0.004,
        score_p=None,
        p=0.004,
        direction=-1,
    )
    comparison = Comparison(
        baseline="main.json",
        baseline_started="",
        matched=40,
        removed=("a.json::old",),
        regressions=(change,) * 7,
        evaluators=(replace(evaluator, evaluator="Other", p=0.5, direction=0), evaluator),
        remarks=("The judge differs.",),
    )
    lines = list(comparison_lines(comparison, 90))

    told = "  a.json::leave [Relevance] pass (4) -> error: no answer within 120 s"
    assert texts(lines) == [
        "evals: compared with main.json: 7 regressions, 0 fixed, 40 items matched, 1 missing",
        *[told] * 5,
        "  and 2 more",
        f"  Relevance: {evaluator.sentence}",
        f"  Other: {comparison.evaluators[0].sentence}",
        "  The judge differs.",
    ]
    assert [line.style for line in lines] == ["bad", "", "", "", "", "", "", "bad", "", "unknown"]


wide = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("日本語e\u0301"))


@settings(deadline=None)
@given(text=wide, room=st.integers(1, 40))
def test_shortened_text_fits_and_full_text_stays(text, room):
    for shorten in (fitted, cut):
        assert width(shorten(text, room)) <= room
        assert shorten(text, width(text) + 1) == text
    assert width(left(fitted(text, room), room)) == width(right(fitted(text, room), room)) == room


def test_wide_characters_take_two_columns_and_combining_ones_none():
    assert [width(text) for text in ("abc", "日本", "e\u0301", "ｱ", "\u3000", "")] == [3, 4, 1, 1, 2, 0]
    assert fitted("日本語の評価", 7) == "日…評価"
    assert fitted("abcdefghij", 6) == "ab…hij"
    assert cut("abc defgh", 5) == "abc…"


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5)), st.integers(1, 6))
def test_a_ranking_is_the_beginning_of_the_sorted_list(numbers, size):
    ranking = Ranking(size)
    for position, number in enumerate(numbers):
        ranking.add(number, position)

    assert list(ranking) == sorted(range(len(numbers)), key=lambda position: numbers[position])[:size]
    assert ranking.count == len(numbers)


def test_the_last_line_counts_verdicts_and_tells_tolerated_ones_apart():
    bad = verdict("Relevance", 1)
    run = run_of(
        evaluated("a", turn("?", verdict("Relevance", 5))),
        evaluated("b", turn("?", bad), tolerated={"Relevance": "Relevance mean >= 1"}),
        evaluated("c", turn("?", bad)),
        evaluated("d", turn("?", Verdict(outcome=Outcome.NOT_APPLICABLE, evaluator="Relevance"))),
    )

    assert tally_of(run).verdict_line() == "evals: 1 failed, 1 tolerated by gates, 1 passed, 1 skipped"
    assert tally_of(run_of(run.items[1])).verdict_line() == "evals: 1 tolerated by gates"
    assert tally_of(run_of(run.items[3])).verdict_line() == "evals: nothing was evaluated"
