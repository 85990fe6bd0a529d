from __future__ import annotations

import pytest
from evaluators.exchanges import judge
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.errors import MissingInput


def marker(*ids: str) -> str:
    return "\ue200cite" + "".join(f"\ue202{each}" for each in ids) + "\ue201"


@pytest.mark.parametrize(
    ("text", "form", "count"),
    [
        pytest.param("Warsaw [1].", "bracket", 1, id="bracket"),
        pytest.param("Warsaw[1][2].", "bracket", 2, id="adjacent"),
        pytest.param("Warsaw [1, 2].", "bracket", 2, id="two-in-one-pair-of-brackets"),
        pytest.param("Warsaw [1,2,12].", "bracket", 3, id="three-without-spaces"),
        pytest.param("Warsaw [^1^] [^2^].", "bracket", 2, id="carets"),
        pytest.param("Warsaw [^1].", "bracket", 1, id="footnote"),
        pytest.param("[1] and again [1]", "bracket", 2, id="every-occurrence-counts"),
        pytest.param("array[0] of [2024] and [note] [1-3] [] [01]", "bracket", 0, id="no-indices-years-labels-ranges"),
        pytest.param(r"\[1] is escaped", "bracket", 0, id="escaped"),
        pytest.param("[1](https://x.test)", "bracket", 1, id="number-of-a-link-in-bracket"),
        pytest.param("[policy](https://x.test)", "bracket", 0, id="label-is-no-number"),
        pytest.param("[policy](https://x.test/a_(b)) [1](p.md#s)", "markdown", 2, id="links"),
        pytest.param("[policy](<a b.md> \"Title\") [x](u 't')", "markdown", 2, id="link-with-title-and-angle-brackets"),
        pytest.param("[[1]](https://x.test)", "markdown", 1, id="brackets-inside-the-label"),
        pytest.param("[1] [x]() [x](not a link) [y]", "markdown", 0, id="no-links"),
        pytest.param("![chart](c.png) ![1](c.png) ![](c.png)", "mixed", 0, id="images"),
        pytest.param("Yes![1](u) Yes![2]", "mixed", 2, id="exclamation-mark-ends-a-sentence"),
        pytest.param(marker("turn0search0"), "oai_unicode", 1, id="private-use-marker"),
        pytest.param(marker("turn0search0", "turn1news2"), "oai_unicode", 2, id="one-per-source-id"),
        pytest.param(marker("turn0file0", "L8-L13"), "oai_unicode", 1, id="lines-are-no-source"),
        pytest.param("\ue200navlist\ue202x\ue201 \ue200cite\ue201", "oai_unicode", 0, id="other-markers"),
        pytest.param("[1](u)", "mixed", 1, id="link-and-bracket-at-once"),
        pytest.param("[1](u) [2] " + marker("a", "b"), "mixed", 4, id="union"),
        pytest.param("[1](u) [2] " + marker("a"), "auto", 3, id="auto-is-mixed"),
        pytest.param("[1](u) [2]", "inline", 2, id="inline-is-mixed"),
        pytest.param("run `a[1]` or ``b`[2]``", "mixed", 0, id="code-spans"),
        pytest.param("```python\nx[1]\n```\nsee [2]", "mixed", 1, id="code-block"),
        pytest.param("~~~\nx[1]\n", "mixed", 0, id="code-block-without-an-end"),
        pytest.param("```x[1]``` [2]", "mixed", 1, id="three-backticks-in-a-line-are-a-span"),
        pytest.param("Warsaw [1].\n\n[1]: https://x.test\n", "mixed", 1, id="reference-list"),
        pytest.param("", "mixed", 0, id="empty-response"),
    ],
)
def test_citations_counts_what_a_reader_sees_as_citation(text, form, count):
    verdict = judge("Citations", {"citation_format": form}, text)
    assert verdict.score == count
    assert verdict.details["count"] == count
    assert len(verdict.details["citations"]) == count


@pytest.mark.parametrize(("threshold", "outcome"), [(1, "pass"), (2, "pass"), (3, "fail")])
def test_citations_needs_the_threshold(threshold, outcome):
    verdict = judge("Citations", {"threshold": threshold}, "[1] [2]")
    assert verdict.outcome == outcome
    assert verdict.threshold == threshold
    assert verdict.reason == f"the response has 2 citations of at least {threshold}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("[1] [1] [2]", 2),
        ("[1](u) [1] [2](u)", 1),
        ("[policy](u) [rules](u) [rules](v)", 2),
        (marker("a", "b") + marker("a"), 2),
    ],
)
def test_distinct_citations_counts_sources(text, count):
    assert judge("Citations", {"distinct": True}, text).score == count


def test_citations_are_listed_with_number_text_and_source():
    text = f"[3](u) [policy](v) [3] {marker('turn0search1')}"
    verdict = judge("Citations", {}, text)
    assert verdict.details["format"] == "mixed"
    assert verdict.details["citations"] == [
        {"index": 3, "text": "[3]", "source": "u"},
        {"index": 2, "text": "policy", "source": "v"},
        {"index": 3, "text": "[3]", "source": "u"},
        {"index": 4, "text": "turn0search1", "source": "turn0search1"},
    ]


def test_citations_names_the_format_found():
    assert judge("Citations", {}, "[1] [2]").details["format"] == "bracket"
    assert judge("Citations", {}, "none").details["format"] == "mixed"


def test_an_unknown_citation_format_is_said():
    assert judge("Citations", {"citation_format": "brackets"}, "[1]").notes == (
        'citation_format "brackets" is not known and counts as "mixed"',
    )
    assert judge("Citations", {"citation_format": "auto"}, "[1]").notes == ()


def test_structured_citations_count_only_when_asked_for():
    citations = [{"index": 7, "source": "a"}, {"text": "b"}, {"source": "a"}]
    assert judge("Citations", {}, "no marker", citations=citations).score == 0
    verdict = judge("Citations", {"source": "structured"}, "[1]", citations=citations)
    assert verdict.score == 3
    assert verdict.details["citations"] == [
        {"index": 7, "source": "a"},
        {"index": 2, "text": "b"},
        {"index": 3, "source": "a"},
    ]
    assert judge("Citations", {"source": "structured", "distinct": True}, citations=citations).score == 2
    assert judge("Citations", {"source": "structured"}, citations=[]).outcome == "fail"


def test_structured_citations_that_are_not_known_decide_nothing():
    with pytest.raises(MissingInput, match="citations"):
        judge("Citations", {"source": "structured"}, "[1]")


PIECES = st.lists(st.sampled_from(["[1]", "[2, 3]", "[a](u)", "![i](u)", marker("s", "t"), "`[4]`", "[0]"]))


@settings(deadline=None)
@given(PIECES, PIECES)
def test_the_citations_of_two_paragraphs_add_up(one, other):
    def count(pieces: list[str]) -> int:
        return judge("Citations", {}, " ".join(pieces)).score

    assert judge("Citations", {}, " ".join(one) + "\n\n" + " ".join(other)).score == count(one) + count(other)


@pytest.mark.parametrize(
    "piece", ["[", "[a", "[a](", '[a](u "', "[a](u(", "`", "``a`", "![", "[1, ", "\ue200cite\ue202", "[[x]"]
)
def test_citations_are_found_in_linear_time_in_hostile_text(piece):
    """100,000 characters take a fraction of a second; quadratic time would take minutes."""
    assert judge("Citations", {}, piece * (100_000 // len(piece))).score == 0
