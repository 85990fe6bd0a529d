from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from cli.commands import document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentevals.cli.conversion.notices import Notices
from pytest_agentevals.cli.conversion.rows import from_document, to_document
from pytest_agentevals.cli.conversion.tables import read_lines, read_table, write_lines, write_table
from pytest_agentevals.documents.load import load
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

#: A busy machine is slow at making examples, too.
BRIEFLY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
EXAMPLES = Path(__file__).parents[2] / "example_project/datasets"


@pytest.fixture
def converted(run, write, tmp_path):
    """Convert a text; returns the document, and what was told."""

    def convert(name, text, *options):
        write(name, text)
        ran = run("convert", name, "-o", "made.json", "--force", *options)
        assert ran.code == 0, ran.err
        made = tmp_path / "made.json"
        load(made, Catalog(Place(tmp_path, tmp_path)))
        return json.loads(made.read_bytes()), ran.err.splitlines()

    return convert


def items(made):
    return made[0]["items"]


# Tables

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)
TRICKY = st.sampled_from(["", "null", '"', '"x"', "=1+1", "'=1", "''@x", "-1", "\t", "\r", "a\r\nb", "'", "[]", "5"])
TURNS = st.fixed_dictionaries(
    {"prompt": TRICKY.filter(bool) | TEXTS.filter(bool)},
    optional={
        "expected_response": st.none() | TEXTS | TRICKY,
        "response": st.none() | TEXTS | TRICKY,
        "tags": st.lists(TEXTS, max_size=2),
        "extensions": st.none() | st.dictionaries(KEYS, JSON, max_size=2),
        "evaluators": st.just({"Citations": {}}),
    },
)
THREADS = st.fixed_dictionaries(
    {"turns": st.lists(TURNS, min_size=1, max_size=2)}, optional={"name": st.none() | TEXTS | TRICKY}
)
DOCUMENTS = st.fixed_dictionaries(
    {"schemaVersion": st.just("1.6.0"), "items": st.lists(TURNS | THREADS, min_size=1, max_size=3)},
    optional={"metadata": st.dictionaries(KEYS, JSON, max_size=2), "default_evaluators": st.just({})},
)


@BRIEFLY
@given(DOCUMENTS)
def test_a_document_comes_back_from_json_lines_as_it_was(value):
    notices = Notices()

    assert to_document(read_lines(write_lines(list(from_document(value)))), notices) == value
    assert list(notices) == []


@BRIEFLY
@given(DOCUMENTS, st.sampled_from([",", "\t"]))
def test_a_document_comes_back_from_a_table_as_it_was(value, delimiter):
    text = write_table(list(from_document(value)), delimiter)

    assert to_document(read_table(text, delimiter), Notices()) == value
    # No cell is run by a spreadsheet.
    assert not any(
        cell[:1] in set("=+-@\t\r") - {""}
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for cell in row
    )


@BRIEFLY
@given(
    st.lists(st.dictionaries(st.sampled_from(["category", "Score", "näme"]), JSON, max_size=3), min_size=1, max_size=3)
)
def test_unknown_columns_are_all_in_the_extensions(columns):
    rows = [{"query": "Who?", **more} for more in columns]

    made = to_document(read_lines(write_lines(rows)), Notices())

    for item, more in zip(made["items"], columns, strict=True):
        assert item.get("extensions", {}) == {key: value for key, value in more.items() if value is not None}


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_the_examples_come_back_as_they_were(run, tmp_path, suffix):
    shutil.copytree(EXAMPLES, tmp_path / "evals", ignore=shutil.ignore_patterns("recordings"))
    for name in ("conversations", "orders", "policies", "recorded/telephone"):
        table = tmp_path / f"{name.replace('/', '-')}.{suffix}"
        assert run("convert", f"evals/{name}.json", "-o", table).code == 0
        assert run("convert", table, "-o", "evals/back.json", "--force")[::2] == (0, "")
        back, original = (json.loads((tmp_path / f"evals/{each}.json").read_bytes()) for each in ("back", name))
        assert back == original


