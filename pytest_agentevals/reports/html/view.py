"""A run as the page shows it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.html.calibrated import CalibrationView
from pytest_agentevals.reports.html.charts import Distribution, Share, distribution, shares
from pytest_agentevals.reports.html.compared import ComparisonView
from pytest_agentevals.reports.html.items import ItemView, tags
from pytest_agentevals.reports.html.wording import SIGNS, moment
from pytest_agentevals.reports.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.reports.figures import Figures
    from pytest_agentevals.reports.run import Run


@dataclass(frozen=True, slots=True)
class Row:
    """One evaluator in the table of evaluators."""

    name: str
    figures: Figures
    chart: Distribution | None

    @property
    def count(self) -> int:
        """All its verdicts."""
        return self.figures.outcomes.total()


class View:
    """What the template asks for. All figures are those of the run's `Tally`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tally = Tally()
        order = {state: position for position, state in enumerate(SIGNS)}
        places = []
        #: Items in which repeats or judges differ.
        self.mixed = 0
        for item in run.items:
            view = ItemView(item)
            self.tally.add(item.run.nodeid, view.cases)
            self.mixed += view.mixed
            places.append(order[view.status])
        self._order = sorted(range(len(places)), key=places.__getitem__)

    @property
    def items(self) -> Iterator[ItemView]:
        """All items, what did not pass first. They are made one by one: results can be large."""
        return (ItemView(self.run.items[position]) for position in self._order)

    @property
    def states(self) -> list[str]:
        """States that an item of this run has, worst first."""
        return [state for state in SIGNS if self.tally.items[state]]

    @property
    def state(self) -> str:
        """How the run as a whole ended."""
        items = self.tally.items
        if items["failed"] or any(gate.enforced and not gate.met for gate in self.run.gates):
            return "failed"
        if items["error"] or self.run.about.interrupted:
            return "error"
        if not self.tally.decided:
            return "tolerated" if items["tolerated"] else "skipped"
        return "tolerated" if items["tolerated"] else "passed"

    @property
    def headline(self) -> str:
        """What a reader has to know first."""
        items, total = self.tally.items, self.tally.items.total()
        words = {"failed": "failed", "error": "could not be evaluated", "tolerated": "tolerated by gates"}
        parts = [f"{items[state]} {word}" for state, word in words.items() if items[state]]
        unmet = sum(not gate.met for gate in self.run.gates)
        if parts:
            sentence = f"Of {plural(total, 'item')}, {', '.join(parts)}"
        elif not items["passed"]:
            sentence = "Nothing was evaluated"
        elif items["skipped"]:
            sentence = f"{items['passed']} of {plural(total, 'item')} passed, {items['skipped']} skipped"
        else:
            sentence = f"All {plural(total, 'item')} passed" if total > 1 else "The item passed"
        return f"{sentence}; {plural(unmet, 'gate')} unmet" if unmet else sentence

    @property
    def verdicts(self) -> Counter[str]:
        """Verdicts by state; those that belong to no evaluator, as of a crashed item, are among them."""
        kinds, tolerated = self.tally.kinds, self.tally.tolerated.total()
        return Counter(
            {
                "failed": kinds[Kind.FAILURE],
                "error": kinds[Kind.ERROR],
                "tolerated": tolerated,
                "skipped": kinds[Kind.SKIPPED] - tolerated,
                "passed": kinds[Kind.PASSED],
            }
        )

    @property
    def shares(self) -> list[Share]:
        """The items by state, as a bar."""
        return shares(self.tally.items)

    @property
    def remarks(self) -> list[str]:
        """What else has to be said of the run as a whole."""
        return [line.removeprefix("evals: ") for line in self.tally.unasked_lines()]

    @property
    def rows(self) -> list[Row]:
        """The evaluators."""
        return [Row(name, figures, distribution(figures)) for name, figures in self.tally.evaluators.items()]

    @property
    def started(self) -> str:
        """When the run started, to the minute."""
        return moment(self.run.about.started)

    @cached_property
    def comparison(self) -> ComparisonView | None:
        """The comparison with an earlier run."""
        found = self.run.comparison
        return None if found is None else ComparisonView(found, {item.label for item in self.run.items})

    @cached_property
    def calibration(self) -> CalibrationView | None:
        """The comparison with people's labels."""
        found = self.run.calibration
        return None if found is None else CalibrationView(found, {item.label for item in self.run.items})

    @property
    def documents(self) -> list[str]:
        """Paths of the documents."""
        return list(dict.fromkeys(item.document for item in self.run.items))

    @property
    def tags(self) -> list[str]:
        """All tags, sorted."""
        return sorted({tag for item in self.run.items for tag in tags(item)})
