"""Every built-in evaluator: its options, and a result that it really gave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_agentevals
from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.catalog import BUILT_IN, REPLACEABLE, Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.reports.document.scores import entries
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import Outcome, number
from pytest_agentevals.testing import scripted_judge
from reference.markdown import code, plain, summary, table, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.results import Verdict

TOOL = {"plugin_name": "people", "function_name": "find_person"}
TEXT = "According to wikipedia, Marie Curie was not born in Paris but in Warsaw."
#: One answer with everything that an evaluator may look at.
SAMPLE = {
    "text": TEXT,
    "citations": [{"index": 1, "text": "Marie Curie", "source": "https://example.org/curie"}],
    "retrieval_executions": [
        {
            "capability": "encyclopedia",
            "queries": [{"queryString": "Marie Curie place of birth"}],
            "retrievalHits": [{"rank": 1, "extracts": [{"text": "Marie Curie was born in Warsaw in 1867."}]}],
        }
    ],
    "tool_calls": [{**TOOL, "response_status": 200, "arguments": {"name": "Marie Curie"}}],
    "tool_definitions": [{"name": TOOL["function_name"], "description": "Find a person.", "parameters": {}}],
    "latency_ms": 840,
}
#: Options for the samples, where an evaluator needs some or does better with them.
OPTIONS: Mapping[str, Any] = {
    "Contains": {"all": "Warsaw"},
    "Regex": {"pattern": "born in \\w+"},
    "JsonSchema": {"schema": {"type": "object"}},
    "Latency": {"max_ms": 2000},
    "Citations": {"source": "structured"},
    "RetrievalQuery": {"capability": "encyclopedia", "selector": "Curie", "includes": ["birth"]},
    "RetrievalResult": {"expected_items": [{"retrievalExtract_contains": "born in Warsaw"}]},
    "ToolCallSelection": {"calls": [{"tool": TOOL}]},
    "ToolCallExecution": {"calls": [{"tool": TOOL}]},
    "Rubric": {
        "dimensions": [
            {"id": "facts", "description": "States nothing that is wrong.", "weight": 9},
            {"id": "brevity", "description": "Says no more than was asked.", "weight": 3},
        ]
    },
}
SCORES = {"facts": 5, "brevity": 2}
REASON = "A script wrote this reason."


def page() -> str:
    """Write the page."""
    # The package folder is no project of a user: there are no evaluators but the built-in ones.
    package = Path(pytest_agentevals.__file__).parent
    catalog = Catalog(Place(package, package))
    return written(
        "Evaluators",
        "Every built-in evaluator with its options. How each is meant to be used is told in "
        "[Eval documents](eval-documents.md#the-evaluators), [Text metrics](text-metrics.md), "
        "[Judged evaluators](judged-evaluators.md) and [Rubrics](rubrics.md); how a score becomes a verdict in "
        "[How each verdict is computed](verdicts.md).",
        "Options of built-in evaluators may also stand one level deeper, under `options`. Evaluators of your project "
        "and of installed packages take `threshold` and `options`: [Custom evaluators](custom-evaluators.md).",
        "Each section ends with the entry in the `scores` of a results document that the evaluator, with the options "
        "shown, gave to this answer (the judge was a script):",
        block({"prompt": "Where was Marie Curie born?", "expected_response": "Marie Curie was born in Warsaw."}),
        block(SAMPLE),
        *(part for name in BUILT_IN for part in section(name, catalog)),
    )


def section(name: str, catalog: Catalog) -> Iterator[str]:
    """Describe an evaluator."""
    kind, options = catalog.kind(name), OPTIONS.get(name, {})
    evaluator = catalog.make(name, options)
    verdict = evaluated(evaluator)
    yield f"## {name}"
    yield summary(kind.__doc__)
    yield table(["", ""], facts(name, evaluator, verdict))
    rows = list(options_of(kind))
    yield table(["option", "value", "default", ""], rows) if rows else "It has no options."
    if options:
        yield block({name: options})
    yield block(entries([replace(verdict, evaluator=name)], lambda _: False)[0])


def facts(name: str, evaluator: Evaluator, verdict: Verdict) -> Iterator[list[str]]:
    """Say what holds for all results of an evaluator."""
    low, high = verdict.scale
    sometimes = "with the method `entailment`" if name == "RetrievalResult" else "no"
    yield ["asks a judge", "yes" if evaluator.judged else sometimes]
    if isinstance(verdict.score, bool):
        yield ["score", "match or no match; no threshold"]
    else:
        yield ["score", f"{number(low)} and up" if high is None else f"{number(low)} to {number(high)}"]
        yield ["passes from", number(verdict.threshold)]
    yield ["key in `scores`", code(evaluator.result_key)]
    yield ["a project may have its own of this name", "yes" if name in REPLACEABLE else "no"]


def evaluated(evaluator: Evaluator) -> Verdict:
    """Evaluate the sample; raises `ValueError` where there is no decision, which would be a poor sample."""
    exchange = Exchange(
        prompt="Where was Marie Curie born?",
        response=AgentResponse.model_validate(SAMPLE),
        expected_response="Marie Curie was born in Warsaw.",
        judge=scripted_judge(judged),
    )
    verdict = asyncio.run(decided(evaluator, exchange))
    if verdict.outcome not in {Outcome.PASS, Outcome.FAIL}:
        raise ValueError(f"{type(evaluator).__name__}: {verdict.reason}")
    return verdict


async def decided(evaluator: Evaluator, exchange: Exchange) -> Verdict:
    """Evaluate, whether the evaluator has to wait or not."""
    found = evaluator.evaluate(exchange)
    return await found if isinstance(found, Awaitable) else found


def judged(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer as a judge would: the dimensions of a rubric, or a score."""
    schema = request["response_format"].get("json_schema")
    if schema is None:
        # Scores are 0 or 1 where the SDK's prompt has no limit of the older models.
        score = 4 if "max_tokens" in request else 1
        return {"score": score, "reason": REASON, "explanation": REASON}
    names = schema["schema"]["properties"]["dimensions"]["properties"]
    return {"dimensions": {name: {"score": SCORES[name], "reason": REASON} for name in names}, "summary": ""}


