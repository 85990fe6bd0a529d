"""One verdict as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.reports.flaky import outcomes
from pytest_agentevals.reports.html.charts import Gauge, gauge
from pytest_agentevals.reports.html.wording import OF_OUTCOME, judgment, state
from pytest_agentevals.results import Outcome, number
from pytest_agentevals.rubrics.scoring import DimensionScore
from pytest_agentevals.rubrics.table import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.results import Verdict


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A verdict, how it counted, and what of it is drawn."""

    verdict: Verdict
    #: As items' states are named.
    state: str
    #: What a gate or a mark says of a verdict that is not a pass.
    remark: str = ""
    options: Mapping[str, Any] | None = None

    @property
    def gauge(self) -> Gauge | None:
        """The score on its scale; None without a score, for yes and no, and where the scale has no end."""
        verdict = self.verdict
        low, high = verdict.scale
        if verdict.score is None or isinstance(verdict.score, bool) or high is None:
            return None
        if verdict.threshold == high and verdict.score in {low, high}:
            return None
        return gauge(verdict.score, low, high, verdict.threshold)

    @property
    def facts(self) -> str:
        """The scale, the threshold and what the judge took, as far as there are any."""
        verdict = self.verdict
        parts = []
        if verdict.score is not None and not isinstance(verdict.score, bool):
            low, high = verdict.scale
            scale = f"scale {number(low)} or more" if high is None else f"scale {number(low)} to {number(high)}"
            parts.append(scale if verdict.threshold is None else f"{scale}, passes from {number(verdict.threshold)}")
        if verdict.usage is not None:
            parts.append(judgment(verdict.usage))
        return "; ".join(parts)

    @property
    def dimensions(self) -> list[DimensionScore]:
        """The dimensions of a rubric, as they are in the details; none where other tools wrote other things there."""
        properties = self.verdict.details.get("properties")
        found = properties.get("dimension_scores") if isinstance(properties, dict) else None
        if not isinstance(found, list | tuple) or not all(map(_is_dimension, found)):
            return []
        return [
            DimensionScore(id=each["id"], score=each["score"], weight=each["weight"], reason=each.get("reason") or "")
            for each in found
        ]

    @staticmethod
    def gauge_of(dimension: DimensionScore) -> Gauge:
        """Return the score of a dimension from 1 to 5 on its scale, none of which is nothing."""
        return gauge(dimension.score or 0, 0, 5)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes, without the table of dimensions, which is drawn."""
        notes, dimensions = self.verdict.notes, self.dimensions
        weighted = not any(isinstance(one.score, bool) for one in dimensions)
        drawn = tuple(table(dimensions, weighted=weighted)) if dimensions else ()
        return notes[len(drawn) :] if notes[: len(drawn)] == drawn else notes

    @property
    def parts(self) -> list[VerdictView]:
        """The verdicts of several judges, answers or repeats that this one sums up."""
        return [of_part(part) for part in self.verdict.parts]

    @property
    def outcomes(self) -> str:
        """How many of the parts ended how."""
        return outcomes(self.verdict)

    @property
    def spread(self) -> str:
        """How far the parts differ; empty where they have no two scores."""
        scores = [float(part.score) for part in self.verdict.parts if part.score is not None]
        if len(scores) < 2:
            return ""
        low, high = min(scores), max(scores)
        if low == high:
            return f"all {number(low)}"
        return f"from {number(low)} to {number(high)}, a spread of {number(high - low)}"


def _is_dimension(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and isinstance(value.get("score", ""), int | None)
        and isinstance(value.get("weight"), int | float)
    )


def is_mixed(verdict: Verdict) -> bool:
    """Whether the parts of a verdict differ in their outcome."""
    return len({part.outcome for part in verdict.parts}) > 1


def of_case(case: Case, verdict: Verdict, options: Mapping[str, Any] | None) -> VerdictView:
    """Show a verdict that counted as a case of its own."""
    excused = case.kind is Kind.SKIPPED and verdict.outcome is not Outcome.NOT_APPLICABLE
    remark = case.message if excused else ""
    return VerdictView(verdict, state(case), remark, options)


def of_part(verdict: Verdict) -> VerdictView:
    """Show a verdict that is a part of another, or of a repeat."""
    return VerdictView(verdict, OF_OUTCOME[verdict.outcome])
