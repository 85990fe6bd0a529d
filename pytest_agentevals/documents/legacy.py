"""Forms of the format's early days: a bare list of prompts, parallel lists, a document without ``schemaVersion``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_agentevals.documents.positions import Path

#: The version that legacy documents are read as.
VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class Modernised:
    """A legacy document in today's form.

    ``items`` is the path of the list whose elements became the items. ``problem`` is what cannot be brought into
    today's form.
    """

    value: dict[str, Any]
    items: Path
    problem: str | None = None

    def origin(self, path: Path) -> Path:
        """Return where a part of the modernised document stands in the original."""
        if path[:1] != ("items",):
            return path
        if self.items != ("prompts",):
            return self.items + path[1:]
        top = "expected_responses" if path[2:3] == ("expected_response",) else "prompts"
        return (top, *path[1:2], *path[3:])


def modernise(value: Any) -> Modernised | None:
    """Bring a legacy document into today's form; None for values that are none."""
    if isinstance(value, list):
        return Modernised({"schemaVersion": VERSION, "items": value}, ())
    if not isinstance(value, dict) or "schemaVersion" in value:
        return None
    if "items" in value:
        return Modernised({"schemaVersion": VERSION, **value}, ("items",))
    prompts, responses = value.get("prompts"), value.get("expected_responses", [])
    if not isinstance(prompts, list) or not isinstance(responses, list):
        return None
    problem = None
    if responses and len(responses) != len(prompts):
        problem = f'"prompts" has {len(prompts)} entries, but "expected_responses" has {len(responses)}'
    rest = {key: member for key, member in value.items() if key not in {"prompts", "expected_responses"}}
    items = [{"prompt": prompt} for prompt in prompts]
    for item, response in zip(items, responses, strict=False):
        item["expected_response"] = response
    return Modernised({"schemaVersion": VERSION, **rest, "items": items}, ("prompts",), problem)
