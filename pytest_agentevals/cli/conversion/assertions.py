"""Assertions of promptfoo as evaluators of ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Keys of an assertion that say what is checked. With others it would check something else.
CHECKED = {"type", "value", "threshold"}
#: Keys that change no verdict, unless a weight is 0.
HARMLESS = {"weight", "metric", "provider"}
#: Metric -> evaluator and default threshold of promptfoo; rouge-n counts single words.
METRICS = {
    "bleu": ("BleuScore", 0.5),
    "gleu": ("GleuScore", 0.5),
    "meteor": ("MeteorScore", 0.5),
}
ROUGE_THRESHOLD = 0.75


class Unknown(Exception):
    """An assertion has no evaluator, or none beside those that the item has already; the message says which."""


class Evaluators:
    """The evaluators of one test, and the expected response that some of them compare with."""

    def __init__(self) -> None:
        self.chosen: dict[str, dict[str, Any]] = {}
        self.expected: str | None = None

    def add(self, assertion: Mapping[str, Any]) -> list[str]:
        """Add what checks an assertion; return its keys that nothing was made of.

        Raises `Unknown` where nothing checks it.
        """
        kind = assertion.get("type")
        make = KINDS.get(kind) if isinstance(kind, str) else None
        if make is None:
            raise Unknown(f"no evaluator for assertions of type {kind}")
        more = [key for key in assertion if key not in CHECKED]
        if not HARMLESS.issuperset(more) or assertion.get("weight") == 0:
            raise Unknown(f"no evaluator for assertions of type {kind} with {', '.join(more)}")
        before = dict(self.chosen), self.expected
        try:
            make(self, assertion)
        except Unknown:
            self.chosen, self.expected = before
            raise
        return more

    def take(self, name: str, options: dict[str, Any]) -> None:
        """Choose an evaluator, once."""
        if self.chosen.get(name, options) != options:
            raise Unknown(f"an item can have one {name} only: not a second one with other options")
        self.chosen[name] = options

    def expect(self, assertion: Mapping[str, Any]) -> None:
        """Set the response to compare with, which is one for all evaluators."""
        value = text(assertion)
        if self.expected not in {None, value}:
            raise Unknown("an item can have one expected response only: not a second, different one")
        self.expected = value


def text(assertion: Mapping[str, Any]) -> str:
    """Return the value of an assertion, a text."""
    value = assertion.get("value")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value or "{{" in value or "{%" in value or value.startswith("file://"):
        raise Unknown(f"no evaluator for assertions of type {assertion['type']} whose value is no plain text")
    return value


def texts(assertion: Mapping[str, Any]) -> list[str]:
    """Return the values of an assertion, a list or one text with commas."""
    value = assertion.get("value")
    values = value if isinstance(value, list) else [part.strip() for part in text(assertion).split(",")]
    return [text({**assertion, "value": one}) for one in values]


def contains(
    part: str, read: Callable[[Mapping[str, Any]], list[str]], *, case_sensitive: bool
) -> Callable[[Evaluators, Mapping[str, Any]], None]:
    """Make what adds texts to a part of Contains; a second list of alternatives does not fit in."""

    def add(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
        options = evaluators.chosen.get("Contains", {})
        if options and options.get("case_sensitive", True) != case_sensitive:
            raise Unknown("an item can have one Contains only: not with and without regard to case")
        if part == "any" and "any" in options:
            raise Unknown("an item can have one Contains only: not with a second list of alternatives")
        merged = {**options, part: [*options.get(part, ()), *read(assertion)]}
        evaluators.chosen["Contains"] = merged if case_sensitive else {**merged, "case_sensitive": False}

    return add


def one(assertion: Mapping[str, Any]) -> list[str]:
    """Return the value of an assertion as a list of one text, commas included."""
    return [text(assertion)]


def equals(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Compare with the whole value."""
    evaluators.expect(assertion)
    evaluators.take("ExactMatch", {})


def regex(*, matches: bool) -> Callable[[Evaluators, Mapping[str, Any]], None]:
    """Make what searches for a pattern, as far as Python reads it as JavaScript does."""

    def add(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
        pattern = text(assertion)
        try:
            re.compile(pattern)
        except re.error:
            raise Unknown("no evaluator for assertions of type regex in JavaScript's syntax") from None
        evaluators.take("Regex", {"pattern": pattern} if matches else {"pattern": pattern, "matches": False})

    return add


def starts_with(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Search for the value at the start."""
    evaluators.take("Regex", {"pattern": rf"\A{re.escape(text(assertion))}"})


def is_json(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Check against the value, a JSON Schema, or whether it is JSON at all."""
    schema = assertion.get("value", {})
    if not isinstance(schema, dict):
        raise Unknown("no evaluator for assertions of type is-json whose schema stands elsewhere")
    evaluators.take("JsonSchema", {"schema": schema})


def metric(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Compare with the value by a metric that is ours, too."""
    evaluator, default = METRICS[assertion["type"]]
    evaluators.expect(assertion)
    evaluators.take(evaluator, {"threshold": threshold(assertion, default)})


def rouge(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Compare by F1 of the words; precision and recall decide nothing."""
    cut = threshold(assertion, ROUGE_THRESHOLD)
    evaluators.expect(assertion)
    evaluators.take(
        "RougeScore",
        {"rouge_type": "rouge1", "f1_score_threshold": cut, "precision_threshold": 0, "recall_threshold": 0},
    )


def latency(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Limit the time to the threshold, in milliseconds."""
    limit = assertion.get("threshold")
    if isinstance(limit, bool) or not isinstance(limit, int | float) or limit <= 0:
        raise Unknown("no evaluator for assertions of type latency without a threshold")
    evaluators.take("Latency", {"max_ms": limit})


def rubric(evaluators: Evaluators, assertion: Mapping[str, Any]) -> None:
    """Ask the judge whether the value is true; all such assertions of a test are dimensions of one rubric."""
    if "threshold" in assertion:
        raise Unknown("no evaluator for assertions of type llm-rubric with a threshold of their own")
    dimensions = evaluators.chosen.get("Rubric", {}).get("dimensions", [])
    added = {"id": f"criterion-{len(dimensions) + 1}", "description": text(assertion), "always_applicable": True}
    evaluators.chosen["Rubric"] = {"scoring": "boolean", "dimensions": [*dimensions, added]}


def threshold(assertion: Mapping[str, Any], default: float) -> float:
    """Return the threshold of a metric, 0 to 1."""
    value = assertion.get("threshold", default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Unknown(f"no evaluator for assertions of type {assertion['type']} with such a threshold")
    return value


#: Type of assertion -> what adds its evaluator.
KINDS: dict[str, Callable[[Evaluators, Mapping[str, Any]], None]] = {
    "equals": equals,
    "contains": contains("all", one, case_sensitive=True),
    "contains-all": contains("all", texts, case_sensitive=True),
    "contains-any": contains("any", texts, case_sensitive=True),
    "not-contains": contains("none", one, case_sensitive=True),
    "not-contains-any": contains("none", texts, case_sensitive=True),
    "icontains": contains("all", one, case_sensitive=False),
    "icontains-all": contains("all", texts, case_sensitive=False),
    "icontains-any": contains("any", texts, case_sensitive=False),
    "not-icontains": contains("none", one, case_sensitive=False),
    "not-icontains-any": contains("none", texts, case_sensitive=False),
    "regex": regex(matches=True),
    "not-regex": regex(matches=False),
    "starts-with": starts_with,
    "is-json": is_json,
    "rouge-n": rouge,
    **dict.fromkeys(METRICS, metric),
    "latency": latency,
    "llm-rubric": rubric,
}
