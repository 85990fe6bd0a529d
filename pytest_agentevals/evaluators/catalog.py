"""Which evaluators there are, by the names documents use."""

from __future__ import annotations

import json
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators import installed
from pytest_agentevals.evaluators.project import CUSTOM, RUBRICS, ProjectEvaluators
from pytest_agentevals.evaluators.unavailable import unavailable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.evaluators.place import Place

#: Name in documents -> module of this package. The class has the evaluator's name. Imported only when used.
BUILT_IN = {
    "ExactMatch": "matching",
    "PartialMatch": "matching",
    "Citations": "citations",
    "RetrievalQuery": "retrieval_query",
    "RetrievalResult": "retrieval_result",
    "ToolCallSelection": "tool_calls",
    "ToolCallExecution": "tool_calls",
    "Contains": "checks",
    "Regex": "checks",
    "JsonSchema": "json_schema",
    "Latency": "checks",
    "F1Score": "text_metrics.f1",
    "BleuScore": "text_metrics.bleu",
    "GleuScore": "text_metrics.gleu",
    "RougeScore": "text_metrics.rouge",
    "MeteorScore": "text_metrics.meteor",
    "Rubric": "rubric",
    "Relevance": "judged.quality",
    "Coherence": "judged.quality",
    "Groundedness": "judged.quality",
    "Similarity": "judged.quality",
    "Fluency": "judged.quality",
    "ResponseCompleteness": "judged.quality",
    "Retrieval": "judged.quality",
    "IntentResolution": "judged.agentic",
    "TaskAdherence": "judged.agentic",
    "ToolCallAccuracy": "judged.agentic",
}


#: Built-in evaluators that the format does not define: the user's project may have its own under these names.
REPLACEABLE = {
    "F1Score",
    "BleuScore",
    "GleuScore",
    "RougeScore",
    "MeteorScore",
    "Fluency",
    "ResponseCompleteness",
    "Retrieval",
    "IntentResolution",
    "TaskAdherence",
    "Contains",
    "Regex",
    "JsonSchema",
    "Latency",
}
#: Names that nobody else may use, in whatever case.
RESERVED = {name.casefold() for name in BUILT_IN.keys() - REPLACEABLE}


class Catalog:
    """Makes the evaluators of the documents of one folder; equal options give the same instance.

    They are, in this order: those of the user's project, the built-in ones, those of installed packages. Validation
    gets ``{"place": Place, "judges": judges}`` as its context, for options that name a file or a judge; ``judges`` are
    the names of all judges, or None where they are not known and any will do.
    """

    def __init__(self, place: Place, *, judges: Collection[str] | None = None) -> None:
        self.place = place
        self._context = {"place": place, "judges": judges}
        self.project = ProjectEvaluators(place)
        self._kinds: dict[str, type[Evaluator]] = {}
        self._made: dict[tuple[str, str], Evaluator] = {}

    @cached_property
    def names(self) -> Collection[str]:
        """All names that documents may use."""
        own = {name for name in self.project.found if name.casefold() not in RESERVED}
        return frozenset({*BUILT_IN, *own, *installed.installed()})

    def __contains__(self, name: str) -> bool:
        """Whether documents may use a name; the installed packages are searched for the others only."""
        return name in BUILT_IN or name in self.names

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the evaluators made so far: a sentence each, none twice."""
        replaced = [
            f"{name}: {self.project.shown(self.project.found[name])} stands in for the built-in evaluator"
            for name in self._kinds
            if name in REPLACEABLE and name in self.project.found
        ]
        odd = [f"{name}: {warning}" for (name, _), made in self._made.items() for warning in made.warnings]
        return tuple(dict.fromkeys([*replaced, *odd]))

    def kind(self, name: str) -> type[Evaluator]:
        """Return the class of an evaluator; raises `KeyError` for a name that is not known.

        What is known and cannot be had gets a class whose verdict says why.
        """
        if name not in self._kinds:
            self._kinds[name] = self._find(name)
        return self._kinds[name]

    def _find(self, name: str) -> type[Evaluator]:
        if name not in self:
            raise KeyError(name)
        if name in self.project.found:
            if name.casefold() not in RESERVED:
                return self.project.kind(name)
            place = self.project.shown(self.project.found[name])
            return unavailable(name, f"{place} has the name of a built-in evaluator, which is taken: rename it")
        if name in BUILT_IN:
            module = import_module(f"pytest_agentevals.evaluators.{BUILT_IN[name]}")
            return getattr(module, name)  # type: ignore[no-any-return]
        try:
            return installed.kind(name)
        except EvaluationError as error:
            return unavailable(name, str(error))

    def make(self, name: str, options: Mapping[str, Any]) -> Evaluator:
        """Make an evaluator with the options of a document.

        Raises `KeyError` for an unknown name and `pydantic.ValidationError` for options that it does not take.
        """
        key = name, json.dumps(options, sort_keys=True)
        if key not in self._made:
            kind = self.kind(name)
            # Custom evaluators have an option of that name, and take it as it is.
            given = options if "options" in kind.model_fields else flat(options)
            # As JSON, because strict validation of Python values refuses a list where a field is a tuple.
            self._made[key] = kind.model_validate_json(json.dumps(given), context=self._context)
        return self._made[key]

    def explain_unknown(self, name: str) -> str:
        """Say in one sentence why there is no evaluator of a name, and where it was looked for."""
        folders = " or ".join(
            "the project's root" if folder == self.place.root.absolute() else self.project.shown(folder)
            for folder in self.project.folders
        )
        return (
            f"Unknown evaluator {name!r}: it is not built in, no installed package has it, and there is no "
            f"{CUSTOM}/{name}/ or {RUBRICS}/{name}.json in {folders}"
        )


def flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """Bring options written under ``options`` to the level of the evaluator, where built-ins expect them.

    A name on both levels keeps its inner key, so that validation refuses it.
    """
    inner = options.get("options")
    if not isinstance(inner, dict) or inner.keys() & options.keys():
        return dict(options)
    return {**{name: value for name, value in options.items() if name != "options"}, **inner}