def test_a_document_that_would_not_be_valid_is_not_written(run, write, tmp_path):
    write("a.jsonl", '{"prompt": "Who?", "evaluators": {"Citations": {"threshold": 0}}}')

    ran = run("convert", "a.jsonl", "-o", "b.json")
    assert ran.code == 2
    assert ran.err.startswith("Error: a.jsonl makes no valid eval document:\nb.json:8:")
    assert not (tmp_path / "b.json").exists()


def test_the_lines_of_the_sdk_become_items(converted):
    made = converted(
        "data.jsonl",
        '{"query": "Q?", "response": "R", "ground_truth": 4, "context": "C"}\r\n\n'
        '{"query": "Q2?", "context": ["C", "D"], "response": null, "category": "x"}\n',
    )

    assert items(made) == [
        {"prompt": "Q?", "response": "R", "expected_response": "4", "context": "C"},
        {"prompt": "Q2?", "context": "C\n\nD", "extensions": {"context": ["C", "D"], "category": "x"}},
    ]
    assert made[1] == ['data.jsonl: "context" -> extensions', 'data.jsonl: "category" -> extensions']


def test_a_table_of_others_is_read_as_text(converted):
    made = converted(
        "data.csv",
        "\ufeffQuestion,Ground Truth,tags,status,id,note\n"
        '"Who, me?",5,"a; b",open,q-1,"""quoted"""\n=1+1,,"[""x""]",,q-2,\'=\n',
    )

    assert items(made) == [
        {
            "prompt": "Who, me?",
            "expected_response": "5",
            "tags": ["a", "b"],
            "extensions": {"status": "open", "id": "q-1", "note": '"quoted"'},
        },
        {"prompt": "=1+1", "tags": ["x"], "extensions": {"id": "q-2", "note": "'="}},
    ]
    assert 'data.csv: "id" -> extensions (2 times)' in made[1]


def test_two_columns_for_the_same_field_are_both_kept(converted):
    made = converted("data.csv", "prompt,query,expected,ground_truth\nA,B,C,D\n")

    assert items(made) == [{"prompt": "A", "expected_response": "C", "extensions": {"query": "B", "ground_truth": "D"}}]


def test_another_suffix_needs_a_word(run, write, converted):
    assert items(converted("data.txt", "prompt\tcontext\nA\tB\n", "--from", "tsv")) == [{"prompt": "A", "context": "B"}]
    write("evals.json", document("Who?"))
    assert run("convert", "evals.json", "-o", "rows.txt", "--to", "jsonl").code == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "a,b\n1,2\n", 'row 1 has no prompt, a text under prompt, query, question, input: it has "a", "b"'),
        ("x.csv", "prompt,prompt\n1,2\n", "two columns of the table have the same name"),
        ("x.csv", "prompt\n1,2\n", "line 2 has more cells than the first line has names"),
        ("x.csv", 'prompt\n"a"b\n', "the table cannot be read after line 1: "),
        ("x.jsonl", '{"prompt": "a"}\n{"a": 1, "a": 2}', 'line 2: duplicate key "a"'),
        ("x.jsonl", "[]", "line 1 has to be an object, not []"),
        ("x.jsonl", "{", "line 1: not JSON: "),
        ("x.jsonl", '{"query": [{"role": "user"}]}', "row 1 has no prompt"),
        ("x.yaml", "tests: file://tests.yaml", '"tests" has to be a list of tests, not "file://tests.yaml"'),
        ("x.yaml", "tests: [{vars: {a: b, c: d}}]", "tests[0] has no prompt: none of its variables (a, c) is called "),
        ("x.yaml", "a: [", "not YAML: "),
        ("x.yaml", "tests: [{vars: {question: file://q.txt}}]", "tests[0] has no prompt"),
        ("x.yaml", "!!python/object/apply:os.system [ls]", "not YAML: "),
        (
            "x.json",
            '[{"scenario": "s", "turns": null}]',
            ", only a scenario for a simulated user: there is nothing to ask",
        ),
        ("x.json", '[{"input": 5}]', '[0] has neither an "input" nor "turns"'),
        ("x.json", '[{"input": "x", "input": "y"}]', 'duplicate key "input"'),
        ("x.json", '[{"turns": [{"role": "assistant", "content": "x"}]}]', "[0].turns has no message of the user"),
        ("x.json", "{", "not JSON"),
    ],
)
def test_what_cannot_be_converted_is_one_sentence(run, write, tmp_path, name, text, message):
    write(name, text)

    ran = run("convert", name, "-o", "made.csv" if text == "{" and name == "x.json" else "made.json")

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert name in ran.err
    assert "Traceback" not in ran.err
    assert not list(tmp_path.glob("made.*"))


