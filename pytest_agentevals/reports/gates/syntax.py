"""What a gate says: ``[EVALUATOR…] [tag:TAG…] [file:GLOB…] METRIC OPERATOR NUMBER``."""

from __future__ import annotations

import math
import operator
import re
import shlex
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_agentevals.documents.suggestions import nearest
from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What can be gated; ``pNN`` stands for a percentile, from ``p0`` to ``p100``.
QUALITY = ("pass_rate", "mean", "pNN")
ERRORS = ("errors", "error_rate")
METRICS = (*QUALITY, *ERRORS, "cost", "latency_pNN")
RATES = ("pass_rate", "error_rate")
#: Decimals of a value that count: further ones come from binary fractions. The mean of 0.7, 0.8 and 0.9 is 0.8.
DECIMALS = 12
OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}

_CONDITION = re.compile(r"(?P<subject>[^<>=!]*)(?P<operator>[<>=!]+)(?P<number>.*)")
_PERCENTILE = re.compile(r"(?P<metric>latency_p|p)(?P<percent>100|\d{1,2}(?:\.\d+)?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A condition on one figure of a run. Where several evaluators, tags or files are named, any of them will do."""

    #: As the user wrote it, white space folded.
    text: str
    #: One of `METRICS`.
    metric: str
    #: One of `OPERATORS`.
    operator: str
    limit: float
    #: The percentile as a share from 0 to 1, for the metrics that have one.
    share: float = 0.0
    evaluators: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    #: Globs for documents: for their names or, with a slash, for their paths from the root of the project.
    files: tuple[str, ...] = ()
    #: Whether the run fails where it is not met. A gate that is only shown answers for nothing.
    enforced: bool = True

    def covers(self, document: str, tags: Iterable[str], evaluator: str) -> bool:
        """Whether a case counts. ``evaluator`` is empty for what concerns a whole item, such as an agent's silence."""
        return (
            (not self.evaluators or evaluator in self.evaluators)
            and (not self.tags or not set(self.tags).isdisjoint(tags))
            and (not self.files or any(_matches(document, glob) for glob in self.files))
        )

    def holds(self, value: float) -> bool:
        """Whether a value meets the limit."""
        return bool(OPERATORS[self.operator](round(value, DECIMALS), self.limit))

    def only_shown(self) -> Gate:
        """Return the same gate, not enforced."""
        return replace(self, enforced=False)


def parse(text: str) -> Gate:
    """Read a gate. Raises `ConfigurationError` for what is none; names of evaluators are not looked up."""
    shown = " ".join(text.split())
    try:
        condition = _CONDITION.fullmatch(shown)
        if condition is None or condition["operator"] not in OPERATORS:
            found = f"{condition['operator']!r} is no comparison" if condition else "there is no comparison"
            raise ConfigurationError(f"{found}; allowed are {', '.join(OPERATORS)}")
        words = _words(condition["subject"])
        metric, share = _metric(words.pop() if words else "")
        limit = _limit(condition["number"].strip(), metric)
        evaluators, tags, files = _subjects(words)
    except ConfigurationError as error:
        raise ConfigurationError(f"{shown!r}: {error}") from None
    return Gate(
        text=shown,
        metric=metric,
        operator=condition["operator"],
        limit=limit,
        share=share,
        evaluators=evaluators,
        tags=tags,
        files=files,
    )


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise ConfigurationError("a quotation is not closed") from None


def _metric(word: str) -> tuple[str, float]:
    if word in METRICS and not word.endswith("pNN"):
        return word, 0.0
    if percentile := _PERCENTILE.fullmatch(word):
        return percentile["metric"] + "NN", float(percentile["percent"]) / 100
    near = nearest(word, METRICS)
    hint = f" (did you mean {near!r}?)" if near else ""
    found = f"there is no metric {word!r}" if word else "there is no metric before the comparison"
    raise ConfigurationError(f"{found}{hint}; allowed are {', '.join(METRICS)} (NN from 0 to 100)")


def _limit(word: str, metric: str) -> float:
    percent = word.endswith("%")
    try:
        limit = float(word.removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise ConfigurationError(f"{word!r} is no number to compare with")
    if metric in RATES and not 0 <= limit <= 1:
        raise ConfigurationError(f"{word} is no rate; allowed is 0 to 1, or 0% to 100%")
    if percent and metric not in RATES:
        raise ConfigurationError(f"{word} is a share, which {metric} is not; percentages are for {', '.join(RATES)}")
    return limit


def _subjects(words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    found: dict[str, list[str]] = {"": [], "tag": [], "file": []}
    for word in words:
        kind, colon, value = word.partition(":")
        if not colon:
            found[""].append(word)
        elif kind in found and kind and value:
            found[kind].append(value)
        else:
            raise ConfigurationError(f"{word!r} is neither the name of an evaluator, nor tag:TAG, nor file:GLOB")
    return tuple(found[""]), tuple(found["tag"]), tuple(found["file"])


def _matches(document: str, glob: str) -> bool:
    return fnmatchcase(document if "/" in glob else document.rpartition("/")[2], glob)
