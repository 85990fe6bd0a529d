"""``evals_judges``: several judges for one verdict."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from sample_items import item

from pytest_agentevals.testing import ScriptedServer

SCORES = {"model-s": 2, "model-m": 4, "model-l": 5}
JUDGED = item("judged", evaluators={"Coherence": {"threshold": 5}})
JUDGES = """[pytest]
evals_judges =
    strict = model-s
    mild = model-m
    large = model-l
"""


def answer(request):
    score = SCORES.get(request["model"], "no number")
    if "json_schema" in json.dumps(request.get("response_format", {})):
        return {"dimensions": {"tone": {"reason": "It is.", "score": score}}, "summary": "Said."}
    return {"reason": f"{request['model']} says {score}.", "explanation": "Because.", "score": score}


@pytest.fixture(autouse=True)
def no_judge(monkeypatch):
    for name in ("AZURE_AI_OPENAI_ENDPOINT", "AZURE_ENDPOINT", "AZURE_AI_PROJECT_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch):
    with ScriptedServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_MODEL", server.model)
        yield server


def models(server):
    return Counter(request["model"] for request in server.requests)


def test_every_judge_is_asked_once_and_the_median_decides(run, write, pytester, server):
    pytester.makeini(JUDGES)
    write(*(item(name, evaluators={"Coherence": {"threshold": 5}}) for name in ("one", "two", "three")))

    result = run("--junitxml=run.xml")

    result.stdout.fnmatch_lines(
        [
            "evals: judge median of strict (model-s), mild (model-m), large (model-l) auto, agent recorded",
            "Coherence: 4/5 < 5 (scale 1 to 5, passes from 5)",
            "  model-m says 4.",
            "  the judges disagree: 1 pass, 2 fail",
            "  strict: 2/5 < 5: model-s says 2.",
            "  mild: 4/5 < 5: model-m says 4.",
            "  large: 5/5 >= 5: model-l says 5.",
            "evals: 9 judgments, *",
        ]
    )
    assert models(server) == {"model-s": 3, "model-m": 3, "model-l": 3}
    case = next(ET.parse(pytester.path / "run.xml").iter("testcase"))
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert properties["judge_model"] == "model-s, model-m, model-l"
    assert properties["part.large"] == "5/5 >= 5"


@pytest.mark.parametrize(
    ("rule", "threshold", "code"),
    [("median", 4, 0), ("median", 5, 1), ("majority", 4, 0), ("majority", 5, 1), ("first", 2, 0), ("first", 4, 1)],
)
def test_the_rule_says_how_they_decide(run, write, pytester, server, rule, threshold, code):
    pytester.makeini(f"{JUDGES}evals_judges_verdict = {rule}")
    write(item("judged", evaluators={"Coherence": {"threshold": threshold}}))

    assert run().ret == code
    assert len(server.requests) == (1 if rule == "first" else 3)


def test_an_evaluator_may_name_its_judge(run, write, pytester, server):
    pytester.makeini(JUDGES)
    pytester.mkdir("rubrics").joinpath("tone.json").write_text(
        '{"model": "large", "dimensions": [{"id": "tone", "description": "Is polite.", "weight": 1}]}'
    )
    write(item("judged", evaluators={"Coherence": {"model": "mild"}, "tone": {}}))

    assert run().ret == 0
    assert models(server) == {"model-m": 1, "model-l": 1}


def test_a_judge_may_be_on_a_server_of_its_own(run, write, pytester):
    with ScriptedServer(answer) as one, ScriptedServer(answer) as other:
        pytester.makeini(
            f"[pytest]\nevals_judges =\n    strict = model-s {one.base_url}\n    mild = model-m {other.base_url}"
        )
        write(item("judged", evaluators={"Coherence": {"threshold": 2}}))

        assert run().ret == 0
        assert (models(one), models(other)) == ({"model-s": 1}, {"model-m": 1})


def test_what_they_said_is_replayed_without_any_of_them(run, write, pytester, server, monkeypatch):
    pytester.makeini(JUDGES)
    write(JUDGED, item("other", evaluators={"Coherence": {"model": "mild"}}))
    recorded = run("--evals-judge=record")
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name)

    for mode in ("replay", "auto"):
        replayed = run(f"--evals-judge={mode}")
        assert replayed.stdout.lines[-1] == recorded.stdout.lines[-1] == "evals: 1 failed, 1 passed"
        replayed.stdout.fnmatch_lines(["  large: 5/5 >= 5: model-l says 5.", "evals: 4 replayed"])
    assert len(server.requests) == 4
    entries = json.loads((pytester.path / "recordings/faq.json").read_text())["judgments"]
    assert [entry["model"] for entry in entries] == ["model-l", "model-m", "model-s", "model-m"]


def test_one_judge_of_three_may_fail(run, write, pytester, server):
    pytester.makeini(JUDGES.replace("model-s", "model-x"))
    write(
        item("judged", evaluators={"Coherence": {"threshold": 4}}),
        item("fails", evaluators={"Coherence": {"threshold": 5}}),
    )

    result = run()

    result.stdout.fnmatch_lines(["Coherence: 4/5 < 5 *", "  strict gave no verdict: judgeOutputUnparseable: *"])
    assert result.stdout.lines[-1] == "evals: 1 failed, 1 passed"


def test_two_judges_of_three_that_fail_are_an_error(run, write, pytester, server):
    pytester.makeini(JUDGES.replace("model-s", "model-x").replace("model-m", "model-y"))
    write(JUDGED)

    assert run().stdout.lines[-1] == "evals: nothing was evaluated, 1 could not be evaluated"


def test_repeats_and_answers_and_judges_go_together(run, write, pytester, server):
    pytester.makeini(JUDGES)
    write(JUDGED)

    run("--evals-repeat=2", "--evals-judge-repeat=3").stdout.fnmatch_lines(
        ["  0 of 2 repeats pass, 2 needed. Repeat 1 (4/5 < 5): model-m says 4.", "evals: 18 judgments, *"]
    )
    assert models(server) == {"model-s": 6, "model-m": 6, "model-l": 6}


@pytest.mark.parametrize(
    ("ini", "evaluators", "message"),
    [
        (
            JUDGES,
            {"Coherence": {"model": "gpt-4o"}},
            "'gpt-4o' is no judge of the ini setting evals_judges, which names 'strict', 'mild', 'large'",
        ),
        (
            "[pytest]",
            {"Rubric": {"model": "gpt-4o", "dimensions": [{"id": "tone", "description": "Is polite."}]}},
            "'gpt-4o' is no judge of the ini setting evals_judges, which names none",
        ),
        (JUDGES, {"RetrievalResult": {"min_expected_count": 1, "model": "mild"}}, 'that needs "method": "entailment"'),
    ],
)
def test_a_name_that_no_judge_has_is_a_mistake_of_the_document(run, write, pytester, ini, evaluators, message):
    pytester.makeini(ini)
    write(item("judged", evaluators=evaluators))

    result = run()

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*faq.json:*: /items/0/evaluators/*"])
    assert message in result.stdout.str()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("strict", "evals_judges = 'strict' is not valid; allowed is NAME = MODEL or NAME = MODEL URL*"),
        ("strict = m ftp://x", "*(evals_judges, strict) cannot be used: base_url: must be an address such as*"),
        ("a = m\n    a = n", "evals_judges has the name 'a' twice; each judge needs its own"),
        ("a = m\n    b = m", "evals_judges has the model 'm' twice; each judge needs its own"),
        ("a = m\nevals_judges_verdict = mean", "evals_judges_verdict = 'mean' is not valid; allowed are median,*"),
    ],
)
def test_lines_that_cannot_be_used_are_refused(run, write, pytester, line, message):
    pytester.makeini(f"[pytest]\nevals_judges =\n    {line}")
    write(JUDGED)

    result = run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])


@pytest.mark.parametrize(("model", "warnings"), [("gpt-4o-mini", 1), ("gpt-4o", 0)])
def test_a_model_that_is_not_recommended_for_rubrics_gets_one_warning(run, write, server, monkeypatch, model, warnings):
    monkeypatch.setenv("OPENAI_MODEL", model)
    monkeypatch.setitem(SCORES, model, 5)
    rubric = {"dimensions": [{"id": "tone", "description": "Is polite."}]}
    write(item("one", evaluators={"Rubric": rubric, "Coherence": {}}), item("two", evaluators={"Rubric": rubric}))

    result = run("-W", "default")

    assert result.ret == 0
    assert result.stdout.str().count("gpt-4o-mini judges rubrics, for which it is not recommended") == warnings
