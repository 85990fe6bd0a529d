"""Verdicts that are not a pass, as exceptions for pytest, and their text in its reports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from pytest_agentevals.reports.failure import Line, item_lines, item_summary, name_of, summary, verdict_lines
from pytest_agentevals.results import ItemResult, Outcome, TurnResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.plugin.items import EvalItem

STYLES: dict[str, dict[str, bool]] = {
    "place": {"bold": True},
    "label": {"light": True},
    "bad": {"red": True, "bold": True},
    "unknown": {"yellow": True, "bold": True},
    "good": {"green": True},
}


class NotPassed(Exception):
    """One verdict that is not a pass."""

    def __init__(self, verdict: Verdict, turn: TurnResult) -> None:
        super().__init__(str(verdict))
        self.summary = f"{name_of(verdict, turn)} {summary(verdict)}"
        self.verdict = verdict
        self.turn = turn


class ItemNotPassed(Exception):
    """An item with a failure, an error or no response."""

    def __init__(self, result: ItemResult) -> None:
        super().__init__(item_summary(result))
        self.summary = item_summary(result)
        self.result = result


class MisconfiguredJudge(Exception):
    """Half a configuration of the judge: the run cannot go on."""


@dataclass(frozen=True, slots=True)
class Crash:
    """Where and why, as pytest's summary lines want it."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


@dataclass(frozen=True, slots=True)
class Failure:
    """The text of a failure, laid out when it is shown: for the terminal's width, in its colours.

    pytest asks for ``toterminal``, ``reprcrash`` and ``str``. Plain values only, because reports travel between
    processes: `packed` and `unpacked` are the way.
    """

    path: str
    line: int
    #: The turn with the one verdict that this is about, or None for the item as a whole.
    turn: TurnResult | None = None
    item: ItemResult | None = None
    #: Show all of the agent's text.
    full: bool = False

    @property
    def undecided(self) -> bool:
        """Whether this is an error: something could not be evaluated, and nothing failed."""
        if self.turn is not None:
            return self.turn.verdicts[0].outcome is Outcome.ERROR
        assert self.item is not None  # noqa: S101 - one of the two is given
        return all(verdict.outcome is not Outcome.FAIL for verdict in self.item.verdicts)

    @property
    def reprcrash(self) -> Crash:
        """Place and one-line message."""
        if self.turn is not None:
            message = summary(self.turn.verdicts[0])
        else:
            assert self.item is not None  # noqa: S101
            message = item_summary(self.item)
        return Crash(self.path, self.line, message)

    def toterminal(self, tw: Any) -> None:
        """Write to a terminal, pytest's or another with ``line`` and ``fullwidth``."""
        for line in self._lines(tw.fullwidth):
            tw.line(line.text, **STYLES.get(line.style, {}))

    def __str__(self) -> str:
        return "\n".join(line.text for line in self._lines(80))

    def _lines(self, width: int) -> Iterator[Line]:
        place = f"{self.path}:{self.line}"
        if self.turn is not None:
            return verdict_lines(self.turn.verdicts[0], self.turn, place, width=width, full=self.full)
        assert self.item is not None  # noqa: S101
        return item_lines(self.item, place, width=width, full=self.full)

    def packed(self) -> str:
        """Write as JSON."""
        return _adapter().dump_json(self).decode()

    @staticmethod
    def unpacked(text: str) -> Failure:
        """Read what `packed` wrote."""
        return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[Failure]:
    # Made when something fails: most runs need it late, or never.
    return TypeAdapter(Failure)


def failure_of(item: EvalItem, error: BaseException | None) -> Failure | None:
    """Make the text of one of our two exceptions; None for any other."""
    if isinstance(error, pytest.xfail.Exception):
        # That of a failure which a gate answers for.
        error = error.__cause__
    if not isinstance(error, NotPassed | ItemNotPassed):
        return None
    # From where pytest was called, so that a click on it opens the file.
    path, line = os.path.relpath(item.path, item.config.invocation_params.dir), item.loaded.line
    full = item.config.get_verbosity() >= 2
    if isinstance(error, NotPassed):
        turn = error.turn
        alone = TurnResult(
            prompt=turn.prompt,
            index=turn.index,
            expected_response=turn.expected_response,
            response=turn.response,
            verdicts=[error.verdict],
        )
        return Failure(path, line, turn=alone, full=full)
    return Failure(path, line, item=error.result, full=full)
