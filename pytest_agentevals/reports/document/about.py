"""The metadata of a results document: how the run was made, and what it comes to."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.results import EXTENSION
from pytest_agentevals.reports.comparison import Change, Comparison, EvaluatorChange
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.reports.run import About
from pytest_agentevals.reports.tally import Tally
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_agentevals.reports.figures import Figures
    from pytest_agentevals.reports.run import Run

#: Version of what stands in our extensions; one that is read differently gets a higher one.
FORMAT = 1


def metadata(run: Run) -> dict[str, Any]:
    """Write the ``metadata`` of a run."""
    about = run.about
    paths, documents = list(about.documents), list(about.documents.values())
    only: Mapping[str, Any] = documents[0] if len(documents) == 1 else {}
    name = only.get("name") or (paths[0] if len(paths) == 1 else plural(len(paths), "document"))
    found: dict[str, Any] = {"name": name}
    if only.get("description"):
        found["description"] = only["description"]
    found["evaluatedAt"] = about.started
    if shared := _shared_tags(documents):
        found["tags"] = shared
    if about.agent:
        found["agentName"] = about.agent
    found["cliVersion"] = f"pytest-agentevals {about.version}"
    found["extensions"] = {**(only.get("extensions") or {}), EXTENSION: _ours(run)}
    return found


def read(ours: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `Run` but for its items, from the extension in the metadata."""
    known = {field.name for field in fields(About)}
    comparison = ours.get("comparison")
    return {
        "about": About(**{name: value for name, value in ours.items() if name in known}),
        "gates": tuple(GateResult(**gate) for gate in ours.get("gates", ())),
        "comparison": None if comparison is None else _comparison(comparison),
    }


def _shared_tags(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the tags that all documents have."""
    tags = [document.get("tags") or [] for document in documents]
    return [tag for tag in tags[0] if all(tag in others for others in tags)] if tags else []


def _ours(run: Run) -> dict[str, Any]:
    tally = Tally.of(item.run for item in run.items)
    ours = {
        "kind": "results",
        "format": FORMAT,
        **asdict(run.about),
        "counts": {
            "items": dict(tally.items),
            "evaluators": {name: _figures(figures) for name, figures in tally.evaluators.items()},
        },
        "judgments": asdict(tally.spent),
    }
    if run.gates:
        ours["gates"] = [asdict(gate) for gate in run.gates]
    if run.comparison is not None:
        ours["comparison"] = asdict(run.comparison)
    return ours


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "passed": figures.passed,
        "failed": figures.failed,
        "errors": figures.errors,
        "not_applicable": figures.not_applicable,
        "pass_rate": figures.pass_rate,
        "mean": figures.mean,
    }


def _comparison(value: Mapping[str, Any]) -> Comparison:
    kinds: Mapping[str, Callable[[Any], Any]] = {
        "regressions": _change,
        "fixed": _change,
        "changed": _change,
        "evaluators": lambda each: EvaluatorChange(**each),
    }
    fields: dict[str, Any] = {
        name: tuple(map(kinds.get(name, str), found)) if isinstance(found, list) else found
        for name, found in value.items()
    }
    return Comparison(**fields)


def _change(value: Mapping[str, Any]) -> Change:
    return Change(**{**value, "before": Outcome(value["before"]), "after": Outcome(value["after"])})
