"""Markdown as a parser that is not ours reads it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from generated_runs import runs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_page import Page
from sample_runs import HOSTILE, error, evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.reports.cases import Kind, Trouble
from pytest_agentevals.reports.comparison import Change, Comparison, EvaluatorChange
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.reports.inert import cell, code
from pytest_agentevals.reports.markdown import COMMENT, render
from pytest_agentevals.reports.visible import one_line, shortened, visible
from pytest_agentevals.results import Outcome

#: Stands in every foreign text, and nowhere else.
MARK = "ZYX"
PIECES = (*"`|\\\n\r\t<>&\"'#[]()!*_~:/=-+.\x00\x1b\u202e", "```", "~~~", "\n\n", "\n    ", "    ", "@octocat", "#12")
PIECES += (
    "www.evil.example",
    "http://evil.example",
    "a@b.example",
    "</details>",
    "</code>",
    "<!--",
    "![x](y)",
    "| - |",
)


def hostile_run(text):
    """Return a run with a text wherever something foreign may stand."""
    failing = verdict(text, 2, reason=text, notes=(text,), parts=(verdict(text, 2, reason=text, part=text),))
    answered = turn(text, failing, verdict("Other", 5), text=text, expected=text)
    crash = Trouble(Kind.ERROR, "callError", text, text)
    change = Change(item=text, document=text, name=text, before=Outcome.PASS, after=Outcome.FAIL, reason=text)
    return run_of(
        evaluated("item", answered, document="a.json"),
        evaluated(text, document=text, troubles=[crash]),
        gates=(GateResult(text=text, value=0.5, count=2, met=False, reason=text),),
        comparison=Comparison(
            baseline=text,
            baseline_started=text,
            matched=1,
            regressions=(change,),
            evaluators=(change_of(text),),
            remarks=(text,),
        ),
    )


def change_of(name):
    return EvaluatorChange(
        evaluator=name,
        pairs=1,
        worse=1,
        better=0,
        before_pass_rate=1.0,
        after_pass_rate=0.0,
        before_mean=4.0,
        after_mean=2.0,
        outcome_p=1.0,
        score_p=1.0,
        p=1.0,
    )


def check_inert(page, *marks):
    """Check that foreign text stands in code and nowhere else."""
    assert not page.types & {"link_open", "image", "html_inline", "code_block", "s_open", "em_open", "hr"}
    assert {tag for tag, *attributes in page.html.tags} <= {"details", "summary", "code"}
    assert all(not attributes for _, *attributes in page.html.tags)
    outside = page.of("text") + page.html.others + [token.info for token in page.tokens if token.type == "fence"]
    for mark in marks:
        assert not any(mark in text for text in outside)
    for text in page.of("code_inline", "fence") + page.html.codes:
        assert visible(text) == text


def test_text_that_would_do_harm_is_text():
    page = Page(render(hostile_run(HOSTILE + " @octocat #12 www.evil.example a@b.example")))

    check_inert(page, "owned", "evil", "octocat", "#12", "pipe", "tick", "abc")
    assert any("<script>document.title" in text for text in page.of("fence"))
    assert any("<script>document.title" in text for text in page.html.codes)


@settings(max_examples=40, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES) | st.characters(), max_size=12).map(lambda parts: MARK + "".join(parts)))
def test_any_text_is_text(text):
    page = Page(render(hostile_run(text)))

    check_inert(page, MARK)
    assert f"{shortened(visible(text), 1000)}\n" in page.of("fence")
    name = shortened(one_line(text), 200)
    regressions, differences, evaluators = page.tables
    assert [row[0] for row in evaluators[1:]] == [name, "Other"]
    assert evaluators[1][1:5] == ["1", "0", "1", "0"]
    assert regressions[1] == [name, name, "pass", "fail", name]
    assert differences[1][0] == name
    assert len(page.headings) == 5


@settings(deadline=None)
@given(st.text(st.sampled_from("`|\\ a\n")))
def test_a_cell_is_one_cell_with_the_text(text):
    page = Page(f"| a | b |\n| --- | --- |\n| {cell(text)} | x |\n")

    assert page.tables[0][1] == [one_line(text), "x"]


def test_code_of_nothing_is_nothing():
    assert code(" \n") == ""


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(run=runs(), limit=st.integers(1500, 6000))
def test_every_run_stays_below_the_limit(run, limit):
    text = render(run, limit=limit, measure=lambda text: len(text.encode()))

    assert len(text.encode()) <= limit
    check_inert(Page(text))


def many(count, *, text="word " * 60):
    return run_of(
        *(evaluated(f"fails-{number}", turn(text, verdict("Relevance", 1, reason=text))) for number in range(count)),
        *(evaluated(f"errs-{number}", turn(text, error("Relevance"))) for number in range(count)),
    )


@pytest.mark.parametrize("text", ["word " * 60, "日本 " * 100], ids=["narrow", "wide"])
def test_what_has_no_room_is_left_out_whole_and_counted(text):
    page = render(many(200, text=text))

    assert len(page) <= COMMENT
    assert page.count("<details>") == page.count("</details>")
    failed, undecided = page.partition("#### Could not be evaluated")[::2]
    for part in (failed, undecided):
        shown = part.count("<details>")
        assert 10 < shown < 200
        assert f"\n{200 - shown} more are left out, for lack of room; reports as `.html` and `.json`" in part


def test_bytes_can_be_the_measure():
    text = render(many(200, text="日本 " * 100), limit=50_000, measure=lambda text: len(text.encode()))

    assert 40_000 < len(text.encode()) <= 50_000


def test_without_room_for_the_head_there_is_nothing():
    assert render(sample_run(), limit=100) == ""


def test_the_headline_counts_verdicts_and_says_how_the_run_was_made():
    page = render(sample_run())

    assert page.startswith("### ❌ Evaluations: 3 failed, 3 could not be evaluated, 6 passed\n")
    assert "\n7 items of 2 documents: 2 failed, 3 could not be evaluated, 2 passed\n" in page
    assert "judge `gpt-4o auto` · agent `app.bot:ask` · 8 judgments, 960 tokens, cost 0.008, 0.50 s each" in page
    assert "started `2026-11-30T10:00:00+00:00` (UTC)" in page


def test_the_table_has_the_figures_of_each_evaluator():
    (table,) = Page(render(sample_run())).tables

    assert table == [
        ["evaluator", "n", "passed", "failed", "errors", "pass rate", "mean", "threshold"],
        ["Relevance", "6", "4", "2", "0", "66.67%", "3.33", "3"],
        ["Coherence", "2", "1", "0", "1", "100%", "4", "3"],
        ["F1Score", "1", "0", "1", "0", "0%", "0.25", "0.50"],
        ["Tone", "1", "1", "0", "0", "100%", "0.60", "0.50"],
    ]


def test_nothing_is_green_without_a_pass():
    good, bad = verdict("Relevance", 5), verdict("Relevance", 1)
    skipped = evaluated("skipped", troubles=[Trouble(Kind.SKIPPED, "pytest.skip", "later")])
    unmet = GateResult(text="Relevance pass_rate >= 0.9", value=0.5, count=2, met=False)
    tolerated = evaluated("tolerated", turn("?", bad), tolerated={"Relevance": "Relevance mean >= 1"})

    change = Change(item="a", document="a", name="Relevance", before=Outcome.PASS, after=Outcome.FAIL)
    worse = Comparison(baseline="main.json", baseline_started="", matched=1, regressions=(change,))

    def sign(*items, **rest):
        return render(run_of(*items, **rest)).split()[1]

    assert sign(evaluated("good", turn("?", good))) == "✅"
    assert sign(skipped) == sign(tolerated) == sign() == "⚠️"
    assert sign(evaluated("bad", turn("?", bad))) == sign(evaluated("error", turn("?", error("Relevance")))) == "❌"
    assert sign(evaluated("good", turn("?", good)), gates=(unmet,)) == "❌"
    assert sign(evaluated("good", turn("?", good)), tolerated, comparison=worse) == "⚠️"


def test_what_a_gate_tolerates_is_told_apart_from_fails_and_errors():
    item = evaluated("a", turn("?", verdict("Relevance", 1)), tolerated={"Relevance": "Relevance mean >= 1"})
    page = Page(render(run_of(item, evaluated("b", turn("?", verdict("Relevance", 5))))))

    assert page.headings == ["✅ Evaluations: 1 tolerated by gates, 1 passed", "Tolerated"]
    assert page.tables[0][1] == ["Relevance", "2", "1", "1", "0", "1", "50%", "3", "3"]
    assert any("tolerated by gate Relevance mean >= 1: 1/5 < 3" in text for text in page.html.codes)


def test_what_got_worse_comes_first():
    change = Change(
        item="datasets/hr.json::hostile",
        document="datasets/hr.json",
        name="Relevance",
        before=Outcome.PASS,
        after=Outcome.FAIL,
        before_score=4,
        after_score=1,
        reason="It rambles.",
    )
    comparison = Comparison(
        baseline="main.json",
        baseline_started="2026-11-29T10:00:00+00:00",
        matched=7,
        regressions=(change,),
        evaluators=(change_of("Relevance"),),
    )
    unmet = GateResult(text="Relevance pass_rate >= 0.9", value=0.66, count=6, met=False)
    met = GateResult(text="errors <= 9", value=3, count=12, met=True)
    text = render(sample_run(comparison=comparison, gates=(met, unmet)))
    page = Page(text)

    assert [heading.split("`")[0].strip() for heading in page.headings[1:]] == [
        "Gates",
        "Compared with",
        "Failed",
        "Could not be evaluated",
    ]
    assert page.tables[0][1] == ["datasets/hr.json::hostile", "Relevance", "pass (4)", "fail (1)", "It rambles."]
    assert page.tables[1][1] == ["Relevance", change_of("Relevance").sentence]
    assert text.index(str(unmet)) < text.index(str(met))
    assert page.html.codes[0] == "datasets/hr.json::hostile"


def test_answers_of_several_judges_are_shown_one_by_one():
    parts = tuple(verdict("Relevance", 2, reason="Meh.", part=f"judge {number}") for number in range(30))
    text = render(run_of(evaluated("a", turn("?", verdict("Relevance", 2, parts=parts)))))

    assert "- `judge 0` `2/5 < 3: Meh.`\n" in text
    assert "- `judge 19` " in text
    assert "\n- and 10 more\n" in text


def test_an_interrupted_run_says_so():
    run = run_of(evaluated("good", turn("?", verdict("Relevance", 5))))
    text = render(replace(run, about=replace(run.about, interrupted=True)))

    assert text.startswith("### ❌ ")
    assert "**Interrupted: not all items have run.**" in text
