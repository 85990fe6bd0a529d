"""Simple checks of a response: texts it must or must not have, a pattern, the time it took. Score 1.0 or 0.0."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field, model_validator

from pytest_agentevals.errors import MissingInput
from pytest_agentevals.evaluators import patterns
from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.options import RawTexts
from pytest_agentevals.evaluators.wording import listed, quoted
from pytest_agentevals.evaluators.words import contains
from pytest_agentevals.results import number

if TYPE_CHECKING:
    import re

    from pytest_agentevals.results import Verdict


class Contains(Evaluator):
    """Whether the response has texts: all of some, any of some, none of some."""

    result_key: ClassVar[str] = "contains"

    all: RawTexts = Field(default=(), description="Texts that must all be in the response.")
    any: RawTexts = Field(default=(), description="Texts of which one at least must be in the response.")
    none: RawTexts = Field(default=(), description="Texts that must not be in the response.")
    case_sensitive: bool = Field(default=True, description="Whether upper and lower case must be the same.")

    @model_validator(mode="after")
    def _checks_something(self) -> Contains:
        if not (self.all or self.any or self.none):
            raise ValueError('give texts in "all", "any" or "none"')
        return self

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Look for every text."""
        found = {
            text
            for text in (*self.all, *self.any, *self.none)
            if contains(exchange.response.text, text, case_sensitive=self.case_sensitive)
        }
        missing = [text for text in self.all if text not in found]
        alternatives = [text for text in self.any if text in found]
        forbidden = [text for text in self.none if text in found]
        failures = []
        if missing:
            failures.append(f"the response lacks {listed(missing)}")
        if self.any and not alternatives:
            failures.append(f"the response has none of {listed(self.any)}")
        if forbidden:
            failures.append(f"the response has {listed(forbidden)}, which it must not")
        return decide(
            0.0 if failures else 1.0,
            reason="; ".join(failures) or "the response has what it must and nothing that it must not",
            all_missing=missing,
            any_found=alternatives,
            none_found=forbidden,
        )


class Regex(Evaluator):
    """Whether a regular expression of Python's `re` matches somewhere in the response."""

    result_key: ClassVar[str] = "regex"

    pattern: str = Field(min_length=1, description="The regular expression, in Python's syntax, searched anywhere.")
    matches: bool = Field(default=True, description="Whether the pattern must match; false: it must not.")
    case_sensitive: bool = Field(default=True, description="Whether upper and lower case must be the same.")

    @model_validator(mode="after")
    def _compiles(self) -> Regex:
        self._compiled  # noqa: B018 - a pattern that is none must be refused when the document is collected
        return self

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return patterns.compiled(self.pattern, case_sensitive=self.case_sensitive)

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Search the response; raises `EvaluationError` for a search that takes too long."""
        text = exchange.response.text
        span = patterns.search(self._compiled, text)
        matched = None if span is None else text[slice(*span)]
        where = "" if span is None else f" at character {span[0] + 1}: {quoted(text[slice(*span)])}"
        return decide(
            float((span is not None) == self.matches),
            reason=(
                f"the pattern {quoted(self.pattern)} {'does not match' if span is None else 'matches'}{where}"
                f"{'' if self.matches else ', and must not match'}"
            ),
            matched_text=matched,
        )


class Latency(Evaluator):
    """Whether the agent answered in time."""

    result_key: ClassVar[str] = "latency"

    max_ms: float = Field(gt=0, description="How many milliseconds the answer may take at most.")

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Compare the time; raises `MissingInput` where none was measured."""
        taken = exchange.response.latency_ms
        if taken is None:
            raise MissingInput('the response has no "latency_ms": the time it took was not measured')
        within = taken <= self.max_ms
        return decide(
            float(within),
            reason=f"the answer took {number(taken)} of at most {number(self.max_ms)} ms",
            latency_ms=taken,
            max_ms=self.max_ms,
        )
