"""Finding eval documents among the files that pytest meets, and telling which others were left alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_agentevals.documents.choice import claims, matches
from pytest_agentevals.documents.sniff import looped, sniff

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentevals.documents.sniff import Finding


@dataclass(slots=True)
class LeftAlone:
    """A JSON file that is no eval document, and why."""

    path: str
    reason: str
    #: Whether it looks like a document with a mistake.
    near: bool


@dataclass(slots=True)
class Neighbours:
    """The JSON files met beside the documents."""

    left_alone: list[LeftAlone] = field(default_factory=list)


NEIGHBOURS = pytest.StashKey[Neighbours]()


def collect(path: Path, parent: pytest.Collector, globs: Sequence[str]) -> pytest.Collector | None:
    """Make a collector for a file that is an eval document; leave others alone and note why."""
    config = parent.config
    mode = config.getini("evals_collect")
    configured = matches(path, config.rootpath, globs)
    explicit = configured or parent.session.isinitpath(path)
    if mode == "off" or (mode == "named" and not explicit):
        return None
    finding = sniff(path)
    if not explicit and finding.kind == "document" and looped(path):
        finding = type(finding)(kind="other", reason="reached again through a symbolic link to a parent folder")
    if finding.kind == "document" or configured or (explicit and claims(finding)):
        from pytest_agentevals.plugin.activation import activate
        from pytest_agentevals.plugin.items import EvalFile

        activate(config)
        return EvalFile.from_parent(parent, path=path, explicit=explicit)
    note(config, path, finding)
    return None


def note(config: pytest.Config, path: Path, finding: Finding) -> None:
    """Remember a file that was left alone."""
    shown = path.relative_to(config.rootpath).as_posix() if path.is_relative_to(config.rootpath) else str(path)
    neighbours = config.stash.setdefault(NEIGHBOURS, Neighbours())
    neighbours.left_alone.append(LeftAlone(shown, finding.reason, finding.near))
    if finding.near:
        from pytest_agentevals.plugin.activation import activate

        activate(config)