def options_of(kind: type[Evaluator]) -> Iterator[list[str]]:
    """Describe the options of an evaluator, and those of the objects in them."""
    schema = kind.model_json_schema()
    for name, field in kind.model_fields.items():
        option = field.alias or name
        about = schema["properties"][option]
        yield [code(option), allowed(about), default(field, name), plain(about.get("description", ""))]
        yield from nested(about, schema, option)


def nested(about: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> Iterator[list[str]]:
    """Describe the keys of the objects that an option holds."""
    for model in models(about, schema):
        for key, inner in model["properties"].items():
            value = json.dumps(inner["default"]) if inner.get("default") is not None else ""
            need = "needed" if key in model.get("required", ()) else code(value)
            yield [code(f"{path}.{key}"), allowed(inner), need, plain(inner.get("description", ""))]
            yield from nested(inner, schema, f"{path}.{key}")


def models(about: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects with keys of their own in a part of a schema."""
    if "$ref" in about:
        yield schema["$defs"][about["$ref"].rpartition("/")[2]]
    for inner in (*about.get("anyOf", ()), *([about["items"]] if "items" in about else ())):
        yield from models(inner, schema)


def default(field: FieldInfo, name: str) -> str:
    """Write the default of an option."""
    if field.is_required():
        return "needed"
    if field.default_factory:
        return "`threshold`" if name.endswith("_threshold") else ""
    return "" if field.default in {None, ()} else code(json.dumps(field.default))


def allowed(about: Mapping[str, Any]) -> str:
    """Say which values a part of a schema allows."""
    if "anyOf" in about:
        kinds = [allowed(kind) for kind in about["anyOf"] if kind.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in about:
        return ", ".join(map(code, about["enum"]))
    if about.get("type") == "array":
        return f"list of {allowed(about['items'])}s"
    if about.get("type") in {"number", "integer"}:
        return ranged("number" if about["type"] == "number" else "whole number", about)
    return {"boolean": "`true`, `false`", "string": "text"}.get(about.get("type", ""), "object")


def ranged(kind: str, about: Mapping[str, Any]) -> str:
    """Add the range to a kind of number."""
    limits = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    return " ".join([kind, *(f"{word} {about[limit]:g}" for limit, word in limits.items() if limit in about)])


def block(value: Any) -> str:
    """Write a block of JSON."""
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"
