"""A rubric file that was generated before: what was edited by hand since then stays."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.rubrics.generation import RESIDUAL
from pytest_agentevals.rubrics.overlap import NEARLY_THE_SAME, likeness
from pytest_agentevals.rubrics.scoring import enumeration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class HandEdits:
    """Ids of dimensions that were edited, added and removed by hand."""

    edited: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def told(self) -> str:
        """The edits as a phrase; empty where there are none."""
        kinds = (("edited", self.edited), ("added", self.added), ("removed", self.removed))
        return "; ".join(f"{what} by hand: {enumeration(names)}" for what, names in kinds if names)


def hand_edits(content: Mapping[str, Any]) -> HandEdits:
    """Compare a rubric with what was generated; a dimension that was not is taken for one added by hand."""
    generated: Mapping[str, str] = content.get("generated") or {}
    found = {one["id"]: digest(one) for one in content["dimensions"]}
    return HandEdits(
        edited=tuple(name for name, value in found.items() if generated.get(name, value) != value),
        added=tuple(name for name in found if name not in generated),
        removed=tuple(name for name in generated if name not in found),
    )


def digest(dimension: Mapping[str, Any]) -> str:
    """Return a short hash of what a dimension says; its rationale is no part of it."""
    says = [dimension["description"], dimension.get("weight"), bool(dimension.get("always_applicable"))]
    return hashlib.sha256(json.dumps(says).encode()).hexdigest()[:12]


def rubric_file(dimensions: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the content of a new rubric file."""
    return {
        "name": name,
        "dimensions": list(dimensions),
        "generated": {one["id"]: digest(one) for one in dimensions},
    }


def updated(content: Mapping[str, Any], dimensions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the content of a rubric file after it was generated again.

    What was edited or added by hand stays as it is, and what was removed by hand does not come back. Dimensions that
    say nearly the same as an earlier one keep its id. Everything but the dimensions stays.
    """
    edits = hand_edits(content)
    earlier = {one["id"]: one for one in content["dimensions"]}
    by_hand = {*edits.edited, *edits.added}
    new = {one["id"]: one for one in _with_earlier_ids(dimensions, list(earlier.values()))}
    kept = [earlier[name] if name in by_hand else one for name, one in new.items() if name not in edits.removed]
    more = [earlier[name] for name in earlier if name in by_hand and name not in new]
    # The residual dimension is for what no other one covers, and stands last.
    end = 1 if kept and kept[-1]["id"] == RESIDUAL else 0
    merged = [*kept[: len(kept) - end], *more, *kept[len(kept) - end :]]
    # Digests are of what was generated, so that hand edits are known the next time too.
    generated = {name: digest(one) for name, one in new.items() if name not in edits.added}
    old: Mapping[str, str] = content.get("generated") or {}
    generated |= {name: value for name, value in old.items() if name in {*edits.edited, *edits.removed}}
    return {**content, "dimensions": merged, "generated": generated}


def changes(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say for each dimension that is not the same as before what became of it."""
    earlier, later = ({one["id"]: one for one in dimensions} for dimensions in (before, after))
    for name, one in later.items():
        if name not in earlier:
            yield f"new: {name}"
            continue
        old = earlier[name]
        if old.get("weight") != one["weight"]:
            yield f"changed: {name}, weight {old.get('weight', 'none')} to {one['weight']}"
        if old["description"] != one["description"]:
            yield f"changed: {name}, description"
    for name in earlier:
        if name not in later:
            yield f"gone: {name}"


def _with_earlier_ids(
    dimensions: Sequence[dict[str, Any]], earlier: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the dimensions, renamed where one says nearly the same as an earlier one whose id is not taken."""
    taken = {one["id"] for one in dimensions}
    for one in dimensions:
        alike = [
            old["id"]
            for old in earlier
            if old["id"] not in taken and likeness(old["description"], one["description"]) >= NEARLY_THE_SAME
        ]
        if alike and one["id"] not in {old["id"] for old in earlier}:
            taken.add(alike[0])
            yield {**one, "id": alike[0]}
        else:
            yield one
