"""JUnit XML as pytest was asked to write it, with a test case for every verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.reports.junit import Style, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from pytest_agentevals.reports.cases import ItemRun
    from pytest_agentevals.reports.gates import GateResult


def write(path: Path, runs: Iterable[ItemRun], gates: Iterable[GateResult], config: pytest.Config) -> None:
    """Replace the test cases of eval items in the file that pytest has finished, and add one for each gate."""
    style = Style(
        prefix=config.getoption("junitprefix", None) or "",
        located=config.getini("junit_family") != "xunit2",
        properties=config.getini("evals_junit_properties"),
        per_item=config.getini("evals_junit") == "item",
    )
    rewrite(path, runs, style, gates)
