from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from evaluators.exchanges import judge, make
from pydantic import ValidationError

from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

QUERY = {"capability": "Email", "selector": "x"}
ITEMS = {"expected_items": [{"retrievalExtract_contains": "x"}]}
CALLS = {"calls": [{"tool": {"plugin_name": "hr", "function_name": "book"}}]}

#: For each evaluator the options of the smallest document that uses it.
SMALLEST = {
    "ExactMatch": {},
    "PartialMatch": {},
    "Citations": {},
    "RetrievalQuery": QUERY,
    "RetrievalResult": ITEMS,
    "ToolCallSelection": CALLS,
    "ToolCallExecution": CALLS,
    "Contains": {"all": ["x"]},
    "Regex": {"pattern": "x"},
    "JsonSchema": {"schema": {}},
    "Latency": {"max_ms": 1},
}
KEYS = {
    "ExactMatch": "exactMatch",
    "PartialMatch": "partialMatch",
    "Citations": "citations",
    "RetrievalQuery": "retrievalQuery",
    "RetrievalResult": "retrievalResult",
    "ToolCallSelection": "toolCallSelection",
    "ToolCallExecution": "toolCallExecution",
    "Contains": "contains",
    "Regex": "regex",
    "JsonSchema": "jsonSchema",
    "Latency": "latency",
}


@pytest.mark.parametrize("name", SMALLEST)
def test_the_smallest_options_are_enough(name):
    assert make(name, SMALLEST[name]).result_key == KEYS[name]


@pytest.mark.parametrize("name", SMALLEST)
def test_options_may_stand_under_options(name):
    assert make(name, {"options": SMALLEST[name]}) == make(name, SMALLEST[name])


@pytest.mark.parametrize("name", SMALLEST)
def test_unknown_options_are_refused(name):
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        make(name, {**SMALLEST[name], "treshold": 1})


@pytest.mark.parametrize("name", sorted(SMALLEST.keys() - {"PartialMatch", "Citations"}))
def test_a_pinned_threshold_is_no_option(name):
    with pytest.raises(ValidationError, match="threshold"):
        make(name, {**SMALLEST[name], "threshold": 1})


@pytest.mark.parametrize("name", SMALLEST)
def test_every_option_is_described(name):
    schema = Catalog(Place(Path(), Path())).kind(name).model_json_schema()
    for part in [schema, *schema.get("$defs", {}).values()]:
        assert all(option.get("description") for option in part["properties"].values())


