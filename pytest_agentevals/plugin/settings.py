"""The options and ini values of a run, read and checked in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals.engine.combining import Rule
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.judge.named import NamedJudge, read_judges
from pytest_agentevals.judge.prices import read_prices
from pytest_agentevals.plugin import step_summary
from pytest_agentevals.plugin.gating import gates
from pytest_agentevals.reports import formats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.reports.gates.syntax import Gate

COLLECT_MODES = ("auto", "named", "off")
JUNIT_MODES = ("evaluator", "item")
JUDGE_MODES = ("auto", "record", "live", "replay", "none")

#: Ini values with a closed list of values.
CHOICES = {
    "evals_collect": COLLECT_MODES,
    "evals_junit": JUNIT_MODES,
    "evals_judge": JUDGE_MODES,
    "evals_step_summary": ("on", "off"),
    "evals_judges_verdict": tuple(Rule),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user said about agents and judges."""

    judge_mode: str
    judge_model: str | None
    judge_url: str | None
    judge_timeout: float
    judge_concurrency: int
    #: How often the judge answers every question.
    judge_repeats: int
    #: Several judges, if there are several, and how they decide.
    judges: tuple[NamedJudge, ...]
    judges_rule: Rule
    #: How often every item is evaluated, and how many of the repeats have to pass.
    repeats: int
    pass_at: int
    recordings: str
    #: The agent named on the command line, which wins over fixtures.
    agent: str | None
    agent_concurrency: int
    #: ``on``, ``off`` or a file.
    agent_cache: str
    prune: bool
    #: Reports to write when the run ends.
    reports: tuple[Path, ...]
    #: The summary of a step in GitHub Actions, to which a run is added.
    step_summary: Path | None
    gates: tuple[Gate, ...]
    #: Results of an earlier run to compare with.
    baseline: Path | None
    #: Whether the run fails where it is worse than the baseline: with ``any`` regression, or a ``significant`` one.
    fail_on_regression: str | None
    #: Whether something is demanded that a run without eval items does not fulfil either.
    demanding: bool
    #: Whether items may be evaluated before their turn; who debugs wants one thing at a time.
    ahead: bool

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        """Read them; raises `pytest.UsageError` for a value that cannot be used."""
        for name, allowed in CHOICES.items():
            _choice(name, config.getini(name), allowed)
        prices(config)
        repeats = _number(config, "evals_repeat", int)
        return cls(
            judge_mode=config.getoption("evals_judge") or config.getini("evals_judge"),
            judge_model=config.getoption("evals_judge_model"),
            judge_url=config.getoption("evals_judge_url"),
            judge_timeout=_number(config, "evals_judge_timeout", float),
            judge_concurrency=_number(config, "evals_judge_concurrency", int),
            judge_repeats=_number(config, "evals_judge_repeat", int),
            judges=_judges(config),
            judges_rule=Rule(config.getini("evals_judges_verdict")),
            repeats=repeats,
            pass_at=_pass_at(config, repeats),
            recordings=config.getini("evals_recordings"),
            agent=config.getoption("evals_agent"),
            agent_concurrency=_number(config, "evals_agent_concurrency", int),
            agent_cache=config.getoption("evals_agent_cache") or config.getini("evals_agent_cache"),
            prune=config.getoption("evals_record_prune"),
            reports=tuple(_report(name) for name in config.getoption("evals_report")),
            step_summary=step_summary.wanted(config),
            gates=gates(config),
            baseline=_baseline(config),
            fail_on_regression=config.getoption("evals_fail_on_regression"),
            demanding=bool(config.getoption("evals_gate") or config.getoption("evals_fail_on_regression")),
            ahead=not (config.getoption("usepdb") or config.getoption("trace")),
        )


def _report(name: str) -> Path:
    # The working directory may change before the run ends.
    path = Path(name).expanduser().absolute()
    try:
        formats.check(path)
    except ConfigurationError as error:
        raise pytest.UsageError(f"--evals-report: {error}") from None
    return path


def _judges(config: pytest.Config) -> tuple[NamedJudge, ...]:
    try:
        return read_judges(config.getini("evals_judges"))
    except ConfigurationError as error:
        raise pytest.UsageError(str(error)) from None


def _pass_at(config: pytest.Config, repeats: int) -> int:
    """Return how many of the repeats have to pass, all of them unless it is said."""
    if config.getoption("evals_pass_at") is None and not config.getini("evals_pass_at"):
        return repeats
    needed: int = _number(config, "evals_pass_at", int)
    if needed > repeats:
        source = "evals_pass_at" if config.getoption("evals_pass_at") is None else "--evals-pass-at"
        raise pytest.UsageError(
            f"{source} = {needed} is more than there are repeats: evals_repeat (--evals-repeat) is {repeats}"
        )
    return needed


def _baseline(config: pytest.Config) -> Path | None:
    name = config.getoption("evals_baseline")
    if name is None:
        if config.getoption("evals_fail_on_regression"):
            raise pytest.UsageError("--evals-fail-on-regression needs --evals-baseline FILE, results to compare with")
        return None
    return Path(name).expanduser().absolute()


def _choice(name: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise pytest.UsageError(f"{name} = {value!r} is not valid; allowed are {', '.join(allowed)}")


def prices(config: pytest.Config) -> Mapping[str, tuple[float, float]]:
    """Return the prices of a million prompt tokens and of a million completion tokens, by model.

    Raises `pytest.UsageError` for a line that cannot be used.
    """
    try:
        return read_prices(config.getini("evals_judge_prices"))
    except ConfigurationError as error:
        raise pytest.UsageError(str(error)) from None


def _number(config: pytest.Config, name: str, kind: type[int | float]) -> Any:
    given = config.getoption(name, None)
    option = f"--{name.replace('_', '-')}" if given is not None else name
    value = given if given is not None else config.getini(name)
    try:
        number = kind(value)
    except ValueError:
        number = kind(0)
    if not 0 < number < float("inf"):
        what = "a whole number from 1 up" if kind is int else "a number of seconds above 0"
        raise pytest.UsageError(f"{option} = {value!r} is not valid; allowed is {what}")
    return number
