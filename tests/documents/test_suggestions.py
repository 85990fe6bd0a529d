from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.documents.suggestions import edits, nearest

WORDS = st.text("abc", max_size=6)


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("", "", 0),
        ("abc", "", 3),
        ("kitten", "sitting", 3),
        ("schemaVerison", "schemaVersion", 1),
        ("expeceted_response", "expected_response", 1),
        ("ca", "abc", 3),
    ],
)
def test_known_distances(first, second, distance):
    assert edits(first, second) == distance


@given(first=WORDS, second=WORDS, at=st.integers(0, 6), letter=st.sampled_from("abcd"))
def test_one_more_letter_is_one_more_edit_at_most(first, second, at, letter):
    assert abs(edits(first[:at] + letter + first[at:], second) - edits(first, second)) <= 1
    assert edits(first, second) == edits(second, first)
    assert (edits(first, second) == 0) == (first == second)


@pytest.mark.parametrize(
    ("name", "known", "suggestion"),
    [
        ("default_evaluator", ["default_evaluators", "items"], "default_evaluators"),
        ("PROMPT", ["prompt"], "prompt"),
        ("terms", ["items"], None),
        ("itmes", ["items"], "items"),
        ("prompt", ["prompt"], None),
        ("category", ["context", "citations"], None),
    ],
)
def test_short_names_must_be_nearer_than_long_ones(name, known, suggestion):
    assert nearest(name, known) == suggestion


def test_the_nearest_of_several_is_suggested():
    assert nearest("F1Scores", ["BleuScore", "GleuScore", "F1Score"], within=2) == "F1Score"