def test_a_target_is_overwritten_only_by_force(run, write, tmp_path):
    write("a.csv", "prompt\nWho?\n")
    target = write("b.json", "mine")

    ran = run("convert", "a.csv", "-o", "b.json")
    assert ran.code == 2
    assert "b.json exists already; --force overwrites it." in ran.err
    assert target.read_text() == "mine"
    assert run("convert", "a.csv", "-o", "b.json", "--force").code == 0
    assert json.loads(target.read_bytes())["items"] == [{"prompt": "Who?"}]


def test_one_side_is_an_eval_document(run, write):
    write("a.csv", "prompt\nWho?\n")
    write("b.json", document("Who?"))

    assert "csv cannot be made into jsonl" in run("convert", "a.csv", "-o", "x", "--to", "jsonl").err
    assert "evals cannot be made into evals" in run("convert", "b.json", "-o", "x.json").err


# promptfoo

PROMPTFOO = """\
description: Shop
prompts: ["Be kind. {{ question }}", {raw: "{{question}}", label: bare}]
providers: [openai:gpt-4o]
defaultTest:
  vars: {shop: Larkspur}
  assert: [{type: latency, threshold: 3000}]
tests:
  - description: returns
    vars: {question: "Can I return it to {{x}}?", days: 30}
    assert:
      - {type: icontains, value: "{{days}} days"}
      - {type: icontains-any, value: "free, no charge"}
      - {type: not-icontains, value: guarantee}
      - {type: rouge-n, value: Within 30 days.}
      - {type: meteor, value: Within 30 days., threshold: 0.25}
      - {type: llm-rubric, value: Is friendly, weight: 2, metric: tone}
      - {type: llm-rubric, value: Names a period}
      - {type: not-regex, value: "sorry|apolog"}
      - {type: is-json}
      - {type: javascript, value: "output.length < 100"}
"""


def test_tests_of_promptfoo_become_items(converted):
    made, told = converted("promptfooconfig.yaml", PROMPTFOO)

    assert made["metadata"] == {"description": "Shop"}
    assert made["default_evaluators"] == {}
    first, second = made["items"]
    assert (first["prompt"], second["prompt"]) == (
        "Be kind. Can I return it to {{x}}?",
        "Can I return it to {{x}}?",
    )
    assert first["expected_response"] == "Within 30 days."
    assert (
        first["evaluators"]
        == second["evaluators"]
        == {
            "Contains": {
                "all": ["30 days"],
                "any": ["free", "no charge"],
                "none": ["guarantee"],
                "case_sensitive": False,
            },
            "RougeScore": {
                "rouge_type": "rouge1",
                "f1_score_threshold": 0.75,
                "precision_threshold": 0,
                "recall_threshold": 0,
            },
            "MeteorScore": {"threshold": 0.25},
            "Rubric": {
                "scoring": "boolean",
                "dimensions": [
                    {"id": "criterion-1", "description": "Is friendly", "always_applicable": True},
                    {"id": "criterion-2", "description": "Names a period", "always_applicable": True},
                ],
            },
            "Regex": {"pattern": "sorry|apolog", "matches": False},
            "JsonSchema": {"schema": {}},
            "Latency": {"max_ms": 3000},
        }
    )
    assert first["extensions"] == {
        "assert": [{"type": "javascript", "value": "output.length < 100"}],
        "vars": {"shop": "Larkspur", "question": "Can I return it to {{x}}?", "days": 30},
        "description": "returns",
    }
    assert sorted(told) == [
        'promptfooconfig.yaml: "description" -> extensions (2 times)',
        'promptfooconfig.yaml: "vars" -> extensions (2 times)',
        "promptfooconfig.yaml: metric of an assertion has no place in an eval document and is left out",
        "promptfooconfig.yaml: no evaluator for assertions of type javascript: kept under extensions",
        "promptfooconfig.yaml: providers has no place in an eval document and is left out",
        "promptfooconfig.yaml: weight of an assertion has no place in an eval document and is left out",
    ]


