"""Server-sent events, read as the HTML standard says."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.agents.server_sent_events import read_events


def read(*chunks):
    async def stream():
        for chunk in chunks:
            yield chunk

    async def collect():
        return [(event.name, event.data) async for event in read_events(stream())]

    return asyncio.run(collect())


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        # The examples of the standard.
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [("message", "YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [("message", "first event"), ("message", "second event"), ("message", " third event")],
        ),
        ("data\n\ndata\ndata\n\ndata:", [("message", ""), ("message", "\n")]),
        ("data:test\n\ndata: test\n\n", [("message", "test"), ("message", "test")]),
        # Of our own.
        ("event: add\ndata: 1\n\ndata: 2\n\n", [("add", "1"), ("message", "2")]),
        ("event: lost\n\ndata: 1\n\n", [("message", "1")]),
        ("\ufeffdata: 1\r\rdata: 2\r\n\r\n", [("message", "1"), ("message", "2")]),
        ("data: a\u2028b\x0bc\x85d\n\n", [("message", "a\u2028b\x0bc\x85d")]),
        ("data: \ufeff1\n\n", [("message", "\ufeff1")]),
        ("data: cut off\n", []),
        ("", []),
    ],
)
def test_a_stream_is_read_as_the_standard_says(stream, events):
    assert read(stream) == events


LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))


@given(st.lists(st.lists(LINE, min_size=1, max_size=3), max_size=4), st.sampled_from(["\n", "\r", "\r\n"]), st.data())
def test_events_survive_any_line_end_and_any_cut(events, end, data):
    stream = "".join("".join(f"data: {line}{end}" for line in event) + end for event in events)
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    chunks = [stream[start:stop] for start, stop in zip([0, *places], [*places, len(stream)], strict=True)]
    assert read(*chunks) == [("message", "\n".join(event)) for event in events]
