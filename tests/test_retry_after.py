"""How long a server asks its clients to wait."""

from __future__ import annotations

import time
from email.utils import formatdate

import httpx
import pytest

from pytest_agentevals.retry_after import retry_after


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After-Ms": "250", "Retry-After": "7"}, 0.25),
        ({"Retry-After-Ms": "soon", "Retry-After": "7"}, 7),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_seconds_are_read_from_what_servers_send(headers, seconds):
    assert retry_after(httpx.Headers(headers)) == seconds


def test_a_date_is_as_far_away_as_it_is():
    assert retry_after(httpx.Headers({"Retry-After": formatdate(time.time() + 60, usegmt=True)})) == pytest.approx(
        60, abs=2
    )
