from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.traces.conversations import Conversation, split
from pytest_agentevals.traces.notes import Notes
from pytest_agentevals.traces.selection import moment, sample_size, sampled, within
from pytest_agentevals.traces.turns import Turn

NOW = datetime(2026, 11, 30, 13, 45, tzinfo=UTC)


def conversation(*, turns=1, last=None):
    return Conversation([Turn(f"prompt {number}", "answer") for number in range(turns)], last=last)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-29", datetime(2026, 11, 29, tzinfo=UTC)),
        ("2026-11-29T08:00+01:00", datetime(2026, 11, 29, 7, tzinfo=UTC)),
        ("2026-11-29T08:00Z", datetime(2026, 11, 29, 8, tzinfo=UTC)),
        ("24h", NOW - timedelta(days=1)),
        ("90m", NOW - timedelta(minutes=90)),
        ("7d", NOW - timedelta(days=7)),
        ("today", datetime(2026, 11, 30, tzinfo=UTC)),
        ("yesterday", datetime(2026, 11, 29, tzinfo=UTC)),
    ],
)
def test_times_are_read(text, expected):
    assert moment(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "24", "-1h", "999999d"])
def test_other_times_are_refused(text):
    with pytest.raises(ValueError, match="is no time; allowed are such as"):
        moment(text, NOW)


def test_every_conversation_belongs_to_exactly_one_day():
    hours = [conversation(last=NOW - timedelta(hours=hour)) for hour in range(60)]
    days = [datetime(2026, 11, day, tzinfo=UTC) for day in (27, 28, 29, 30)] + [NOW + timedelta(days=1)]

    parts = [within(hours, begin, end, Notes()) for begin, end in pairwise(days)]
    assert sum(map(len, parts)) == 60
    assert {id(one) for part in parts for one in part} == {id(one) for one in hours}


def test_conversations_of_another_time_or_none_are_counted():
    notes = Notes()
    kept = within(
        [conversation(), conversation(last=NOW), conversation(last=NOW - timedelta(days=9))], NOW, None, notes
    )

    assert len(kept) == 1
    assert notes.lines == ["conversations without a time, left out: 1", "conversations of another time, left out: 1"]


@pytest.mark.parametrize(
    ("text", "total", "size"),
    [("5", 10, 5), ("20", 10, 10), ("10%", 10, 1), ("1%", 10, 1), ("100%", 7, 7), ("33.3%", 3, 1), ("10%", 0, 0)],
)
def test_a_sample_is_a_number_or_a_share(text, total, size):
    assert sample_size(text, total) == size


@pytest.mark.parametrize("text", ["0", "-1", "0%", "101%", "many", "1.5", "%"])
def test_other_samples_are_refused(text):
    with pytest.raises(ValueError, match="is no sample; allowed are"):
        sample_size(text, 10)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers())
def test_a_sample_has_its_size_keeps_the_order_and_repeats_itself(total, wanted, seed):
    everything = [conversation() for _ in range(total)]
    size = min(wanted, total)
    taken = sampled(everything, size, seed)

    positions = [next(index for index, one in enumerate(everything) if one is each) for each in taken]
    assert len(taken) == size
    assert positions == sorted(set(positions))
    assert [id(one) for one in sampled(everything, size, seed)] == [id(one) for one in taken]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 90))
def test_long_conversations_are_split_without_losing_a_turn(turns):
    notes = Notes()
    parts = list(split([conversation(turns=turns)], notes))

    assert [turn.prompt for part in parts for turn in part.turns] == [f"prompt {number}" for number in range(turns)]
    assert all(1 <= len(part.turns) <= 20 for part in parts)
    assert bool(notes.lines) is (turns > 20)
