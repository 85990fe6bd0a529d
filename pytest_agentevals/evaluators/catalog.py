"""Which evaluators there are, by the names documents use."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
}


class Catalog:
    """Makes the evaluators of the documents of one folder; equal options give the same instance.

    Validation gets ``{"place": Place}`` as its context, for options that name a file.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._made: dict[tuple[str, str], Evaluator] = {}

    @property
    def names(self) -> Collection[str]:
        """All names that documents may use."""
        return BUILT_IN.keys()

    def kind(self, name: str) -> type[Evaluator]:
        """Return the class of an evaluator; raises `KeyError` for a name that is not known."""
        return getattr(import_module(f"pytest_agentevals.evaluators.{BUILT_IN[name]}"), name)  # type: ignore[no-any-return]

    def make(self, name: str, options: Mapping[str, Any]) -> Evaluator:
        """Make an evaluator with the options of a document.

        Raises `KeyError` for an unknown name and `pydantic.ValidationError` for options that it does not take.
        """
        key = name, json.dumps(options, sort_keys=True)
        if key not in self._made:
            # As JSON, because strict validation of Python values refuses a list where a field is a tuple.
            self._made[key] = self.kind(name).model_validate_json(
                json.dumps(flat(options)), context={"place": self.place}
            )
        return self._made[key]

    def explain_unknown(self, name: str) -> str:
        """Say in one sentence why there is no evaluator of a name, and where it was looked for."""
        return f"there is no evaluator {name!r}: it is not built in"


def flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """Bring options written under ``options`` to the level of the evaluator, where built-ins expect them.

    A name on both levels keeps its inner key, so that validation refuses it.
    """
    inner = options.get("options")
    if not isinstance(inner, dict) or inner.keys() & options.keys():
        return dict(options)
    return {**{name: value for name, value in options.items() if name != "options"}, **inner}
