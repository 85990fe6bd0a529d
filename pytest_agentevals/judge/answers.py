"""Reading what a judge wrote: usable or not, never a guess."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentevals.judge import UnusableAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnswer:
    """A usable judgment: a score and why, or that the judge skipped the evaluation (``score`` is then None)."""

    score: int | None
    reason: str = ""
    #: What else the prompt asks the judge for.
    properties: Mapping[str, Any] | None = None


def read_score(text: str, *, scale: tuple[int, int], skippable: bool) -> ScoreAnswer:
    """Read ``{"score": …, "reason": …, "status": …}``.

    ``scale`` is the lowest and highest score. On a scale from 1 up, ``4``, ``4.0`` and ``"4"`` are the same; on a
    scale from 0 only numbers count. ``skippable`` says whether the prompt lets the judge skip. Raises `UnusableAnswer`
    for everything else.
    """
    answer = read_object(text)
    status, reason, properties = answer.get("status", "completed"), answer.get("reason"), answer.get("properties")
    if status == "skipped" and skippable and answer.get("score") is None:
        score = None
    elif status != "completed":
        raise UnusableAnswer(f"the judge's answer has status {_json(status)} and score {_json(answer.get('score'))}")
    elif "score" not in answer:
        raise UnusableAnswer("the judge's answer has no score")
    else:
        score = _score(answer["score"], scale)
    return ScoreAnswer(
        score=score,
        reason=reason if isinstance(reason, str) else "" if reason is None else _json(reason),
        properties=properties if isinstance(properties, dict) else None,
    )


def read_object(text: str) -> dict[str, Any]:
    """Return the one JSON object of an answer; a code fence or prose may stand around it.

    Raises `UnusableAnswer` for no or several objects, for lists and other JSON values, for keys given twice, for NaN
    and infinity, for broken or truncated JSON and for text that is no valid Unicode.
    """
    if not text.strip():
        raise UnusableAnswer("the judge's answer is empty")
    try:
        found = _load(text)
    except json.JSONDecodeError:
        found = _load_surrounded(text)
    if not isinstance(found, dict):
        raise UnusableAnswer(f"the judge's answer is no JSON object but {_json(found)[:40]}")
    return found


def _load_surrounded(text: str) -> Any:
    start, end = text.find("{"), text.rfind("}") + 1
    before, after = text[:start], text[end:]
    # Braces or an opening bracket outside mean several objects, a list, or an answer cut off: no telling which counts.
    if start < 0 or end <= start or "{" in after or "}" in before or before.rstrip().endswith("["):
        raise UnusableAnswer("the judge's answer is not exactly one complete JSON object")
    try:
        return _load(text[start:end])
    except json.JSONDecodeError as error:
        raise UnusableAnswer(f"the judge's answer is not exactly one complete JSON object ({error.msg})") from None


def _load(text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_unique)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError:
        raise
    except UnicodeEncodeError:
        raise UnusableAnswer("the judge's answer is no valid Unicode text") from None
    except (RecursionError, ValueError):
        raise UnusableAnswer("the judge's answer is nested too deeply or holds something that is no number") from None
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnusableAnswer("the judge's answer gives a key twice")
    return found


def _score(value: Any, scale: tuple[int, int]) -> int:
    low, high = scale
    if low > 0 and isinstance(value, str) and value in {str(score) for score in range(low, high + 1)}:
        return int(value)
    # bool is a kind of int, but true is no score.
    if isinstance(value, int | float) and not isinstance(value, bool) and value in range(low, high + 1):
        return int(value)
    raise UnusableAnswer(f"the judge's score is {_json(value)}; allowed are the whole numbers from {low} to {high}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
