"""A run as CSV (RFC 4180): a row for each verdict, and one for each item without any.

Made for spreadsheets: it starts with a byte order mark, without which Excel takes UTF-8 for a local code page, and no
text in it is a formula. Numbers are written in full, with a point.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from pytest_agentevals.reports.cases import Case, Kind
from pytest_agentevals.reports.visible import shortened, visible
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from pytest_agentevals.reports.run import EvaluatedItem, Run

#: A cell of Excel holds 32,767 characters.
LONGEST = 32_000

# What spreadsheets take for the beginning of a formula, full-width forms included.
_FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")  # noqa: RUF001 - the full-width forms are meant

COLUMNS = (
    "document",
    "line",
    "item",
    "tags",
    "turn",
    "evaluator",
    "level",
    "outcome",
    "counted_as",
    "tolerated",
    "score",
    "threshold",
    "scale_low",
    "scale_high",
    "reason",
    "code",
    "prompt",
    "response",
    "expected_response",
    "source",
    "latency_ms",
    "judge_model",
    "replayed",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "judge_seconds",
    "seconds",
    "parts",
    "parts_passed",
)


def render(run: Run) -> str:
    """Write a run. Unknown values are empty cells; lines end with CR LF, also where cells contain line feeds."""
    text = io.StringIO()
    text.write("\ufeff")
    writer = csv.DictWriter(text, COLUMNS, quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    for item in run.items:
        # An item that was interrupted has no case at all.
        for case in list(item.cases()) or [Case("", Kind.SKIPPED, message="the item was not evaluated")]:
            writer.writerow({name: _cell(value) for name, value in _row(item, case).items()})
    return text.getvalue()


def _row(item: EvaluatedItem, case: Case) -> dict[str, Any]:
    """Return the values of a row; columns that say nothing of the case are left out."""
    row = {
        "document": item.document,
        "line": item.run.line,
        "item": item.id,
        "tags": ", ".join(item.tags),
        "evaluator": case.evaluator,
        "outcome": case.outcome or _ended(case.kind),
        # Fails and errors that a gate tolerates, or an xfail mark expects, count as skipped.
        "counted_as": case.kind.value,
        "tolerated": case.tolerated,
        "reason": case.message,
        "code": case.type,
        "prompt": item.content.get("prompt"),
        "seconds": case.seconds,
    }
    if (turn := case.turn) is not None:
        row |= {
            "turn": turn.index or None,
            "prompt": turn.prompt,
            "expected_response": turn.expected_response,
            "source": turn.source,
        }
        if turn.response is not None:
            row |= {"response": turn.response.text, "latency_ms": turn.response.latency_ms}
    if (verdict := case.verdict) is not None:
        low, high = verdict.scale
        row |= {
            "level": verdict.level,
            "score": verdict.score,
            "threshold": verdict.threshold,
            "scale_low": low,
            "scale_high": high,
            "reason": verdict.reason,
            "code": verdict.code,
        }
        if verdict.parts:
            passed = sum(part.outcome is Outcome.PASS for part in verdict.parts)
            row |= {"parts": len(verdict.parts), "parts_passed": passed}
    if (usage := case.usage) is not None:
        row |= {
            "judge_model": usage.model,
            "replayed": usage.replayed,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cost": usage.cost,
            "judge_seconds": usage.seconds,
        }
    return row


def _ended(kind: Kind) -> str:
    """Say of an item without verdicts what outcomes say of verdicts."""
    return {Kind.FAILURE: "fail", Kind.ERROR: "error", Kind.PASSED: "pass", Kind.SKIPPED: "skipped"}[kind]


def _cell(value: Any) -> str | int | float | None:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, int | float):
        return value
    text = shortened(visible(value), LONGEST)
    return f"'{text}" if _FORMULA.match(value) else text
