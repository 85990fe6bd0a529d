"""The summary of a run for terminals: figures of each evaluator, what was worst, what it took, gates and comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.reports.columns import cut, fitted, left, right, width
from pytest_agentevals.reports.failure import Line, plural
from pytest_agentevals.reports.overview import columns, ended
from pytest_agentevals.reports.visible import one_line
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_agentevals.reports.comparison import Change, Comparison
    from pytest_agentevals.reports.figures import Figures
    from pytest_agentevals.reports.gates import GateResult
    from pytest_agentevals.reports.overview import Column
    from pytest_agentevals.reports.tally import Notable, Tally

#: Columns of a terminal that the name of an evaluator gets before columns are left out, and even when all are.
NAME = 16
SHORTEST = 8
#: Changes that are told one by one.
TOLD = 5


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
    names = [one_line(name) for name in evaluators]
    longest = max(map(width, ("evaluator", *names)))
    table = columns(evaluators.values())
    while table[-1].rank and sum(map(_width, table)) > room - min(longest, NAME):
        table.remove(max(table, key=lambda column: column.rank))
    first = min(longest, max(room - sum(map(_width, table)), SHORTEST))
    yield Line(left("evaluator", first) + "".join(right(column.title, _width(column)) for column in table), "place")
    for position, (name, row) in enumerate(zip(names, evaluators.values(), strict=True)):
        cells = (right(column.cells[position], _width(column)) for column in table)
        yield Line(left(fitted(name, first), first) + "".join(cells), _style(row))


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
    differing = sorted((each for each in comparison.evaluators if each.p is not None), key=lambda each: each.p or 0)
    for each in differing[:TOLD]:
        text = f"  {one_line(each.evaluator)}: {each.sentence}"
        yield Line(cut(text, room), "bad" if each.direction < 0 else "good" if each.direction else "")
    for remark in comparison.remarks:
        yield Line(f"  {one_line(remark)}", "unknown")


def change_text(change: Change) -> str:
    """Write one change on one line: ``datasets/hr.json::leave [Relevance] pass (4) -> fail (2): the response …``."""
    before, after = ended(change.before, change.before_score), ended(change.after, change.after_score)
    return one_line(f"{change.item} [{change.name}] {before} -> {after}: {change.reason}").removesuffix(":")


def _width(column: Column) -> int:
    """Return the width of a column with the space before it."""
    return 2 + max(map(width, (column.title, *column.cells)))


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