@pytest.mark.parametrize(
    ("assertion", "evaluators"),
    [
        ("{type: equals, value: Yes}", {"ExactMatch": {}}),
        ("{type: contains, value: 5}", {"Contains": {"all": ["5"]}}),
        ("{type: contains, value: 'a, b'}", {"Contains": {"all": ["a, b"]}}),
        ("{type: contains-all, value: [a, b]}", {"Contains": {"all": ["a", "b"]}}),
        ("{type: not-contains-any, value: [a, b]}", {"Contains": {"none": ["a", "b"]}}),
        ("{type: regex, value: 'a+'}", {"Regex": {"pattern": "a+"}}),
        ("{type: starts-with, value: a.b}", {"Regex": {"pattern": r"\Aa\.b"}}),
        ("{type: is-json, value: {type: array}}", {"JsonSchema": {"schema": {"type": "array"}}}),
        ("{type: bleu, value: x}", {"BleuScore": {"threshold": 0.5}}),
        ("{type: gleu, value: x, threshold: 0.2}", {"GleuScore": {"threshold": 0.2}}),
    ],
)
def test_an_assertion_of_promptfoo_has_its_evaluator(converted, assertion, evaluators):
    (item,) = items(converted("t.yaml", f"[{{vars: {{question: Who?}}, assert: [{assertion}]}}]"))

    assert item["evaluators"] == evaluators


@pytest.mark.parametrize(
    "assertions",
    [
        "{type: equals, value: {a: 1}}",
        "{type: contains, value: '{{missing}}'}",
        "{type: contains, value: x, transform: output.text}",
        "{type: contains, value: x, weight: 0}",
        "{type: regex, value: '(?<a>x)'}",
        "{type: is-json, value: file://schema.json}",
        "{type: latency}",
        "{type: bleu, value: x, threshold: 7}",
        "{type: llm-rubric, value: x, threshold: 0.9}",
        "{type: assert-set, assert: []}",
        "{type: f-score, value: x}",
        "{value: x}",
        "x",
    ],
)
def test_an_assertion_without_an_evaluator_is_kept_and_told(converted, assertions):
    made, told = converted("t.yaml", f"[{{vars: {{question: Who?}}, assert: [{assertions}]}}]")

    (item,) = made["items"]
    assert "evaluators" not in item
    assert len(item["extensions"]["assert"]) == 1
    assert any("kept under extensions" in line for line in told)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("{type: contains, value: a}", "{type: icontains, value: b}"),
        ("{type: contains-any, value: [a, b]}", "{type: contains-any, value: [c, d]}"),
        ("{type: regex, value: a}", "{type: regex, value: b}"),
        ("{type: equals, value: a}", "{type: bleu, value: b}"),
    ],
)
def test_a_second_evaluator_that_an_item_cannot_have_is_kept_and_told(converted, first, second):
    made, told = converted("t.yaml", f"[{{vars: {{question: Who?}}, assert: [{first}, {second}]}}]")

    (item,) = made["items"]
    assert len(item["evaluators"]) == 1
    assert len(item["extensions"]["assert"]) == 1
    assert any(" only: not " in line for line in told)


