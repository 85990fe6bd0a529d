"""The figures of a run: how its cases ended, and what its judges took."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentevals.judge.faults import NOT_ASKED
from pytest_agentevals.reports.cases import Kind, cases
from pytest_agentevals.reports.failure import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.reports.cases import ItemRun
    from pytest_agentevals.results import JudgeUsage

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
    #: Judgments made in this run, and judgments taken from recordings.
    asked: int = 0
    replayed: int = 0
    #: Of the judgments made in this run; judgments of unknown size or cost are counted beside them.
    tokens: int = 0
    without_tokens: int = 0
    cost: float = 0.0
    without_cost: int = 0
    #: By error code: judgments that were not asked for any more, and why the first that was asked for failed.
    unasked: Counter[str] = field(default_factory=Counter)
    causes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Iterable[ItemRun]) -> Tally:
        """Count all items that ran."""
        tally = cls()
        for run in runs:
            for case in cases(run, texts=False):
                tally.kinds[case.kind] += 1
                if case.message.endswith(NOT_ASKED):
                    tally.unasked[case.type] += 1
                elif case.kind is Kind.ERROR:
                    tally.causes.setdefault(case.type, case.message)
                if case.usage is not None:
                    tally._spend(case.usage)
        return tally

    def _spend(self, usage: JudgeUsage) -> None:
        if usage.replayed:
            self.replayed += 1
            return
        self.asked += 1
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            self.without_tokens += 1
        else:
            self.tokens += usage.prompt_tokens + usage.completion_tokens
        if usage.cost is None:
            self.without_cost += 1
        else:
            self.cost += usage.cost

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
        if not self.asked and not self.replayed:
            return None
        parts = [plural(self.asked, "judgment")] if self.asked else []
        if self.replayed:
            parts.append(f"{self.replayed} replayed")
        if self.asked:
            parts.append(f"{self.tokens:,} tokens" if self.asked > self.without_tokens else "tokens unknown")
            if self.asked > self.without_cost:
                parts.append(f"cost {self.cost:.4g}" + (f" ({self.without_cost} unknown)" if self.without_cost else ""))
        return "evals: " + ", ".join(parts)
