"""Items whose repeats did not all end alike."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_agentevals.reports.failure import name_of, plural
from pytest_agentevals.reports.visible import one_line
from pytest_agentevals.results import Outcome, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentevals.reports.cases import ItemRun
    from pytest_agentevals.results import Verdict

#: How many items are named.
NAMED = 20
#: What is said of each outcome, in this order.
WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.ERROR: "could not be evaluated",
    Outcome.NOT_APPLICABLE: "did not apply",
}


def flaky_lines(runs: Iterable[ItemRun]) -> list[str]:
    """Name the items of which an evaluator found different things in different repeats, and what it found.

    ``faq.json::who: Relevance 2 passed, 1 failed``
    """
    found = [f"  {one_line(run.nodeid)}: {'; '.join(told)}" for run in runs if (told := list(_differing(run)))]
    if not found:
        return []
    more = [f"  and {len(found) - NAMED} more"] if len(found) > NAMED else []
    start = f"evals: {plural(len(found), 'flaky item')}, with different outcomes in different repeats:"
    return [start, *found[:NAMED], *more]


def outcomes(verdict: Verdict) -> str:
    """Count the outcomes of the repeats of a verdict: ``2 passed, 1 failed``."""
    counts = Counter(part.outcome for part in verdict.parts)
    return ", ".join(f"{counts[outcome]} {word}" for outcome, word in WORDS.items() if counts[outcome])


def _differing(run: ItemRun) -> Iterator[str]:
    result = unpacked(run.result) if run.result is not None else None
    for turn in result.turns if result is not None and result.repeats else ():
        for verdict in turn.verdicts:
            if len({part.outcome for part in verdict.parts}) > 1:
                yield f"{name_of(verdict, turn)} {outcomes(verdict)}"
