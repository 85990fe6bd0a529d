"""Findings of ``agentevals validate`` in the forms that people and programs read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_agentevals import __version__
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pytest_agentevals.cli.checking import Checked
    from pytest_agentevals.cli.finding import Found

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
RULES = {
    "mistake": "What the eval-document format does not allow.",
    "warning": "What works, and should be changed.",
}


def as_text(checked: Sequence[Checked], alone: Sequence[Found], *, verbose: bool) -> Iterator[str]:
    """Yield a line for each finding, as collection writes them."""
    for each in checked:
        name = relative(each.path)
        yield from (visible(f"{name}:{problem}") for problem in each.problems)
        if each.more:
            yield visible(f"{name}: and {each.more} more")
        yield from (one_line(f"{name}: warning: {warning.removeprefix(f'{name}: ')}") for warning in each.warnings)
    if verbose:
        yield from (one_line(f"{relative(found.path)}: left alone: {found.reason}") for found in alone)


def summary(checked: Sequence[Checked], alone: Sequence[Found]) -> str:
    """Say in a line how many documents there are, and how many have mistakes."""
    broken = sum(each.document is None for each in checked)
    items = sum(len(each.document.items) for each in checked if each.document)
    parts = [f"{plural(len(checked), 'eval document')}, {plural(items, 'item')}"]
    parts.append(f"{broken} with mistakes" if broken else "no mistakes")
    if alone:
        parts.append(f"{plural(len(alone), 'other JSON file')} left alone")
    return "; ".join(parts)


def nothing_in(paths: Sequence[Path]) -> str:
    """Say that there is no eval document in files and folders."""
    return one_line(f"Error: no eval document in {', '.join(map(str, paths))}")


def as_json(checked: Sequence[Checked], alone: Sequence[Found]) -> str:
    """Write all there is to know, for programs."""
    documents = [
        {
            "path": uri(each.path, quoted=False),
            "valid": each.document is not None,
            "items": len(each.document.items) if each.document else None,
            "problems": [
                {"line": one.line, "column": one.column, "pointer": one.pointer, "message": one.message}
                for one in each.problems
            ],
            "more": each.more,
            "warnings": each.warnings,
        }
        for each in checked
    ]
    left = [{"path": uri(found.path, quoted=False), "reason": found.reason} for found in alone]
    return json.dumps({"documents": documents, "left_alone": left}, indent=2, ensure_ascii=False)


def as_github(checked: Sequence[Checked]) -> Iterator[str]:
    """Yield a workflow command of GitHub Actions for each finding, which shows it beside its line."""
    for each in checked:
        file = uri(each.path, quoted=False)
        for one in each.problems:
            text = f"{one.pointer}: {one.message}" if one.pointer else one.message
            yield _command("error", text, file=file, line=str(one.line), col=str(one.column))
        if each.more:
            yield _command("error", f"and {each.more} more", file=file)
        for warning in each.warnings:
            yield _command("warning", warning, file=file)


def _command(level: str, message: str, **properties: str) -> str:
    given = ",".join(f"{name}={_escaped(value, more=':,')}" for name, value in properties.items())
    return f"::{level} {given}::{_escaped(message)}"


def _escaped(text: str, *, more: str = "") -> str:
    """Escape what would end a workflow command or one of its properties; other controls become visible."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    for character in more:
        text = text.replace(character, f"%{ord(character):02X}")
    return visible(text)


def as_sarif(checked: Sequence[Checked]) -> str:
    """Write a log in SARIF 2.1.0, which code hosts and editors read."""
    results = [result for each in checked for result in _results(each)]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    driver = {"name": "agentevals", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _results(each: Checked) -> Iterator[dict[str, Any]]:
    for one in each.problems:
        text = f"{one.pointer}: {one.message}" if one.pointer else one.message
        yield _result("mistake", "error", text, each.path, {"startLine": one.line, "startColumn": one.column})
    if each.more:
        yield _result("mistake", "error", f"and {each.more} more", each.path)
    for warning in each.warnings:
        yield _result("warning", "warning", warning, each.path)


def _result(rule: str, level: str, text: str, path: Path, region: dict[str, int] | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": uri(path)}}
    if region:
        place["region"] = region
    return {
        "ruleId": rule,
        "ruleIndex": list(RULES).index(rule),
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


def uri(path: Path, *, quoted: bool = True) -> str:
    """Write a path from the current folder where it lies inside, with slashes, and as a URI where ``quoted``."""
    near = relative(path)
    if not quoted:
        return visible(near.as_posix())
    return near.as_uri() if near.is_absolute() else quote(os.fsencode(near.as_posix()))
