"""Which conversations are taken: those of a time, and a sample of them."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.traces.conversations import Conversation
    from pytest_agentevals.traces.notes import Notes

UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def moment(text: str, now: datetime) -> datetime:
    """Read a time: ``2026-11-29``, ``2026-11-29T08:00+01:00``, ``24h`` (ago; also m, d), ``today`` or ``yesterday``.

    Days begin at midnight UTC, which is also meant where no time zone is given. Raises `ValueError` with a sentence.
    """
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if text in {"today", "yesterday"}:
        return midnight - timedelta(days=text == "yesterday")
    try:
        if ago := re.fullmatch(r"(\d{1,6})([mhd])", text):
            return now - timedelta(**{UNITS[ago[2]]: int(ago[1])})
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        allowed = "2026-11-29, 2026-11-29T08:00+01:00, 24h, today or yesterday"
        raise ValueError(f"{text!r} is no time; allowed are such as {allowed}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def within(
    conversations: Sequence[Conversation], since: datetime | None, until: datetime | None, notes: Notes
) -> list[Conversation]:
    """Return the conversations whose last turn began at ``since`` or later and before ``until``.

    So every conversation belongs to exactly one of several times that follow each other.
    """
    if since is None and until is None:
        return list(conversations)
    timed = [conversation for conversation in conversations if conversation.last is not None]
    notes.count("conversations without a time, left out", len(conversations) - len(timed))
    kept = [
        conversation
        for conversation in timed
        if conversation.last is not None
        and (since is None or conversation.last >= since)
        and (until is None or conversation.last < until)
    ]
    notes.count("conversations of another time, left out", len(timed) - len(kept))
    return kept


def sample_size(text: str, total: int) -> int:
    """Return how many of ``total`` are meant by ``50`` or ``10%``; raises `ValueError` with a sentence.

    A share is rounded up, so that there is something to look at.
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)%|([1-9]\d{0,8})", text)
    if not match or (match[1] and not 0 < float(match[1]) <= 100):
        raise ValueError(f"{text!r} is no sample; allowed are a number from 1 up and a share such as 10%")
    if match[2]:
        return min(int(match[2]), total)
    return -int(-total * float(match[1]) // 100)


def sampled(conversations: Sequence[Conversation], size: int, seed: int) -> list[Conversation]:
    """Return a random sample in the given order; the same for the same seed and conversations."""
    chosen = random.Random(seed).sample(range(len(conversations)), size)  # noqa: S311 - no secret
    return [conversations[index] for index in sorted(chosen)]
