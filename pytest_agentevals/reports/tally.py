"""The figures of a run: how its cases ended, and what its judges took."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentevals.judge.faults import NOT_ASKED
from pytest_agentevals.reports.cases import Kind, cases
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.figures import Figures, Spent
from pytest_agentevals.reports.run import status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.reports.cases import Case, ItemRun

WORDS = {
    Kind.FAILURE: "failed",
    Kind.ERROR: "could not be evaluated",
    Kind.PASSED: "passed",
    Kind.SKIPPED: "skipped",
}


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

    @classmethod
    def of(cls, runs: Iterable[ItemRun]) -> Tally:
        """Count all items that ran."""
        tally = cls()
        for run in runs:
            found = list(cases(run, texts=False))
            tally.items[status(found)] += 1
            for case in found:
                tally._add(case)
        return tally

    def _add(self, case: Case) -> None:
        self.kinds[case.kind] += 1
        if case.message.endswith(NOT_ASKED):
            self.unasked[case.type] += 1
        elif case.kind is Kind.ERROR:
            self.causes.setdefault(case.type, case.message)
        if case.usage is not None:
            self.spent.add(case.usage)
        if case.evaluator:
            self.evaluators.setdefault(case.evaluator, Figures()).add(case)

    @property
    def decided(self) -> bool:
        """Whether anything passed or failed."""
        return bool(self.kinds[Kind.PASSED] or self.kinds[Kind.FAILURE])

    def verdict_line(self) -> str:
        """Count verdicts, which pytest's own last line mixes with items."""
        counts = ", ".join(f"{self.kinds[kind]} {word}" for kind, word in WORDS.items() if self.kinds[kind])
        if self.decided:
            return f"evals: {counts}"
        return "evals: nothing was evaluated" + (f", {counts}" if self.kinds[Kind.ERROR] else "")

    def unasked_lines(self) -> list[str]:
        """Say once why judgments were not asked for, which their own messages do not repeat."""
        return [
            f"evals: {plural(count, 'judgment')} not asked for, after failures that concern them all: "
            + self.causes.get(code, code)
            for code, count in self.unasked.items()
        ]

    def judge_line(self) -> str | None:
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
        return "evals: " + ", ".join(parts)
