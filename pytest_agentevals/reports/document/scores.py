"""Verdicts as entries of ``scores``, and back.

An entry has the shape that the sources give it. What it has no key for stands in the turn's extension of ours, under
the same key: level, scale, error code, notes, what the judge took, parts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from pytest_agentevals.evaluators.catalog import BUILT_IN
from pytest_agentevals.results import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: How the error of an evaluator begins in published results.
PREFIX = "Evaluator failed: "

#: Stands for the parts of a verdict that are those of the item's repeats, in their order.
REPEATS = "repeats"

#: Keys of an entry that are no details.
_NAMED = ("score", "result", "threshold", "reason")


def entries(
    verdicts: Iterable[Verdict], is_repeats: Callable[[Verdict], bool]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write verdicts: the entries of ``scores``, and what stands beside them in the extension, by the same keys.

    A verdict of ``not_applicable``, which the format does not know, stands in the extension alone. ``is_repeats`` says
    whether the parts of a verdict are written elsewhere, as the repeats of the item.
    """
    public: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    for verdict in verdicts:
        entry, beside = _split(verdict)
        if is_repeats(verdict):
            beside["parts"] = REPEATS
        key = _key(verdict.evaluator, entry, ours)
        ours[key] = beside
        if entry is not None:
            public[key] = entry
    return public, ours


def read(key: str, entry: Mapping[str, Any] | None, beside: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what an entry says, as the JSON of a `Verdict`; None where it decides nothing."""
    name = beside.get("evaluator") or evaluator_of(key)
    if entry is None:
        return {**beside, "evaluator": name}
    if entry.get("result") == Outcome.ERROR:
        return {
            "outcome": Outcome.ERROR,
            "code": entry.get("code", "evaluatorError"),
            "reason": str(entry.get("error")).removeprefix(PREFIX),
            **beside,
            "evaluator": name,
        }
    score = next((entry[known] for known in ("score", "count", "match") if entry.get(known) is not None), None)
    threshold = entry.get("threshold")
    result = entry.get("result")
    if result is None and score is not None and (threshold is not None or isinstance(score, bool)):
        result = Outcome.PASS if score >= (1 if threshold is None else threshold) else Outcome.FAIL
    if result is None:
        return None
    return {
        "outcome": result,
        "score": score,
        "threshold": threshold,
        "scale": _scale(key, score),
        "reason": entry.get("reason") or "",
        "details": {known: value for known, value in entry.items() if known not in _NAMED},
        **beside,
        "evaluator": name,
    }


def result_key(evaluator: str) -> str:
    """Return the key of an evaluator in ``scores``: its name, in camel case where it is built in."""
    return evaluator[0].lower() + evaluator[1:] if evaluator in BUILT_IN else evaluator


def evaluator_of(key: str) -> str:
    """Return the evaluator of a key in ``scores``."""
    name = key[:1].upper() + key[1:]
    return name if name in BUILT_IN else key


@cache
def _adapter() -> TypeAdapter[Verdict]:
    return TypeAdapter(Verdict)


def _split(verdict: Verdict) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the entry of a verdict, or None where the format has none for it, and what it leaves out."""
    beside = _adapter().dump_python(verdict, mode="json", exclude_defaults=True)
    if verdict.outcome is Outcome.NOT_APPLICABLE:
        return None, beside
    reason = beside.pop("reason", "")
    del beside["outcome"]
    if verdict.outcome is Outcome.ERROR:
        return {"result": "error", "error": PREFIX + reason}, beside
    details = beside.pop("details", {})
    score = beside.pop("score", None)
    entry: dict[str, Any] = {}
    if score is not None and not any(_same(score, details.get(known)) for known in ("count", "match")):
        entry["score"] = score
    entry["result"] = verdict.outcome.value
    if verdict.threshold is not None:
        entry["threshold"] = beside.pop("threshold")
    if reason:
        entry["reason"] = reason
    entry = {**details, **entry} if details.keys() & entry.keys() else {**entry, **details}
    # A scale from 0 to 1 is the usual one for us, and another for public results.
    return entry, {**beside, "scale": list(verdict.scale)}


def _same(score: object, other: object) -> bool:
    return type(score) is type(other) and score == other


def _key(evaluator: str, entry: Mapping[str, Any] | None, taken: Mapping[str, Any]) -> str:
    """Choose the key of an entry: the evaluator's own, unless another has it or the schema refuses it there."""
    key = result_key(evaluator)
    if key in taken or not _fits(key, entry):
        key = evaluator
    number = 2
    while key in taken:
        key = f"{evaluator}_{number}"
        number += 1
    return key


def _within(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_LIKERT = {"score": _within(1, 5), "threshold": _within(1, 5)}
_SHARE = {"score": _within(0, 1), "threshold": _within(0, 1)}

#: What the schema demands of the entries that it defines.
_SHAPES: dict[str, dict[str, Callable[[Any], bool]]] = {
    "relevance": _LIKERT,
    "coherence": _LIKERT,
    "groundedness": _LIKERT,
    "similarity": _LIKERT,
    "citations": {"count": _whole, "threshold": _whole},
    "exactMatch": {"match": lambda value: isinstance(value, bool)},
    "partialMatch": _SHARE,
    "retrievalQuery": {**_SHARE, "diagnostic_code": lambda value: isinstance(value, str)},
    "retrievalResult": {**_SHARE, "diagnostic_code": lambda value: isinstance(value, str)},
}


def _fits(key: str, entry: Mapping[str, Any] | None) -> bool:
    """Whether the schema allows an entry under a key; the sum of several answers may have another shape than one."""
    if entry is None or entry["result"] == "error":
        return True
    return all(allows(entry.get(field)) for field, allows in _SHAPES.get(key, {}).items())


def _scale(key: str, score: Any) -> tuple[int, int | None]:
    """Return the scale of an entry that does not say it."""
    if key in _SHAPES:
        shape = _SHAPES[key]
        return (1, 5) if shape is _LIKERT else (0, None) if "count" in shape else (0, 1)
    if evaluator_of(key) in BUILT_IN and evaluator_of(key) != key and isinstance(score, int | float) and score > 1:
        return (1, 5)
    return (0, 1) if score is None or score <= 1 else (0, None)
