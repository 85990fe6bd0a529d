"""The HTML page as text; `test_html_browser` has what only a browser can tell."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_pages import LONG, full_run, retrieved
from sample_runs import HOSTILE, error, evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.evaluators.text_metrics.lcs import lcs_length
from pytest_agentevals.judge.faults import NOT_ASKED
from pytest_agentevals.reports.figures import Figures
from pytest_agentevals.reports.html import render
from pytest_agentevals.reports.html.charts import distribution, gauge
from pytest_agentevals.reports.html.differences import common, difference
from pytest_agentevals.reports.html.evidence import retrievals
from pytest_agentevals.reports.html.texts import Span, marked, text
from pytest_agentevals.reports.html.verdicts import of_part
from pytest_agentevals.reports.html.view import View
from pytest_agentevals.reports.html.wording import amount, duration, moment
from pytest_agentevals.reports.tally import Tally
from pytest_agentevals.reports.visible import visible
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import number
from pytest_agentevals.rubrics.scoring import DimensionScore
from pytest_agentevals.rubrics.table import table
from pytest_agentevals.statistics import wilson

PASSED = evaluated("good", turn("Good?", verdict("Relevance", 4)))
NOT_RUN = evaluated("none")


class Page(HTMLParser):
    """Elements, and texts by the class of the innermost element that has one."""

    def __init__(self, source):
        super().__init__()
        self.elements = []
        self.open = []
        self.texts = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in {"meta", "link", "input", "rect", "line"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag, **attributes):
        return [found for name, found in self.elements if name == tag and attributes.items() <= found.items()]


@pytest.fixture(scope="module")
def source():
    return render(full_run())


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def test_elements_are_balanced_and_foreign_text_adds_no_kind_of_them(page):
    quiet = tuple(item for item in full_run().items if item.id not in {"hostile", "tolerated"})
    harmless = Page(render(replace(full_run(), items=quiet, comparison=None)))
    assert {name for name, _ in page.elements} == {name for name, _ in harmless.elements}
    assert page.open == []


def test_ids_are_unique(page):
    assert max(Counter(found["id"] for _, found in page.elements if "id" in found).values()) == 1


def test_foreign_text_becomes_neither_element_nor_attribute_nor_address(page):
    assert len(page.all("script")) == 1
    addresses = [value for _, found in page.elements for name, value in found.items() if name in {"href", "src"}]
    assert all(address.startswith(("#", "data:image/svg+xml,")) for address in addresses)
    names = {name for _, found in page.elements for name in found}
    assert not {name for name in names if name.startswith("on") or name in {"style", "srcdoc", "action"}}


def test_foreign_text_is_told_as_it_is_and_its_controls_are_visible(source, page):
    assert visible(HOSTILE) in page.texts
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", source)


def test_text_in_the_syntax_of_templates_is_only_text():
    syntax = "{{ 7 * 7 }} {% include '/etc/passwd' %} {# gone #}"
    assert syntax in Page(render(run_of(evaluated("one", turn(syntax, verdict("Relevance", 4)))))).texts


def test_half_characters_can_be_written():
    name = "half \ud83d character"
    render(run_of(replace(PASSED, id=name, tags=(name,), evaluators=({"Relevance": {"name": name}},)))).encode()


def test_the_policy_allows_this_style_and_this_script_and_nothing_else(source, page):
    policy = page.all("meta", **{"http-equiv": "Content-Security-Policy"})[0]["content"]
    rules = dict(rule.split(maxsplit=1) for rule in policy.split("; "))
    for element in ("style", "script"):
        own = re.search(f"<{element}>(.*?)</{element}>", source, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert rules.pop(f"{element}-src") == f"'sha256-{digest}'"
    assert rules == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'", "img-src": "data:"}


def test_a_long_text_is_whole_and_not_repeated(source):
    assert source.count("word ") >= LONG.count("word ")
    assert len(source) < 1.2 * len(LONG)


def test_the_figures_of_an_evaluator_are_those_of_the_tally(source):
    figures = Tally.of(item.run for item in full_run().items).evaluators["Relevance"]
    row = re.search('<a href="#evaluator=Relevance">.*?</tr>', source, re.DOTALL)[0]
    counts = [figures.outcomes.total(), figures.passed, figures.failed, figures.errors, figures.not_applicable]
    told = re.findall("<td[^>]*>([^<]*)", row)
    assert told[:8] == [*map(str, counts), str(figures.tolerated), "60% ", number(figures.mean)]
    low, high = wilson(figures.passed, figures.decided)
    assert f"{100 * low:.1f}% to {100 * high:.1f}%" in row


def test_items_are_counted_by_status_and_the_worst_come_first(page):
    counts = Tally.of(item.run for item in full_run().items).items
    order = [found["data-status"] for found in page.all("details") if "data-status" in found]
    assert Counter(order) == counts
    assert order == sorted(order, key=["failed", "error", "tolerated", "skipped", "passed"].index)


@pytest.mark.parametrize(
    ("run", "state", "headline"),
    [
        (run_of(PASSED), "passed", "The item passed"),
        (run_of(PASSED, replace(PASSED, id="b")), "passed", "All 2 items passed"),
        (run_of(PASSED, NOT_RUN), "passed", "1 of 2 items passed, 1 skipped"),
        (run_of(NOT_RUN), "skipped", "Nothing was evaluated"),
        (run_of(), "skipped", "Nothing was evaluated"),
        (sample_run(), "failed", "Of 7 items, 2 failed, 3 could not be evaluated"),
        (
            full_run(),
            "failed",
            "Of 12 items, 4 failed, 3 could not be evaluated, 1 tolerated by gates; 1 gate unmet",
        ),
    ],
)
def test_the_headline_says_what_is_wrong_and_nothing_is_green_without_a_pass(run, state, headline):
    view = View(run)
    assert (view.state, view.headline) == (state, headline)


def test_an_interrupted_run_is_never_green():
    run = run_of(PASSED)
    assert View(replace(run, about=replace(run.about, interrupted=True))).state == "error"


def test_an_interrupted_run_says_so_loudly(source):
    assert "This run was interrupted." in source
    assert "This run was interrupted." not in render(sample_run())


def test_what_several_judges_or_repeats_said_is_told_with_its_spread(page):
    told = [" ".join(part.split()) for part in page.texts]
    assert "3 answers: 1 passed, 1 failed, 1 could not be evaluated; scores from 2 to 4, a spread of 2" in told
    assert "3 answers: 2 passed, 1 failed; scores from 1 to 5, a spread of 4" in told


def test_answers_of_several_judges_in_several_repeats_are_told_inside_each_other():
    judges = tuple(verdict("Relevance", score, part=name) for name, score in (("gpt-4o", 4), ("mistral", 5)))
    repeat = verdict("Relevance", 4, part="repeat 1", parts=judges)
    source = render(run_of(evaluated("one", turn("?", verdict("Relevance", 4, parts=(repeat,))))))
    assert [name for name in re.findall('<th scope="row">([^<]*)</th>', source) if name[0] in "grm"] == [
        "repeat 1",
        "gpt-4o",
        "mistral",
    ]


@pytest.mark.parametrize(
    "dimensions", [None, "x", [1], [{"id": "a"}], [{"id": "a", "score": 3.5, "weight": 1}], [{"id": "a", "score": 3}]]
)
def test_dimensions_of_another_tool_are_told_as_they_are(dimensions):
    details = {"properties": {"dimension_scores": dimensions}}
    view = of_part(verdict("Tone", 0.6, threshold=0.5, scale=(0, 1), details=details, notes=("A note.",)))
    assert view.dimensions == []
    assert view.notes == ("A note.",)


def test_the_table_of_dimensions_is_drawn_and_not_told_again():
    scores = [
        DimensionScore(id="clear", score=4, weight=2, reason="Plain."),
        DimensionScore(id="b", score=None, weight=1, reason="No."),
    ]
    details = {"properties": {"dimension_scores": [one.as_json() for one in scores]}}
    found = verdict("Tone", 0.6, details=details, notes=(*table(scores), "Another note."))
    assert of_part(found).dimensions == scores
    assert of_part(found).notes == ("Another note.",)


def test_judgments_that_were_not_asked_for_are_explained():
    reason = f"the judge refuses the key; {NOT_ASKED}"
    refused = error("Relevance", code="judgeAuthenticationError", reason=reason)
    assert "1 judgment not asked for, after failures" in render(run_of(evaluated("one", turn("?", refused))))


def test_a_run_without_items_is_a_page():
    assert "No item ran." in render(run_of())


def test_the_comparison_tells_regressions_first_and_links_to_items_of_this_run(page):
    told = [part for part in page.texts if part.strip() in {"Regressions (1)", "Fixed (1)", "Other scores (1)"}]
    assert [part.strip() for part in told] == ["Regressions (1)", "Fixed (1)", "Other scores (1)"]
    assert "passed 4 → failed 2 (-2)" in page.texts
    assert page.all("a", href="#item=datasets%2Fhr.json%3A%3Aone-fails")
    assert not page.all("a", href="#item=datasets%2Fhr.json%3A%3Agone")


def test_texts_that_evaluators_looked_for_are_marked_in_what_was_retrieved():
    item = retrieved()
    found = item.result.turns[0]
    (one,) = retrievals(found.response, found.verdicts, item.evaluators[0])
    assert one.queries == [[Span("remote work "), Span("policy", "mark")]]
    assert one.hits[0].extracts == [[Span("Ask for "), Span("REMOTE WORK", "mark"), Span(" early.")]]


def test_a_response_without_retrievals_has_none():
    assert retrievals(AgentResponse(text="x"), (), {}) == []


def test_words_that_differ_are_marked_in_both_texts():
    found = difference("Returns are free within 30 days.", "Returns are always free within 14 days.")
    assert [span.text for span in found.expected if span.kind == "del"] == ["30"]
    assert [span.text for span in found.actual if span.kind == "ins"] == ["always", "14"]


@pytest.mark.parametrize(
    ("expected", "actual", "note"),
    [
        ("The same.", "The same.", "the same text"),
        ("Thirty days.", "Nobody knows.", "few words in common: differences are not marked"),
        ("", " ", "few words in common: differences are not marked"),
        ("a " * 2001, "a", "more than 2,000 words: differences are not marked"),
    ],
)
def test_where_no_difference_is_marked_the_page_says_why(expected, actual, note):
    found = difference(expected, actual)
    assert found.note == note
    assert not any(span.kind for span in (*found.expected, *found.actual))


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_as_many_words_are_shared_as_can_be(first, second):
    pairs = list(common(first, second))[::-1]
    assert all(first[i] == second[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in pairwise(pairs))
    assert len(pairs) == lcs_length(first, second)


WORDS = st.lists(st.sampled_from(["a", "b", "c", " ", "\n", "é", "\u3000"]), max_size=30).map("".join)


@given(WORDS, WORDS)
def test_marking_differences_changes_no_text(expected, actual):
    found = difference(expected, actual)
    assert "".join(span.text for span in found.expected) == expected
    assert "".join(span.text for span in found.actual) == actual


@given(WORDS, st.lists(WORDS, max_size=3))
def test_marking_occurrences_changes_no_text(value, wanted):
    assert "".join(span.text for span in marked(value, wanted)) == value


@given(st.lists(st.builds(Span, WORDS, st.sampled_from(["", "ins"])), max_size=5), st.integers(1, 40))
def test_folding_loses_nothing_and_shows_no_more_than_the_limit(spans, limit):
    found = text(spans, limit)
    joined = "".join(span.text for span in spans)
    assert "".join(span.text for span in (*found.shown, *found.folded)) == joined
    assert len("".join(span.text for span in found.shown)) <= limit
    assert found.length == len(joined)


def figures(*scores, threshold=3, scale=(1, 5)):
    cases = evaluated("x", turn("x", *(verdict(f"E{n}", s, threshold=threshold, scale=scale) for n, s in scores)))
    return Figures.of(cases.cases())


def test_a_distribution_draws_a_bar_for_each_score_and_says_them():
    chart = distribution(figures(*enumerate([1, 2, 2, 4])))
    assert chart.words == "1: 1, 2: 2, 4: 1"
    assert [round(bar.height) for bar in chart.bars] == [10, 20, 0, 10, 0]
    assert [bar.below for bar in chart.bars] == [True, True, False, False, False]
    # Of five bars of 24 units, the third is that of the threshold.
    assert chart.threshold == 48


def test_a_perfect_score_is_not_drawn_below_a_threshold_of_one():
    chart = distribution(figures((0, 1.0), (1, 0.0), threshold=1, scale=(0, 1)))
    assert [bar.below for bar in chart.bars if bar.height] == [True, False]
    assert chart.threshold == 120


def test_no_scores_have_no_chart():
    assert distribution(Figures()) is None


def test_a_gauge_is_in_percent_of_the_scale():
    assert gauge(4, 1, 5, 3) == (75, 50)
    assert gauge(7, 1, 5) == (100, None)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.0123, "12 ms"), (12.5, "12.5 s"), (59.96, "1 min 0 s"), (200, "3 min 20 s"), (3900, "1 h 5 min")],
)
def test_durations_are_told_for_people(seconds, told):
    assert duration(seconds) == told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [((1320, 11, 0), "1,320"), ((0.0115, 9, 2), "0.0115 (2 unknown)"), ((0, 0, 3), "unknown"), ((0, 0, 0), "-")],
)
def test_what_is_unknown_is_not_told_as_nothing(arguments, told):
    assert amount(*arguments) == told


@pytest.mark.parametrize(
    ("started", "told"),
    [
        ("2026-11-30T10:00:59+02:00", "2026-11-30 08:00 UTC"),
        ("2026-11-30T10:00:00", "2026-11-30 10:00 UTC"),
        ("?", "?"),
    ],
)
def test_times_of_day_are_utc(started, told):
    assert moment(started) == told
