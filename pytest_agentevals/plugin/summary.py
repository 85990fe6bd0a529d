"""What pytest's terminal says of a run's evaluations at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_agentevals.plugin.failures import STYLES
from pytest_agentevals.reports.failure import Line
from pytest_agentevals.reports.tally import Tally
from pytest_agentevals.reports.terminal import comparison_lines, gate_lines, summary_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from pytest_agentevals.reports.comparison import Comparison
    from pytest_agentevals.reports.gates import GateResult


@dataclass(slots=True)
class Summary:
    """Filled while a session ends, printed when it has ended."""

    tally: Tally = field(default_factory=Tally)
    gates: Sequence[GateResult] = ()
    comparison: Comparison | None = None
    #: Lines on what was written, and on what went wrong.
    remarks: list[str] = field(default_factory=list)

    def write(self, terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print a section on the evaluations; with ``-q`` or ``--no-summary`` only remarks and unmet gates."""
        verbosity, room = config.get_verbosity(), config.get_terminal_writer().fullwidth
        quiet = verbosity < 0 or config.getoption("no_summary")
        lines = list(self._urgent() if quiet else self._lines(room, verbose=verbosity > 0))
        if lines and not quiet:
            terminal.write_sep("=", "evals")
        for line in lines:
            terminal.write_line(line.text, **STYLES.get(line.style, {}))

    def _urgent(self) -> Iterator[Line]:
        yield from map(Line, (*self.remarks, *self.tally.unasked_lines()))
        yield from gate_lines([gate for gate in self.gates if gate.enforced and not gate.met])

    def _lines(self, room: int, *, verbose: bool) -> Iterator[Line]:
        yield from summary_lines(self.tally, room, verbose=verbose)
        yield from gate_lines(self.gates)
        if self.comparison is not None:
            yield from comparison_lines(self.comparison, room)
        yield from map(Line, self.tally.unasked_lines())
        if judging := self.tally.judging:
            yield Line(f"evals: {judging}")
        yield from map(Line, self.remarks)
