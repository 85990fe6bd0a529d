"""Words and figures of the page."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.results import JudgeUsage
    from pytest_agentevals.statistics import Interval

#: How an item or a verdict ended, as `pytest_agentevals.reports.run.status` names it, with the sign that is shown
#: beside the word; worst first.
SIGNS = {"failed": "\u2717", "error": "!", "tolerated": "~", "skipped": "\u2013", "passed": "\u2713"}

OF_OUTCOME = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.ERROR: "error",
    Outcome.NOT_APPLICABLE: "skipped",
}
_OF_KIND = {Kind.PASSED: "passed", Kind.FAILURE: "failed", Kind.ERROR: "error", Kind.SKIPPED: "skipped"}


def state(case: Case) -> str:
    """Return how a case ended, in the words for items."""
    return "tolerated" if case.tolerated else _OF_KIND[case.kind]


def mark(state: str) -> str:
    """Return the sign of a state."""
    return SIGNS[state]


def duration(seconds: float) -> str:
    """Write a time for people: ``12 ms``, ``12.5 s``, ``3 min 20 s``, ``1 h 5 min``."""
    if seconds < 59.95:
        return f"{1000 * seconds:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    return f"{hours} h {left} min" if hours else f"{minutes} min {rest} s"


def moment(started: str) -> str:
    """Write an ISO 8601 time for people; a text that is none stays as it is."""
    try:
        time = datetime.fromisoformat(started)
    except ValueError:
        return started
    return f"{(time.astimezone(UTC) if time.tzinfo else time):%Y-%m-%d %H:%M} UTC"


def amount(total: float, known: int, unknown: int) -> str:
    """Write a sum of what some judgments said, and of how many it is not known."""
    if not known:
        return "unknown" if unknown else "-"
    shown = f"{total:,}" if isinstance(total, int) else f"{total:.4g}"
    return f"{shown} ({unknown} unknown)" if unknown else shown


def interval(limits: Interval | None) -> str:
    """Write the interval of a rate; empty for none."""
    return "" if limits is None else f"{100 * limits.low:.1f}% to {100 * limits.high:.1f}%"


def tokens(prompt: int | None, completion: int | None) -> str:
    """Write how many tokens somebody spent."""
    return "tokens unknown" if prompt is None or completion is None else f"{prompt + completion:,} tokens"


def judgment(usage: JudgeUsage) -> str:
    """Write what a judgment took."""
    parts = [
        usage.model,
        tokens(usage.prompt_tokens, usage.completion_tokens),
        "cost unknown" if usage.cost is None else f"cost {usage.cost:.4g}",
        duration(usage.seconds),
    ]
    if usage.requests > 1:
        parts.append(f"{usage.requests} requests")
    return ", ".join([*parts, "replayed"] if usage.replayed else parts)


def written(value: Any) -> str:
    """Write JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)
