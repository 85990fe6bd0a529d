from __future__ import annotations

import json
import os

import pytest
from cli.commands import document
from click.testing import CliRunner

from pytest_agentevals.cli import agentevals
from pytest_agentevals.testing import ScriptedServer

HIT = {"capability": "policies", "retrievalHits": [{"rank": 1, "extracts": [{"text": "Within 14 days."}]}]}
DIMENSIONS = [{"id": "kind", "description": "Is kind."}, {"id": "short", "description": "Is short."}]
#: Every kind of question: for a verdict, for each expected item, for a conversation, and the same one twice.
ASKING = document(
    {
        "prompt": "Can I return it?",
        "response": "Within 14 days.",
        "diagnostics": {"retrieval_executions": [HIT]},
        "evaluators": {
            "Groundedness": {},
            "Rubric": {"dimensions": DIMENSIONS},
            "RetrievalResult": {
                "method": "entailment",
                "expected_items": [{"retrievalExtract_contains": "14"}, {"retrievalExtract_contains": "15"}],
            },
        },
    },
    {"prompt": "Can I return it?", "response": "Within 14 days."},
    {
        "name": "thread",
        "turns": [
            {"prompt": "What is it?", "response": "A tent.", "evaluators": {"Citations": {}}},
            {"prompt": "How big?", "response": "Big."},
        ],
    },
    default_evaluators={"Relevance": {}, "handling": {}},
)
#: Of the three items; the second has its Relevance in common with the first.
QUESTIONS = 6 + 1 + 3


def answer(request):
    schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
    if "supported" in schema:
        return {"supported": True, "reason": "r"}
    dimensions = schema.get("dimensions", {}).get("properties", {})
    scores = {name: {"score": 4, "reason": "r"} for name in dimensions}
    return {"dimensions": scores, "summary": "s"} if scores else {"score": 4, "reason": "r", "explanation": "r"}


def listed(folder, *options):
    """Return what the list says of a folder as JSON, where the environment has no judge."""
    environment = {name: None for name in os.environ if name.startswith(("OPENAI_", "AZURE_"))}
    arguments = ["list", str(folder), "--format", "json", *options]
    return json.loads(CliRunner(env=environment).invoke(agentevals, arguments, catch_exceptions=False).stdout)


def test_the_list_says_beforehand_what_a_run_asks(pytester):
    """Of a project before it is recorded, and after."""
    folder = pytester.path
    rubric = {"level": "conversation", "dimensions": [{"id": "all", "description": "All was said."}]}
    for name, content in {"evals.json": ASKING, "rubrics/handling.json": rubric}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    settings = "[pytest]\nevals_judge_prices =\n  scripted = 2 8\n"
    (folder / "pytest.ini").write_text(settings)

    before = listed(folder)
    with ScriptedServer(answer) as judge:
        options = [f"--evals-judge-url={judge.base_url}", "--evals-judge-model=scripted", "--evals-judge=record"]
        pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
        asked = judge.requests
    after = listed(folder)["total"]
    (folder / "pytest.ini").write_text(f"{settings}evals_judge = live\n")
    again = listed(folder, "--judge-model", "scripted")["total"]

    total = before["total"]
    assert total["questions"] == total["to_ask"] == len(asked) == QUESTIONS
    assert [item["questions"] for item in before["documents"][0]["items"]] == [6, 2, 3]
    # The same conversation is asked once.
    assert total["requests"] == total["responses_recorded"] == 3
    # The estimate is made of the prompts that are sent.
    assert total["prompt_tokens"] == sum(map(size, asked))
    # One score each, and one more for the second dimension of the rubric.
    assert total["completion_tokens"] == 80 * (QUESTIONS + 1)
    # What an unknown model costs is not known; what is recorded costs nothing, unless all is asked again.
    assert (total["questions_recorded"], total["cost"]) == (0, None)
    assert (after["questions_recorded"], after["to_ask"], after["cost"]) == (QUESTIONS, 0, 0)
    assert again["to_ask"] == QUESTIONS
    assert again["cost"] == pytest.approx((total["prompt_tokens"] * 2 + total["completion_tokens"] * 8) / 1e6)


def size(request):
    """Return the tokens of a request as the method tells to estimate them."""
    schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
    texts = [*(message["content"] for message in request["messages"]), json.dumps(schema) if schema else ""]
    return -(-sum(len(text.encode()) for text in texts) // 4) + 4 * len(request["messages"])


@pytest.fixture
def alone(run, monkeypatch):
    """Run the command without a configured judge."""
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "AZURE_")):
            monkeypatch.delenv(name)
    return run


