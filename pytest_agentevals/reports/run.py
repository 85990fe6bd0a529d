"""A finished run: what every report is made from, whether it has just ended or is read back from a results document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_agentevals.reports.cases import Kind, cases
from pytest_agentevals.results import ItemResult, Outcome, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentevals.reports.calibration import Calibration
    from pytest_agentevals.reports.cases import Case, ItemRun
    from pytest_agentevals.reports.comparison import Comparison
    from pytest_agentevals.reports.gates import GateResult


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedItem:
    """One item of a run, with what its document says of it."""

    run: ItemRun
    #: Unique in its document.
    id: str
    #: Path of the document, relative to the root of the project, with slashes.
    document: str
    #: Of the document and of the item.
    tags: tuple[str, ...] = ()
    #: The item as its document has it, as JSON. Where the document cannot be read any more: its prompts.
    content: Mapping[str, Any]
    #: For each turn, the evaluators that ran with their options as written.
    evaluators: tuple[Mapping[str, Mapping[str, Any]], ...] = ()

    @property
    def result(self) -> ItemResult | None:
        """What the evaluation found; None where it did not end, as in a worker that died."""
        return None if self.run.result is None else unpacked(self.run.result)

    def cases(self, *, texts: bool = False) -> Iterator[Case]:
        """Yield its cases; see `pytest_agentevals.reports.cases.cases`."""
        return cases(self.run, texts=texts)

    @property
    def label(self) -> str:
        """What people call it: its document and its id."""
        return f"{self.document}::{self.id}"


def status(found: list[Case]) -> str:
    """Return how an item with these cases ended.

    ``failed``, ``error`` (something could not be evaluated, and nothing failed), ``tolerated`` (a gate covers what is
    not a pass), ``passed`` or ``skipped``.
    """
    kinds = {case.kind for case in found}
    if Kind.FAILURE in kinds:
        return "failed"
    if Kind.ERROR in kinds:
        return "error"
    if any(case.tolerated for case in found):
        return "tolerated"
    # Where fails were expected (xfail), their item is skipped, whatever else passed.
    decided = {case.outcome for case in found} - {Outcome.NOT_APPLICABLE}
    return "passed" if decided == {Outcome.PASS} else "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """How a run was made."""

    #: When it started: ISO 8601, UTC.
    started: str
    #: Wall time of the whole run.
    seconds: float
    #: Of this package, and of what it ran with: ``{"python": "3.13.1", "pytest": "9.2.0", …}``.
    version: str
    versions: Mapping[str, str] = field(default_factory=dict)
    #: Mode of the judge: auto, record, live, replay or none.
    mode: str = "auto"
    #: The judge as the header names it, and the agent.
    judge: str = ""
    agent: str = ""
    #: Whether it ended before all items had run.
    interrupted: bool = False
    #: How often every item was evaluated, and how many repeats had to pass.
    repeats: int = 1
    pass_at: int = 1
    #: Metadata of the documents, by path: their name, description, tags and extensions as written.
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run. Items are in the order of their documents' paths, and of the documents."""

    about: About
    items: tuple[EvaluatedItem, ...]
    gates: tuple[GateResult, ...] = ()
    #: With an earlier run, where one was given.
    comparison: Comparison | None = None
    #: With people's labels, where they were given.
    calibration: Calibration | None = None

    def cases(self) -> Iterator[tuple[EvaluatedItem, Case]]:
        """Yield the cases of all items, with their item."""
        for item in self.items:
            for case in item.cases():
                yield item, case