def test_the_published_schema_accepts_one_text_for_a_list():
    from jsonschema import Draft202012Validator

    schema = Catalog(Place(Path(), Path())).kind("RetrievalQuery").model_json_schema()
    validator = Draft202012Validator(schema)
    assert validator.is_valid({**QUERY, "includes": "a"})
    assert validator.is_valid({**QUERY, "includes": ["a"]})
    assert not validator.is_valid({**QUERY, "includes": [""]})
    assert not validator.is_valid({**QUERY, "selector": " "})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ExactMatch", {"case_sensitive": "yes"}),
        ("ExactMatch", {"case_sensitive": 1}),
        ("PartialMatch", {"threshold": "0.5"}),
        ("PartialMatch", {"threshold": True}),
        ("PartialMatch", {"threshold": 1.01}),
        ("PartialMatch", {"threshold": -0.01}),
        ("PartialMatch", {"threshold": None}),
        ("Citations", {"threshold": 0}),
        ("Citations", {"threshold": 1.5}),
        ("Citations", {"threshold": True}),
        ("Citations", {"threshold": "2"}),
        ("Citations", {"citation_format": 1}),
        ("Citations", {"source": "footnotes"}),
        ("RetrievalQuery", {"selector": "x"}),
        ("RetrievalQuery", {"capability": "Email"}),
        ("RetrievalQuery", {"capability": "", "selector": "x"}),
        ("RetrievalQuery", {"capability": "Email", "selector": " "}),
        ("RetrievalQuery", {**QUERY, "includes": [""]}),
        ("RetrievalQuery", {**QUERY, "includes": ""}),
        ("RetrievalQuery", {**QUERY, "excludes": [1]}),
        ("RetrievalQuery", {**QUERY, "excludes": 1}),
        ("RetrievalResult", {}),
        ("RetrievalResult", {"capability": "Email", "max_rank": 5}),
        ("RetrievalResult", {"expected_items": []}),
        ("RetrievalResult", {"expected_items": [{}]}),
        ("RetrievalResult", {"expected_items": [{"retrievalExtract_contains": " "}]}),
        ("RetrievalResult", {"expected_items": [{"retrievalExtract_contains": "x", "webUrl": "u"}]}),
        ("RetrievalResult", {"min_expected_count": 0}),
        ("RetrievalResult", {**ITEMS, "max_rank": 0}),
        ("RetrievalResult", {**ITEMS, "max_rank": 2.5}),
        ("RetrievalResult", {**ITEMS, "method": "guess"}),
        ("ToolCallSelection", {}),
        ("ToolCallSelection", {"calls": []}),
        ("ToolCallSelection", {"calls": [{"tool": {"plugin_name": "hr"}}]}),
        ("ToolCallSelection", {"calls": [{**CALLS["calls"][0], "arguments": {}}]}),
        ("ToolCallSelection", {"calls": [{"tool": {"plugin_name": "", "function_name": "x"}}]}),
        ("ToolCallSelection", {**CALLS, "allow_additional_calls": "no"}),
        ("ToolCallExecution", {**CALLS, "allow_additional_calls": True}),
        ("Contains", {}),
        ("Contains", {"all": [], "case_sensitive": False}),
        ("Contains", {"all": [""]}),
        ("Contains", {"any": [1]}),
        ("Regex", {}),
        ("Regex", {"pattern": ""}),
        ("Regex", {"pattern": "x", "matches": "no"}),
        ("JsonSchema", {}),
        ("Latency", {}),
        ("Latency", {"max_ms": 0}),
        ("Latency", {"max_ms": "100"}),
        ("Latency", {"max_ms": True}),
    ],
    ids=lambda value: value if isinstance(value, str) else json.dumps(value),
)
def test_options_out_of_range_are_refused(name, options):
    with pytest.raises(ValidationError):
        make(name, options)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a", "at position 0"),
        ("a**", "at position 2"),
        ("(" * 5000 + ")" * 5000, "nested too deeply|regular expression"),
    ],
)
def test_a_pattern_that_is_none_is_refused_with_its_place(pattern, said):
    with pytest.raises(ValidationError, match=said):
        make("Regex", {"pattern": pattern})


def test_a_pattern_that_warns_is_accepted():
    assert judge("Regex", {"pattern": "[[a]"}, "a").outcome == "pass"


def conformance() -> Path:
    return Path(os.environ.get("AGENTEVALS_CONFORMANCE", Path(__file__).parents[3] / "shared" / "conformance"))


@pytest.mark.parametrize("name", ["Citations", "ExactMatch", "PartialMatch", "RetrievalQuery", "RetrievalResult"])
def test_the_options_of_the_published_examples_are_accepted(name):
    path = conformance() / "sources" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"no published examples at {path}")
    (item,) = json.loads(path.read_text(encoding="utf-8"))["items"]
    assert make(name, item["evaluators"][name])


HITS = [{"webUrl": "https://x.test", "extracts": [{"text": "x"}]}, {"extracts": []}]
EXECUTIONS = [{"capability": "Email", "queries": [{"queryString": "x y"}], "retrievalHits": HITS}]


@pytest.mark.parametrize(
    ("name", "options", "definition"),
    [
        ("ExactMatch", {}, "ExactMatchScore"),
        ("PartialMatch", {}, "PartialMatchScore"),
        ("Citations", {}, "CitationScore"),
        ("RetrievalQuery", {**QUERY, "includes": ["z"], "excludes": ["y"]}, "RetrievalQueryScore"),
        (
            "RetrievalResult",
            {"expected_items": [{"retrievalExtract_contains": text} for text in "xz"], "capability": "Email"},
            "RetrievalResultScore",
        ),
    ],
)
def test_details_are_the_published_score_objects(name, options, definition):
    from jsonschema import Draft202012Validator

    path = conformance() / "public-schema" / "eval-document.schema.json"
    if not path.exists():
        pytest.skip(f"no published schema at {path}")
    verdict = judge(name, options, "x [1] [y](u)", expected="x", retrieval_executions=EXECUTIONS)
    threshold = {} if verdict.threshold is None else {"score": verdict.score, "threshold": verdict.threshold}
    entry = {"result": verdict.outcome.value, "reason": verdict.reason, **threshold, **verdict.details}
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}).validate(entry)


def test_no_evaluator_imports_a_heavy_package_before_it_is_used():
    modules = sorted({f"pytest_agentevals.evaluators.{module}" for module in ("matching", "checks", "json_schema")})
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"jsonschema", "referencing", "pytest", "openai"} & set(loaded)
