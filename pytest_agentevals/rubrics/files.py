"""Rubric files in every form they come in: a bare list of dimensions, an object, the export of the vendor's service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Keys of an exported rubric that say something about scoring; the service's book-keeping is left out.
EXPORTED = ("name", "version", "description", "threshold", "pass_threshold", "dimensions")


def read(path: Path) -> dict[str, Any]:
    """Read a rubric file and return what it says, under the names of the evaluator's options.

    Raises `ValueError` with one sentence for a file that holds no rubric.
    """
    try:
        content = json.loads(path.read_bytes(), object_pairs_hook=without_duplicates)
    except RecursionError:
        raise ValueError("the file is nested too deeply to be a rubric") from None
    except ValueError as error:
        raise ValueError(f"the file is not valid JSON: {error}") from error
    except OSError as error:
        raise ValueError(f"the file cannot be read: {error.strerror}") from error
    if isinstance(content, list):
        return {"dimensions": content}
    if not isinstance(content, dict):
        raise ValueError("a rubric is a list of dimensions or an object with the key 'dimensions'")  # noqa: TRY004 - about data
    if isinstance(content.get("definition"), dict):
        return exported(content, content["definition"])
    return renamed(content)


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object; raises `ValueError` for a key that stands in it twice, of which JSON would drop one."""
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice in one object")
    return result


def renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Call ``pass_threshold`` by our name; beside ``threshold`` it is kept, so that validation refuses it."""
    if "pass_threshold" not in options or "threshold" in options:
        return dict(options)
    return {("threshold" if name == "pass_threshold" else name): value for name, value in options.items()}


def exported(content: Mapping[str, Any], definition: Mapping[str, Any]) -> dict[str, Any]:
    """Take from the service's export what concerns scoring; raises `ValueError` if it defines no rubric."""
    if definition.get("type") != "rubric":
        raise ValueError(f"the exported evaluator is of type {definition.get('type')!r}, not 'rubric'")
    both = {**content, **definition}
    result = {name: both[name] for name in EXPORTED if both.get(name) is not None}
    if "version" in result:
        result["version"] = str(result["version"])
    scoring = definition.get("scoring")
    if scoring is not None:
        result["scoring"] = scoring.get("mode") if isinstance(scoring, dict) else scoring
    categories = [name for name in content.get("categories") or () if name in {"quality", "safety"}]
    if categories:
        result["category"] = categories[0]
    levels = content.get("supported_evaluation_levels") or ["turn"]
    result["level"] = "turn" if "turn" in levels else levels[0]
    if isinstance(result.get("dimensions"), list):
        result["dimensions"] = [
            {key: value for key, value in dimension.items() if key != "generated_weight"}
            if isinstance(dimension, dict)
            else dimension
            for dimension in result["dimensions"]
        ]
    return renamed(result)