def test_text_names_items_evaluators_and_tags(alone, write):
    thread = {"name": "talk", "turns": [{"prompt": "A?"}, {"prompt": "B?"}], "tags": ["slow"]}
    write("evals.json", document({"prompt": "Who, me?", "evaluators": {"Latency": {"max_ms": 5}}}, thread))

    lines = alone("list", "evals.json", "--judge-model", "gpt-4o").out.splitlines()

    assert lines[:3] == [
        "evals.json: 2 items",
        "  who-me          Relevance, Coherence, Latency",
        "  talk (2 turns)  Relevance x2, Coherence x2 [slow]",
    ]
    assert lines[4:6] == [
        "1 document, 2 items, 3 prompts",
        "agent   3 prompts; 0 responses recorded; 3 to ask where an agent is configured",
    ]
    assert "judge   6 questions to gpt-4o; 0 recorded; 6 to ask" in lines
    assert "             3  Relevance" in lines
    assert any(line.startswith("cost    unknown: no price of gpt-4o (--prompt-price") for line in lines)


def test_prices_of_the_project_and_of_the_command_line(alone, write):
    write("evals.json", document({"prompt": "Who?", "response": "I."}, default_evaluators={"Fluency": {}}))

    def total(*options):
        return json.loads(alone("list", "evals.json", "--format", "json", *options).out)["total"]

    assert total("--judge-model", "gpt")["cost"] is None
    for name, text in {
        "pyproject.toml": '[tool.pytest.ini_options]\nevals_judge_model = "gpt"\nevals_judge_prices = ["gpt = 3 12"]\n',
        "tox.ini": "[pytest]\nevals_judge_model = gpt\nevals_judge_prices =\n    gpt = 3 12\n",
    }.items():
        path = write(name, text)
        found = total()
        assert found["cost"] == pytest.approx((3 * found["prompt_tokens"] + 12 * 80) / 1e6), name
        path.unlink()
    found = total("--prompt-price", "1", "--completion-price", "0")
    assert found["cost"] == pytest.approx(found["prompt_tokens"] / 1e6)
    assert alone("list", "evals.json", "--prompt-price", "1").code == 2


def test_repeats_and_judges_of_the_project_multiply(alone, write):
    write("evals.json", document({"prompt": "Who?", "response": "I."}, default_evaluators={"Fluency": {}}))
    write("pytest.ini", "[pytest]\nevals_repeat = 2\nevals_judge_repeat = 3\nevals_judges =\n  a = m\n  b = n\n")

    assert json.loads(alone("list", ".", "--format", "json").out)["total"]["questions"] == 12


@pytest.mark.parametrize(("mode", "left"), [("auto", 1), ("record", 1), ("live", 1), ("replay", 0), ("none", 0)])
def test_the_mode_of_the_project_counts(alone, write, mode, left):
    write("evals.json", document("Who?", default_evaluators={"Fluency": {}}))
    write("pytest.ini", f"[pytest]\nevals_judge = {mode}\n")

    assert json.loads(alone("list", ".", "--format", "json").out)["total"]["to_ask"] == left


def test_what_depends_on_an_unknown_response_is_counted_without_an_estimate(alone, write):
    claims = [{"retrievalExtract_contains": "a"}, {"retrievalExtract_contains": "b"}]
    evaluators = {"ToolCallAccuracy": {}, "RetrievalResult": {"method": "entailment", "expected_items": claims}}
    write("evals.json", document("Who?", default_evaluators=evaluators))

    total = json.loads(alone("list", ".", "--format", "json").out)["total"]

    assert (total["questions"], total["questions_without_estimate"]) == (3, 3)


def test_code_of_the_project_is_not_run(alone, write, tmp_path):
    write("custom-evaluators/tone/tone.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    write("custom-evaluators/tone/tone.prompty", "---\nmodel: {}\n---\nsystem:\nx\n")
    write("evals.json", document({"prompt": "Who?", "response": "I."}, default_evaluators={"tone": {}}))
    write("conftest.py", "raise SystemExit")

    ran = alone("list", ".")

    assert "judge   1 question to a judge; 0 recorded; 1 to ask" in ran.out
    assert "of 1 question it is not known" in ran.out
    assert not (tmp_path / "ran").exists()


def test_documents_with_mistakes_are_told(alone, write):
    write("evals.json", document(""))

    ran = alone("list", ".")

    assert ran == (1, "", 'evals.json:5:17: /items/0/prompt: must not be empty, not ""\n')


def test_nothing_to_list_is_told(alone, tmp_path):
    assert alone("list", ".") == (1, "", "Error: no eval document in .\n")


@pytest.mark.parametrize(
    "setting", ["evals_repeat = 0", "evals_judge = sometimes", "evals_judge_prices = x", "evals_judges = x"]
)
def test_a_setting_that_cannot_be_used_is_told(alone, write, setting):
    write("evals.json", document("Who?"))
    write("pytest.ini", f"[pytest]\n{setting}\n")

    ran = alone("list", ".")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Error: {setting.split()[0]} = ")
