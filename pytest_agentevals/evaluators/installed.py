"""Evaluators of installed packages: entry points of the group ``pytest_agentevals.evaluators``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "pytest_agentevals.evaluators"


@cache
def installed() -> Mapping[str, EntryPoint]:
    """Return the entry points by the name of their evaluator; nothing is imported."""
    return {point.name: point for point in entry_points(group=GROUP)}


def kind(name: str) -> type[Evaluator]:
    """Import an evaluator.

    Raises `KeyError` for a name that no package registers, `EvaluationError` with code ``evaluatorLoadError`` where
    what is registered cannot be imported or is no `Evaluator`.
    """
    point = installed()[name]
    try:
        found = point.load()
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise EvaluationError(f"{GROUP} {name!r} ({point.value}): {said}", code="evaluatorLoadError") from error
    if not (isinstance(found, type) and issubclass(found, Evaluator)):
        raise EvaluationError(f"{GROUP} {name!r} ({point.value}) is no Evaluator class", code="evaluatorLoadError")
    return found
