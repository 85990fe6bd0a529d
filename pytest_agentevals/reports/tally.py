"""The figures of a run: how its cases ended, and what its judges took."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.judge.faults import NOT_ASKED
from pytest_agentevals.reports.cases import Kind, cases
from pytest_agentevals.reports.failure import plural, summary
from pytest_agentevals.reports.figures import Figures, Spent
from pytest_agentevals.reports.ranking import Ranking
from pytest_agentevals.reports.run import status
from pytest_agentevals.results import Outcome, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.reports.cases import Case, ItemRun
    from pytest_agentevals.results import Verdict

#: What people call the ways in which an item ends; see `pytest_agentevals.reports.run.status`.
ITEM_WORDS = {
    "failed": "failed",
    "error": "could not be evaluated",
    "tolerated": "tolerated by gates",
    "passed": "passed",
    "skipped": "skipped",
}

#: Items that are told as the worst, and what is told as the slowest.
TOLD = 5


class Notable(NamedTuple):
    """Something that is told apart from the counts."""

    nodeid: str
    #: The verdict's name within its item; of a response, the turn's: ``turn 2``, or empty.
    name: str
    #: Why a verdict is a fail.
    message: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class Tally:
    """Counts of one run."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    spent: Spent = field(default_factory=Spent)
    #: By evaluator, in the order in which they appear.
    evaluators: dict[str, Figures] = field(default_factory=dict)
    #: By how they ended; see `pytest_agentevals.reports.run.status`.
    items: Counter[str] = field(default_factory=Counter)
    #: By error code: judgments that were not asked for any more, and why the first that was asked for failed.
    unasked: Counter[str] = field(default_factory=Counter)
    causes: dict[str, str] = field(default_factory=dict)
    #: Fails and errors that a gate covers, which are among the skipped cases.
    tolerated: Counter[Outcome] = field(default_factory=Counter)
    #: The items with the lowest scores among the fails, each with its lowest.
    worst: Ranking[Notable] = field(default_factory=lambda: Ranking(TOLD))
    slowest_judgments: Ranking[Notable] = field(default_factory=lambda: Ranking(TOLD))
    slowest_responses: Ranking[Notable] = field(default_factory=lambda: Ranking(TOLD))

    @classmethod
    def of(cls, runs: Iterable[ItemRun]) -> Tally:
        """Count all items that ran."""
        tally = cls()
        for run in runs:
            tally.add(run.nodeid, list(cases(run, texts=False)))
        return tally

    def add(self, nodeid: str, found: list[Case]) -> None:
        """Count one item by its cases."""
        self.items[status(found)] += 1
        for case in found:
            self._add(case)
        self._rank(nodeid, found)

    def _add(self, case: Case) -> None:
        self.kinds[case.kind] += 1
        if case.tolerated:
            # An item without any verdict is the error of an agent.
            self.tolerated[case.outcome or Outcome.ERROR] += 1
        if case.message.endswith(NOT_ASKED):
            self.unasked[case.type] += 1
        elif case.kind is Kind.ERROR:
            self.causes.setdefault(case.type, case.message)
        for usage in case.usages:
            self.spent.add(usage)
        if case.evaluator:
            self.evaluators.setdefault(case.evaluator, Figures()).add(case)

    def _rank(self, nodeid: str, found: list[Case]) -> None:
        fails = [
            (standing(case.verdict), case, case.verdict)
            for case in found
            if case.verdict is not None
            and case.outcome is Outcome.FAIL
            and (case.kind is Kind.FAILURE or case.tolerated)
        ]
        if fails:
            lowest, case, verdict = min(fails, key=lambda fail: fail[0])
            why = ("tolerated, " if case.tolerated else "") + summary(verdict)
            self.worst.add(lowest, Notable(nodeid, case.name, why))
        for case in found:
            for usage in case.usages:
                if not usage.replayed:
                    self.slowest_judgments.add(-usage.seconds, Notable(nodeid, case.name, seconds=usage.seconds))
        for turn in {id(case.turn): case.turn for case in found}.values():
            if turn is not None and turn.source == "asked" and turn.response and turn.response.latency_ms is not None:
                seconds = turn.response.latency_ms / 1000
                name = f"turn {turn.index}" if turn.index else ""
                self.slowest_responses.add(-seconds, Notable(nodeid, name, seconds=seconds))

    @property
    def decided(self) -> bool:
        """Whether anything passed or failed."""
        return bool(self.kinds[Kind.PASSED] or self.kinds[Kind.FAILURE] or self.tolerated[Outcome.FAIL])

    @property
    def counts(self) -> dict[str, int]:
        """How many verdicts ended how, in words; what did not occur is left out."""
        tolerated = self.tolerated.total()
        found = {
            "failed": self.kinds[Kind.FAILURE],
            "could not be evaluated": self.kinds[Kind.ERROR],
            "tolerated by gates": tolerated,
            "passed": self.kinds[Kind.PASSED],
            "skipped": self.kinds[Kind.SKIPPED] - tolerated,
        }
        return {words: count for words, count in found.items() if count}

    @property
    def item_counts(self) -> dict[str, int]:
        """How many items ended how, in words; what did not occur is left out."""
        found = {words: self.items[ended] for ended, words in ITEM_WORDS.items()}
        return {words: count for words, count in found.items() if count}

    @property
    def headline(self) -> str:
        """Count verdicts: ``3 failed, 2 could not be evaluated, 40 passed``."""
        counts = ", ".join(f"{count} {words}" for words, count in self.counts.items())
        if self.decided:
            return counts
        told = self.kinds[Kind.ERROR] or self.tolerated
        return "nothing was evaluated" + (f", {counts}" if told else "")

    def verdict_line(self) -> str:
        """Count verdicts, which pytest's own last line mixes with items."""
        return f"evals: {self.headline}"

    def unasked_lines(self) -> list[str]:
        """Say once why judgments were not asked for, which their own messages do not repeat."""
        return [
            f"evals: {plural(count, 'judgment')} not asked for, after failures that concern them all: "
            + self.causes.get(code, code)
            for code, count in self.unasked.items()
        ]

    @property
    def judging(self) -> str | None:
        """Say what the judges took; None where no judge had a part. Unknown is said, not counted as nothing."""
        spent = self.spent
        if not spent.asked and not spent.replayed:
            return None
        parts = [plural(spent.asked, "judgment")] if spent.asked else []
        if spent.replayed:
            parts.append(f"{spent.replayed} replayed")
        if spent.asked:
            parts.append(f"{spent.tokens:,} tokens" if spent.asked > spent.without_tokens else "tokens unknown")
            if spent.asked > spent.without_cost:
                unknown = f" ({spent.without_cost} unknown)" if spent.without_cost else ""
                parts.append(f"cost {spent.cost:.4g}{unknown}")
            parts.append(f"{number(spent.seconds / spent.asked)} s each")
        return ", ".join(parts)


def standing(verdict: Verdict) -> float:
    """Return where a score lies on its scale: 0 at the lowest, 1 at the highest, or at the threshold of an open end."""
    low, high = verdict.scale
    if high is None:
        high = verdict.threshold
    span = (1 if high is None else high) - low
    return (float(verdict.score or 0) - low) / (span or 1)
