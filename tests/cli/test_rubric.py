"""The commands ``agentevals rubric generate`` and ``check``, with a real client and a scripted server."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from rubrics.generated import ANSWER, answer
from traces.otlp_files import chat, export

from pytest_agentevals.judge.environment import GROUPS
from pytest_agentevals.rubrics.files import read
from pytest_agentevals.testing import Reply, ScriptedServer

PROMPT = "You are the assistant of a restaurant. You book, change and cancel tables for up to 8 guests. " * 3


@pytest.fixture
def run(run, monkeypatch):
    """Run the command in a folder with a system prompt, and with no judge in the environment."""
    for name in {name for group in GROUPS for name in (*group.needed, *group.optional)}:
        monkeypatch.delenv(name, raising=False)
    Path("system.md").write_text(PROMPT)
    return partial(run, "rubric")


@pytest.fixture
def model(run, request):
    """A server that writes the same rubric every time, unless the test names answers."""
    with ScriptedServer({"": getattr(request, "param", [ANSWER])}, model="writer") as server:
        yield server


@pytest.fixture
def generate(run, model):
    options = ("generate", "--judge-model", "writer", "--judge-url", model.base_url, "-o", "rubrics/booking.json")
    return partial(run, *options, "--prompt", "system.md")


def asked(model):
    return model.requests[-1]["messages"][-1]["content"]


def test_a_rubric_is_written_that_can_be_used_and_read(generate, run, model):
    result = generate()

    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:3] == [
        f"{Path('rubrics/booking.json')}: 4 dimensions, written by writer at 127.0.0.1 (requests: 1, tokens: 100 + 20)",
        "    9  intent_recognition",
        "       The prompt lists these three tasks.",
    ]
    assert [one["id"] for one in read(Path("rubrics/booking.json"))["dimensions"]] == [
        "intent_recognition",
        "party_size",
        "confirmation",
        "general_quality",
    ]
    assert PROMPT.strip() in asked(model)
    assert run("check", "rubrics/booking.json").code == 0


def test_references_traces_and_results_are_read_too(generate, model):
    Path("rules.html").write_text("<p>No dogs.</p>")
    Path("traces.jsonl").write_text(json.dumps(export(chat("m", "A table for 12?", "Booked."))))
    item = {
        "prompt": "Cancel it.",
        "response": "Done.",
        "expected_response": "Which one?",
        "scores": {"relevance": {"score": 1, "result": "fail", "reason": "There were two."}},
    }
    Path("results.json").write_text(json.dumps({"schemaVersion": "1.7.0", "items": [item]}))
    result = generate("--reference", "rules.html", "--traces", "traces.jsonl", "--results", "results.json")

    assert result.code == 0, result.err
    assert result.err == "only 2 conversations; they may not show what matters\n"
    for part in (
        "begin: reference file rules.html\nNo dogs.\n",
        "user: A table for 12?\nagent: Booked.\n",
        "user: Cancel it.\nagent: Done.\nexpected: Which one?\njudged a failure by relevance: There were two.\n",
    ):
        assert part in asked(model)


def test_traffic_alone_is_refused_before_anything_is_asked(run, model):
    Path("traces.jsonl").write_text(json.dumps(export(chat("m", "Hello", "Hi"))))
    result = run("generate", "--traces", "traces.jsonl", "-o", "r.json", "--judge-model", "writer")

    assert result.code == 2
    assert "--prompt or --reference is needed: recorded traffic alone shows what an agent does" in result.err
    assert model.requests == []


def test_the_judge_is_that_of_the_project(run, model):
    Path("pytest.ini").write_text(f"[pytest]\nevals_judge_model = writer\nevals_judge_url = {model.base_url}\n")
    assert run("generate", "--prompt", "system.md", "-o", "one.json").code == 0
    Path("pytest.ini").write_text("[pytest]\n")
    Path(".env").write_text(f"OPENAI_MODEL=other\nOPENAI_BASE_URL={model.base_url}\n")
    assert run("generate", "--prompt", "system.md", "-o", "two.json").code == 0
    assert run("generate", "--prompt", "system.md", "-o", "three.json", "--judge-model", "third").code == 0

    assert [request["model"] for request in model.requests] == ["writer", "other", "third"]


def test_without_a_judge_the_error_says_how_to_name_one(run):
    result = run("generate", "--prompt", "system.md", "-o", "r.json")

    assert result.code == 2
    assert "No judge is configured; --judge-model and --judge-url name one." in result.err
    assert not Path("r.json").exists()


@pytest.mark.parametrize("model", [[answer(others__0__weight=7), ANSWER]], indirect=True)
def test_an_answer_that_breaks_a_rule_is_asked_for_once_more(generate, model):
    result = generate()

    assert "requests: 2, tokens: 200 + 40" in result.out
    assert "the weights of party_size are neither 8 to 10 nor 1 to 6" in asked(model)


@pytest.mark.parametrize("model", [[answer(others=[])], [Reply(status=401)]], indirect=True)
def test_where_no_rubric_comes_no_file_is_written(generate, model):
    result = generate()

    assert result.code == 2
    assert result.err.startswith("Error: The judge")
    assert not Path("rubrics").exists()


def test_long_material_is_cut_and_told(generate, model):
    Path("long.txt").write_text("word " * 4000)
    result = generate("--reference", "long.txt", "--limit", "5000")

    room = 5000 - len(PROMPT.strip())
    assert result.err == f"reference file long.txt: the first {room:,} of 19,999 characters are used\n"
    assert len(asked(model)) < 5500


def test_an_existing_file_is_generated_again_only_on_demand_and_hand_edits_stay(generate, model):
    generate()
    path = Path("rubrics/booking.json")
    content = json.loads(path.read_text())
    content["dimensions"][1]["weight"] = 2
    content["threshold"] = 0.8
    path.write_text(json.dumps(content))

    refused = generate()
    assert refused.code == 2
    assert "exists already; --update generates it again and keeps what was edited by hand: party_size." in refused.err
    assert len(model.requests) == 1

    result = generate("--update")
    assert (result.code, result.err) == (0, "kept as it is: edited by hand: party_size\n")
    assert json.loads(path.read_text()) == content
    assert "begin: the rubric so far" in asked(model)


def test_a_file_that_is_no_rubric_is_never_overwritten(generate, model):
    Path("rubrics").mkdir()
    Path("rubrics/booking.json").write_text('{"items": []}')

    assert "exists and is no rubric, so it is not overwritten" in generate("--update").err
    assert Path("rubrics/booking.json").read_text() == '{"items": []}'
    assert model.requests == []


def test_a_rubric_without_weights_is_refused_before_anything_is_asked(generate, model):
    Path("rubrics").mkdir()
    Path("rubrics/booking.json").write_text('{"scoring": "boolean", "dimensions": [{"id": "a", "description": "b"}]}')

    assert "has dimensions without a weight, and all that are generated have one." in generate("--update").err
    assert model.requests == []


def test_an_export_of_the_service_can_be_generated_again(generate):
    Path("rubrics").mkdir()
    dimension = {"rubric_id": "tone", "description": "Addresses the guest by name.", "weight": 3}
    exported = {
        "name": "booking",
        "categories": ["quality"],
        "definition": {"type": "rubric", "dimensions": [dimension]},
    }
    Path("rubrics/booking.json").write_text(json.dumps(exported))

    assert generate("--update").code == 0
    content = read(Path("rubrics/booking.json"))
    assert content["category"] == "quality"
    assert content["dimensions"][3] == {"id": "tone", "description": "Addresses the guest by name.", "weight": 3}


@pytest.mark.parametrize("model", [[answer(most_important__rationale="\x1b[31mred\nline")]], indirect=True)
def test_what_the_model_writes_cannot_move_the_terminals_cursor(generate, model):
    assert "\\x1b[31mred line" in generate().out


@pytest.mark.parametrize("model", [[Reply(refusal="\x1b[2JNo.")]], indirect=True)
def test_nor_can_what_it_refuses(generate, model):
    result = generate()

    assert "the judge refused: \\x1b[2JNo." in result.err


GOOD = '{"dimensions": [{"id": "a", "description": "Names the time of the booking.", "weight": 9},'
LAST = '{"id": "general_quality", "description": "Anything else.", "weight": 4, "always_applicable": true}]}'


def test_check_answers_with_its_exit_code(run):
    Path("sound.json").write_text(GOOD + LAST)
    Path("vague.json").write_text(GOOD.replace("Names the time", "Gives a good time") + LAST)
    Path("broken.json").write_text(GOOD)

    assert run("check", "sound.json").code == 0
    assert run("check", "vague.json").code == 0
    assert run("check", "vague.json", "--strict").code == 1
    result = run("check", "sound.json", "vague.json", "broken.json")
    assert result.code == 1
    assert len(result.out.splitlines()) == 2
    assert result.err == "rubrics: 3, errors: 1, warnings: 1\n"


def test_ids_of_a_rubric_cannot_move_the_terminals_cursor(run):
    Path("odd.json").write_text(GOOD.replace('"a"', '"\\u001b[2J"') + LAST)

    assert "\x1b" not in run("check", "odd.json").out


def test_check_compares_the_rubric_with_labels(run):
    Path("sound.json").write_text(GOOD + LAST)
    items = [
        {
            "prompt": f"prompt {number}",
            "response": "r",
            "scores": {
                "sound": {
                    "score": score / 5,
                    "result": "pass",
                    "properties": {
                        "dimension_scores": [{"id": "a", "score": score}, {"id": "general_quality", "score": 3}]
                    },
                }
            },
        }
        for number, score in enumerate([1, 2, 4, 5])
    ]
    Path("results.json").write_text(json.dumps({"schemaVersion": "1.7.0", "items": items}))
    Path("labels.csv").write_text("id,label\nprompt-0,fail\nprompt-1,fail\nprompt-2,pass\nprompt-3,pass\n")
    result = run("check", "sound.json", "--labels", "results.json", "--labels", "labels.csv")

    assert result.code == 0, result.err
    assert result.out.splitlines()[0] == "sound.json against 4 labelled responses (2 good, 2 bad)"
    assert "  all together        2    2  1.00" in result.out
    assert "fewer than 10 good or bad responses" in result.out


def test_labels_of_one_kind_are_an_error(run):
    Path("sound.json").write_text(GOOD + LAST)
    Path("results.json").write_text('{"schemaVersion": "1.7.0", "items": [{"prompt": "a"}]}')
    result = run("check", "sound.json", "--labels", "results.json")

    assert result.code == 2
    assert "there are 0 good and 0 bad ones among 0 labelled" in result.err
