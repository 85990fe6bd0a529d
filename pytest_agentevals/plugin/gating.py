"""Gates in a run: which there are, and which fails and errors they answer for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

import pytest

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.plugin.selection import refuse_unknown
from pytest_agentevals.reports.cases import ItemRun, Kind, result_cases
from pytest_agentevals.reports.gates import answering
from pytest_agentevals.reports.gates.syntax import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.plugin.failures import ItemNotPassed, NotPassed
    from pytest_agentevals.plugin.items import EvalItem
    from pytest_agentevals.reports.gates.syntax import Gate
    from pytest_agentevals.results import ItemResult

INI = "evals_gates"
OPTION = "--evals-gate"

#: Options that leave out some of what a gate of the project is meant to be about.
SELECTING = ("keyword", "markexpr", "lf", "deselect", "stepwise", "evals_only", "evals_skip")


def gates(config: pytest.Config) -> tuple[Gate, ...]:
    """Read the gates of a run: those of the ini file, and those of the command line, which are always enforced.

    Raises `pytest.UsageError` for what is no gate.
    """
    given = dict(_read(config.getoption("evals_gate"), OPTION))
    of_project = dict(_read(config.getini(INI), INI))
    if selected(config):
        of_project = {text: gate.only_shown() for text, gate in of_project.items()}
    return tuple((of_project | given).values())


def check(config: pytest.Config) -> None:
    """Refuse gates about evaluators that do not exist anywhere in the project; raises `pytest.UsageError`."""
    for source, texts in ((INI, config.getini(INI)), (OPTION, config.getoption("evals_gate"))):
        for text, gate in _read(texts, source):
            refuse_unknown(config, f"{source}: {text!r}", gate.evaluators)


def selected(config: pytest.Config) -> bool:
    """Whether the user chose some of the items or evaluators, so that figures say nothing of the whole."""
    chosen = any(config.getoption(name, None) for name in SELECTING)
    named = any("::" in argument for argument in config.args)
    return chosen or named or config.getoption("evals_judge") == "none"


def _read(texts: Sequence[str], source: str) -> list[tuple[str, Gate]]:
    try:
        return [(gate.text, gate) for gate in map(parse, texts)]
    except ConfigurationError as error:
        raise pytest.UsageError(f"{source}: {error}") from None


class Tolerance(NamedTuple):
    """What gates answer for in one item."""

    #: The gate's text by the name of the verdict; the item itself, where there is no verdict, has an empty name.
    verdicts: Mapping[str, str]
    #: The texts of these gates, if nothing else is wrong with the item.
    item: str | None


NOTHING = Tolerance({}, None)


def tolerance(item: EvalItem, result: ItemResult) -> Tolerance:
    """Return what the gates of the run answer for. With ``--runxfail`` that is nothing."""
    known = item.parent.process.settings.gates
    if not known or item.config.getoption("runxfail"):
        return NOTHING
    document = item.nodeid.partition("::")[0]
    cases = list(result_cases(result, ItemRun(item.nodeid, item.loaded.line), texts=False))
    found = {case.name: answering(known, document, item.loaded.tags, case) for case in cases}
    verdicts = {name: gate.text for name, gate in found.items() if gate is not None}
    wrong = {case.name for case in cases if case.kind in {Kind.FAILURE, Kind.ERROR}}
    return Tolerance(verdicts, ", ".join(dict.fromkeys(verdicts.values())) if wrong == verdicts.keys() else None)


def fail(failure: NotPassed | ItemNotPassed, gate: str | None) -> NoReturn:
    """Raise a failure; one that a gate answers for as one that was expected."""
    if not gate:
        raise failure
    raise pytest.xfail.Exception(f"tolerated by gate {gate}: {failure.summary}") from failure