def test_lists_of_variables_are_combined(converted):
    made = converted("t.yaml", "tests: [{vars: {question: [a, b], tone: [x, y]}}]\nprompts: '{{question}} {{tone}}'")

    assert [item["prompt"] for item in items(made)] == ["a x", "a y", "b x", "b y"]


def test_prompts_that_are_files_leave_the_prompt_to_the_variables(converted):
    made, told = converted("t.yaml", "prompts: [file://prompt.txt]\ntests: [{vars: {message: Who?, date: 2024-01-01}}]")

    assert made["items"] == [{"prompt": "Who?", "extensions": {"vars": {"message": "Who?", "date": "2024-01-01"}}}]
    assert any("prompts has more than texts with variables" in line for line in told)


# deepeval


def test_goldens_and_test_cases_of_deepeval_become_items(converted):
    golden = {
        "input": "i",
        "actual_output": "a",
        "expected_output": "e",
        "context": ["x", "y"],
        "retrievalContext": ["r", "s"],
        "tools_called": [{"name": "t", "inputParameters": {"a": 1}, "output": 2}],
        "expected_tools": None,
        "additional_metadata": {"k": 1},
        "source_file": "f.md",
        "comments": None,
    }
    made, told = converted("d.json", json.dumps([golden]))

    assert made["items"] == [
        {
            "prompt": "i",
            "response": "a",
            "expected_response": "e",
            "context": "x\n\ny",
            "diagnostics": {
                "retrieval_executions": [
                    {
                        "capability": "retrieval",
                        "retrievalHits": [
                            {"rank": 1, "extracts": [{"text": "r"}]},
                            {"rank": 2, "extracts": [{"text": "s"}]},
                        ],
                    }
                ],
                "tool_calls": {"selected_functions": [{"function_name": "t", "arguments": {"a": 1}, "output": 2}]},
            },
            "extensions": {"context": ["x", "y"], "additional_metadata": {"k": 1}, "source_file": "f.md"},
        }
    ]
    assert 'd.json: "additional_metadata" -> extensions' in told


def test_conversations_of_deepeval_become_threads(converted):
    turns = [
        {"role": "user", "content": "u", "user_id": "7", "metadata": {"a": 1}, "retrieval_context": None},
        {"role": "assistant", "content": "v", "retrieval_context": ["r"], "metadata": {"b": 2}},
        {"role": "user", "content": "w"},
    ]
    made, _ = converted(
        "d.json", json.dumps({"goldens": [{"scenario": "s", "name": "n", "turns": turns}], "alias": "x"})
    )

    hits = {"capability": "retrieval", "retrievalHits": [{"rank": 1, "extracts": [{"text": "r"}]}]}
    assert made["items"] == [
        {
            "turns": [
                {
                    "prompt": "u",
                    "response": "v",
                    "diagnostics": {"retrieval_executions": [hits]},
                    "extensions": {"user_id": "7", "metadata": {"a": 1}, "metadata-2": {"b": 2}},
                },
                {"prompt": "w"},
            ],
            "name": "n",
            "extensions": {"scenario": "s"},
        }
    ]


def test_messages_that_answer_nothing_are_kept(converted):
    greeting, more = ({"role": "assistant", "content": text} for text in ("Hello", "Anything else?"))
    turns = [greeting, {"role": "user", "content": "u"}, {"role": "assistant", "content": "v"}, more]
    made, told = converted("d.json", json.dumps([{"turns": turns}]))

    assert made["items"] == [{"turns": [{"prompt": "u", "response": "v"}], "extensions": {"turns": [greeting, more]}}]
    assert told == ['d.json: "turns" -> extensions']
