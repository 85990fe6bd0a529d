"""The summary of a run for terminals: figures of each evaluator, what was worst, what it took, gates and comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.columns import cut, fitted, left, right, width
from pytest_agentevals.reports.failure import Line, plural
from pytest_agentevals.reports.visible import one_line
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_agentevals.reports.comparison import Change, Comparison
    from pytest_agentevals.reports.figures import Figures
    from pytest_agentevals.reports.gates import GateResult
    from pytest_agentevals.reports.tally import Notable, Tally

#: Columns that the name of an evaluator gets at least.
NAME = 16
#: Changes that are told one by one.
TOLD = 5


class Column(NamedTuple):
    """A column of the table of evaluators; those with a higher ``rank`` go first where there is no room."""

    title: str
    cells: list[str]
    rank: int = 0

    @property
    def width(self) -> int:
        """Of the widest cell, the title included."""
        return max(map(width, (self.title, *self.cells)))


def summary_lines(tally: Tally, room: int, *, verbose: bool = False) -> Iterator[Line]:
    """Write what the counts of a run say, for a terminal of ``room`` columns."""
    if tally.evaluators:
        yield from evaluator_table(tally.evaluators, room)
    if tally.worst.count:
        more = f" ({TOLD} of {tally.worst.count} items)" if tally.worst.count > TOLD else ""
        whys = (f"{_where(notable, room * 3 // 5)} {one_line(notable.message)}" for notable in tally.worst)
        yield from _list(f"lowest scores{more}:", whys, room)
    if verbose:
        for title, ranking in (("judgments", tally.slowest_judgments), ("responses", tally.slowest_responses)):
            times = (f"{number(notable.seconds)} s  {_where(notable, room)}" for notable in ranking)
            yield from _list(f"slowest {title}:", times, room)


def evaluator_table(evaluators: Mapping[str, Figures], room: int) -> Iterator[Line]:
    """Write a line for each evaluator. On narrow terminals columns are left out, and names are shortened."""
    rows = list(evaluators.values())
    columns = [
        Column("n", [str(row.outcomes.total()) for row in rows]),
        Column("passed", [str(row.passed) for row in rows]),
        Column("failed", [str(row.failed) for row in rows]),
        Column("errors", [str(row.errors) for row in rows]),
    ]
    if any(row.not_applicable for row in rows):
        columns.append(Column("n/a", [str(row.not_applicable) for row in rows], 1))
    if any(row.tolerated for row in rows):
        columns.append(Column("tolerated", [str(row.tolerated) for row in rows], 1))
    columns += [
        Column("pass rate", [percent(row.pass_rate) for row in rows], 2),
        Column("mean", [number(row.mean) for row in rows], 3),
        Column("threshold", [thresholds(row) for row in rows], 4),
    ]
    while sum(2 + column.width for column in columns) > room - NAME and columns[-1].rank:
        columns.remove(max(columns, key=lambda column: column.rank))
    names = [one_line(name) for name in evaluators]
    name_width = max(room - sum(2 + column.width for column in columns), NAME)
    name_width = min(name_width, max(map(width, ("evaluator", *names))))
    titles = [right(column.title, column.width) for column in columns]
    yield Line("  ".join([left("evaluator", name_width), *titles]), "place")
    for position, (name, row) in enumerate(zip(names, rows, strict=True)):
        cells = [right(column.cells[position], column.width) for column in columns]
        yield Line("  ".join([left(fitted(name, name_width), name_width), *cells]), _style(row))


def percent(rate: float | None) -> str:
    """Write a rate from 0 to 1 for people: ``92.50%``; 100% and 0% are exact."""
    return "-" if rate is None else f"{number(100 * rate)}%"


def thresholds(figures: Figures) -> str:
    """Write the thresholds that verdicts had: ``3``, or ``3 to 4`` where they differ."""
    if not figures.thresholds:
        return "-"
    lowest, highest = min(figures.thresholds), max(figures.thresholds)
    return number(lowest) if lowest == highest else f"{number(lowest)} to {number(highest)}"


def gate_lines(gates: Sequence[GateResult]) -> Iterator[Line]:
    """Write a line for each gate, those that are not met first."""
    for gate in sorted(gates, key=lambda gate: gate.met):
        yield Line(f"evals: {one_line(str(gate))}", "" if gate.met else "bad" if gate.enforced else "unknown")


def comparison_lines(comparison: Comparison, room: int) -> Iterator[Line]:
    """Write how a run stands beside its baseline."""
    parts = [plural(len(comparison.regressions), "regression"), f"{len(comparison.fixed)} fixed"]
    if comparison.changed:
        parts.append(plural(len(comparison.changed), "other changed score"))
    parts.append(f"{plural(comparison.matched, 'item')} matched")
    if comparison.added:
        parts.append(f"{len(comparison.added)} new")
    if comparison.removed:
        parts.append(f"{len(comparison.removed)} missing")
    style = "bad" if comparison.regressions else ""
    yield Line(f"evals: compared with {one_line(comparison.baseline)}: {', '.join(parts)}", style)
    for change in comparison.regressions[:TOLD]:
        yield Line(cut(f"  {change_text(change)}", room))
    if len(comparison.regressions) > TOLD:
        yield Line(f"  and {len(comparison.regressions) - TOLD} more")


def change_text(change: Change) -> str:
    """Write one change on one line: ``datasets/hr.json::leave [Relevance] pass (4) -> fail (2): the response …``."""
    before = f"{_words(change.before)} ({number(change.before_score)})"
    after = f"{_words(change.after)} ({number(change.after_score)})"
    return one_line(f"{change.item} [{change.name}] {before} -> {after}: {change.reason}").removesuffix(":")


def _words(outcome: str) -> str:
    return outcome.replace("_", " ")


def _style(row: Figures) -> str:
    if row.failed and row.failed + row.errors > row.tolerated:
        return "bad"
    if row.failed or row.errors:
        return "unknown"
    return "good" if row.passed else ""


def _list(title: str, texts: Iterable[str], room: int) -> Iterator[Line]:
    lines = [Line(cut(f"  {text}", room)) for text in texts]
    if lines:
        yield Line(title, "place")
        yield from lines


def _where(notable: Notable, room: int) -> str:
    return fitted(one_line(notable.nodeid + (f" [{notable.name}]" if notable.name else "")), room)
