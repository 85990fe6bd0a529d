"""Several runs as one: the parts of a suite that ran on several machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.run import About, Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def merged(runs: Sequence[Run]) -> Run:
    """Make one run of one or more; gates are those of all, computed over their own part.

    The wall times add up. What compares one of several with a baseline says nothing of all, and is left out. Raises
    `ConfigurationError` where two of them have the same item.
    """
    if len(runs) == 1:
        return runs[0]
    items = sorted((item for run in runs for item in run.items), key=lambda item: (item.document, item.run.line))
    seen = set()
    for item in items:
        if item.label in seen:
            raise ConfigurationError(f"{item.label} is in two of the results: only those of different items merge")
        seen.add(item.label)
    abouts = [run.about for run in runs]
    first = min(abouts, key=lambda about: about.started)
    about = About(
        started=first.started,
        seconds=sum(about.seconds for about in abouts),
        version=_each(about.version for about in abouts),
        versions={
            name: _each(about.versions.get(name, "") for about in abouts)
            for name in dict.fromkeys(name for about in abouts for name in about.versions)
        },
        mode=_each(about.mode for about in abouts),
        judge=_each(about.judge for about in abouts),
        agent=_each(about.agent for about in abouts),
        interrupted=any(about.interrupted for about in abouts),
        repeats=max(about.repeats for about in abouts),
        pass_at=max(about.pass_at for about in abouts),
        documents={path: metadata for about in abouts for path, metadata in about.documents.items()},
    )
    return Run(about=about, items=tuple(items), gates=tuple(gate for run in runs for gate in run.gates))


def _each(values: Iterable[str]) -> str:
    """Name what is not the same everywhere, each once."""
    return ", ".join(filter(None, dict.fromkeys(values)))
