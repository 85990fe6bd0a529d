"""The table of dimensions that a verdict carries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.rubrics.scoring import DimensionScore
from pytest_agentevals.rubrics.table import table


def test_the_table_shows_score_bar_weight_and_reason_of_every_dimension():
    scores = [
        DimensionScore(id="policy_enforcement", score=1, weight=5, reason="The party of 12 is over the limit of 8."),
        DimensionScore(id="tone", score=5, weight=2.5, reason="Courteous."),
        DimensionScore(id="tools", score=None, weight=10, reason="None was needed."),
    ]

    assert list(table(scores)) == [
        "dimension           score      weight",
        "policy_enforcement  1 #....         5",
        "    The party of 12 is over the limit of 8.",
        "tone                5 #####       2.5",
        "    Courteous.",
        "tools               n/a            10",
        "    None was needed.",
    ]


def test_true_and_false_have_no_weights():
    scores = [
        DimensionScore(id="harmless", score=True, weight=1, reason="Nothing harmful."),
        DimensionScore(id="private", score=False, weight=1, reason="Gives away a phone number."),
    ]

    assert list(table(scores, weighted=False)) == [
        "dimension  score",
        "harmless   true",
        "    Nothing harmful.",
        "private    false",
        "    Gives away a phone number.",
    ]


@given(
    st.lists(
        st.builds(
            DimensionScore,
            id=st.text(min_size=1, max_size=200),
            score=st.one_of(st.none(), st.integers(1, 5)),
            weight=st.integers(1, 10),
            reason=st.text(max_size=2000),
        ),
        min_size=1,
    )
)
def test_the_table_fits_into_76_columns(scores):
    assert max(map(len, table(scores))) <= 76
