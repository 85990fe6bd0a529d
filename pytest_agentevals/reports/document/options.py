"""Evaluators and their options as the public schema allows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Allowed(NamedTuple):
    """The options that the schema has for an evaluator."""

    names: frozenset[str]
    required: frozenset[str] = frozenset()


_JUDGED = Allowed(frozenset({"threshold"}))

#: The evaluators of the schema, which refuses other options of theirs.
ALLOWED = {
    "Relevance": _JUDGED,
    "Coherence": _JUDGED,
    "Groundedness": _JUDGED,
    "Similarity": _JUDGED,
    "Citations": Allowed(frozenset({"threshold", "citation_format"})),
    "ExactMatch": Allowed(frozenset({"case_sensitive"})),
    "PartialMatch": Allowed(frozenset({"threshold", "case_sensitive"})),
    "RetrievalQuery": Allowed(
        frozenset({"capability", "selector", "includes", "excludes"}), frozenset({"capability", "selector"})
    ),
    "RetrievalResult": Allowed(
        frozenset({"capability", "max_rank", "min_expected_count", "expected_items"}), frozenset({"capability"})
    ),
}


def public(name: str, options: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Write the options of an evaluator as the schema allows them; None where it cannot say them.

    Options of evaluators that it does not define move under ``options``.
    """
    allowed = ALLOWED.get(name)
    if allowed is not None:
        expressible = allowed.required <= options.keys() <= allowed.names and None not in options.values()
        return options if expressible else None
    threshold = {key: value for key, value in options.items() if key == "threshold" and _is_number(value)}
    rest = {key: value for key, value in options.items() if key not in threshold}
    if not rest or (rest.keys() == {"options"} and isinstance(rest["options"], dict)):
        return options
    return {**threshold, "options": rest}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
