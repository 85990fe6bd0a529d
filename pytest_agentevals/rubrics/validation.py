"""What is wrong with a rubric file, each mistake with its place in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pytest_agentevals.documents.explanations import explain, keys_at, resolve
from pytest_agentevals.rubrics import files
from pytest_agentevals.rubrics.definition import Definition

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from pydantic_core import ErrorDetails

    from pytest_agentevals.documents.positions import Path


def checked(path: FilePath) -> dict[str, Any]:
    """Read a rubric file; raises `ValueError` with the file's name and all that is wrong in it.

    It is checked by itself, before options of the document are put over it: only there its mistakes have a place.
    """
    try:
        content = files.read(path)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    if wrong := mistakes(content):
        told = [f"/{'/'.join(map(str, place))}: {message}" if place else message for place, message in wrong]
        raise ValueError(f"{path.name}: {'; '.join(told)}")
    return content


def mistakes(content: dict[str, Any]) -> list[tuple[Path, str]]:
    """Return what keeps options from being a rubric: the path of each mistake, and a phrase that says it."""
    try:
        # As JSON, because strict validation of Python values refuses a list where a field is a tuple.
        Definition.model_validate_json(json.dumps(content))
    except ValidationError as error:
        return [_mistake(one, content) for one in error.errors(include_url=False)]
    return []


def _mistake(error: ErrorDetails, content: dict[str, Any]) -> tuple[Path, str]:
    location = resolve(content, error["loc"])
    return location, explain(error, lambda: keys_at(Definition.model_json_schema(), location[:-1]))
