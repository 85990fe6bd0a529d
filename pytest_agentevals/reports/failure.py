"""The text of a failed or undecided evaluation, for terminals of any width and for JUnit XML."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.visible import one_line, shortened, visible
from pytest_agentevals.results import Outcome, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.results import ItemResult, TurnResult, Verdict

#: Characters of a prompt, response or expected response that are shown unless everything is asked for.
SHOWN = 400

WIDTH = 80


class Line(NamedTuple):
    """One line of text and how it is meant: ``place``, ``label``, ``bad``, ``unknown``, ``good`` or plain."""

    text: str
    style: str = ""


def verdict_lines(
    verdict: Verdict, turn: TurnResult, place: str, *, width: int = WIDTH, full: bool = False
) -> Iterator[Line]:
    """Write one verdict that is not a pass: where, what was said, the score, and why."""
    about = "conversation" if verdict.level == "conversation" else f"turn {turn.index}"
    yield Line(place + (f" ({about})" if turn.index else ""), "place")
    yield from conversation_lines(turn, width=width, full=full)
    yield Line("")
    yield Line(headline(verdict), "unknown" if verdict.outcome is Outcome.ERROR else "bad")
    yield from wrapped(verdict.reason, width, indent="  ")
    for note in verdict.notes:
        yield from wrapped(note if full else shortened(note, 4 * SHOWN), width, indent="  ")
    yield from part_lines(verdict, width=width, full=full)


def part_lines(verdict: Verdict, *, width: int, full: bool, indent: str = "  ") -> Iterator[Line]:
    """Write the verdicts that one sums up; those that they sum up themselves only where everything is asked for."""
    for part in verdict.parts:
        text = f"{part.part}: {summary(part)}"
        yield from wrapped(text if full else shortened(text, SHOWN), width, indent=indent + "  ", first=indent)
        if full:
            yield from part_lines(part, width=width, full=full, indent=indent + "  ")


def item_lines(result: ItemResult, place: str, *, width: int = WIDTH, full: bool = False) -> Iterator[Line]:
    """Write how an item as a whole ended; its verdicts have texts of their own, a failed request has not."""
    yield Line(place, "place")
    for turn in result.turns:
        if turn.error is not None and turn.error.code != "turnSkipped":
            yield from conversation_lines(turn, width=width, full=full)
            yield Line("")
            where = f"turn {turn.index}: " if turn.index else ""
            yield Line(f"{where}no response from the agent ({turn.error.code})", "unknown")
            yield from wrapped(turn.error.message, width, indent="  ")
    if result.verdicts:
        yield from wrapped(item_summary(result), width)


def conversation_lines(turn: TurnResult, *, width: int = WIDTH, full: bool = False) -> Iterator[Line]:
    """Write prompt, response and expected response, each beside its label."""
    response = turn.response.text if turn.response else None
    for label, text in (("prompt", turn.prompt), ("response", response), ("expected", turn.expected_response)):
        if text is not None:
            shown = text if full else shortened(text, SHOWN)
            yield from wrapped(shown or "(empty)", width, indent=" " * 10, first=f"{label:<10}")


def headline(verdict: Verdict) -> str:
    """Write evaluator, score, scale and threshold: ``Relevance 2/5 < 3 (scale 1 to 5, passes from 3)``."""
    if verdict.outcome is Outcome.ERROR:
        return f"{verdict.evaluator} could not decide ({verdict.code})"
    if verdict.threshold is None:
        return f"{verdict.evaluator}: {verdict.measure}"
    low, high = verdict.scale
    scale = f"{number(low)} to {number(high)}" if high is not None else f"{number(low)} or more"
    return f"{verdict.evaluator}: {verdict.measure} (scale {scale}, passes from {number(verdict.threshold)})"


def summary(verdict: Verdict) -> str:
    """Write why on one line: ``2/5 < 3: the response …`` or ``judgeTimeout: no answer within 120 s``."""
    start = verdict.code if verdict.outcome is Outcome.ERROR else verdict.measure
    return one_line(f"{start}: {verdict.reason}" if verdict.reason else str(start))


def item_summary(result: ItemResult) -> str:
    """Say in one sentence how an item ended."""
    parts = []
    total = len(result.verdicts)
    for outcome, what in ((Outcome.FAIL, "failed"), (Outcome.ERROR, "could not decide")):
        names = [
            name_of(verdict, turn) for turn in result.turns for verdict in turn.verdicts if verdict.outcome is outcome
        ]
        if names:
            parts.append(f"{len(names)} of {plural(total, 'evaluator')} {what}: {', '.join(names)}")
    for turn in result.turns:
        if turn.error is not None and turn.error.code != "turnSkipped":
            where = f"turn {turn.index}: " if turn.index else ""
            parts.append(f"{where}{turn.error.code}: {turn.error.message}")
    skipped = sum(turn.error is not None and turn.error.code == "turnSkipped" for turn in result.turns)
    if skipped:
        parts.append(f"{plural(skipped, 'later turn')} not attempted")
    return one_line("; ".join(parts))


def name_of(verdict: Verdict, turn: TurnResult) -> str:
    """Name a verdict within its item: ``Relevance``, ``turn 2: Relevance`` or ``conversation: Tone``."""
    if verdict.level == "conversation":
        return f"conversation: {verdict.evaluator}"
    return f"turn {turn.index}: {verdict.evaluator}" if turn.index else verdict.evaluator


def plural(count: int, noun: str, many: str = "") -> str:
    """Write a count with its noun: ``1 document``, ``2 documents``; ``many`` is the plural where it takes no ``s``."""
    return f"{count} {noun}" if count == 1 else f"{count} {many or noun + 's'}"


def wrapped(text: str, width: int, *, indent: str = "", first: str | None = None) -> Iterator[Line]:
    """Break text at word boundaries to ``width`` columns; its own line breaks stay."""
    start = indent if first is None else first
    for paragraph in visible(text).split("\n"):
        lines = textwrap.wrap(
            paragraph,
            max(width, 40),
            initial_indent=start,
            subsequent_indent=indent,
            break_on_hyphens=False,
            replace_whitespace=False,
            drop_whitespace=True,
        )
        yield from map(Line, lines or [start.rstrip()])
        start = indent
