"""``--evals-repeat`` and ``--evals-judge-repeat``: what is asked how often, and what is made of the answers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import count

import pytest
from sample_items import item

from pytest_agentevals.testing import ScriptedServer

#: Writes down each prompt that it is asked with the id of its conversation, in a file for each process; answers a
#: prompt "yes", "yes" and "no" in turn, or always "yes".
CONFTEST = """
import collections, itertools, os, pathlib, pytest

numbers = collections.defaultdict(itertools.count)

@pytest.fixture(scope={scope!r})
def agent_client():
    log = pathlib.Path({log!r}) / str(os.getpid())

    def ask(prompt, conversation):
        with log.open("a") as file:
            file.write(prompt + "\\t" + conversation.id + "\\n")
        return "no" if next(numbers[prompt]) % 3 == {number} else "yes"

    return ask
"""


@pytest.fixture
def agent(pytester, tmp_path):
    """Returns all prompts that the agent was asked, with their conversations."""
    folder = tmp_path / "log"
    folder.mkdir()

    def asked():
        return [line.split("\t") for file in folder.iterdir() for line in file.read_text().splitlines()]

    def make(scope, number):
        pytester.makeconftest(CONFTEST.format(scope=scope, log=str(folder), number=number))

    asked.make = make
    make("session", number=2)
    return asked


@pytest.fixture
def judge(pytester):
    """Gives the scores 4, 2, 5, 4, 2, 5, … whatever it is asked."""
    numbers = count()

    def answer(request):
        score = (4, 2, 5)[next(numbers) % 3]
        return {"explanation": f"It is a {score}.", "reason": "Because.", "score": score}

    with ScriptedServer(answer) as server:
        pytester.makeini(f"[pytest]\nevals_judge_url = {server.base_url}\nevals_judge_model = {server.model}")
        yield server


LENIENT = {"threshold": 1}
ASKED = [
    item(name, response=None, evaluators={"Coherence": LENIENT, "Relevance": LENIENT, "ExactMatch": {}})
    for name in ("one", "two", "three")
]


def test_agent_and_judges_are_asked_once_for_every_repeat(run_everywhere, write, pytester, agent, judge):
    """Two repeats of three items; two evaluators of each ask two judges for two answers."""
    pytester.makeini(f"[pytest]\nevals_judges =\n    a = model-a {judge.base_url}\n    b = model-b {judge.base_url}")
    write(*ASKED)

    result = run_everywhere("--evals-repeat=2", "--evals-pass-at=1", "--evals-judge-repeat=2")

    assert result.ret == 0
    assert result.stdout.lines[-1] == "evals: 9 passed"
    result.stdout.fnmatch_lines(["evals: 48 judgments, *"])
    assert Counter(prompt for prompt, _ in agent()) == {entry["prompt"]: 2 for entry in ASKED}
    assert len({conversation for _, conversation in agent()}) == 6
    assert Counter(request["model"] for request in judge.requests) == {"model-a": 24, "model-b": 24}


def test_an_item_passes_where_enough_repeats_do(run, write, agent):
    write(item("three", response=None))

    assert run("--evals-repeat=3", "--evals-pass-at=2").ret == 0
    result = run("--evals-repeat=3")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "ExactMatch: 0.67",
            "  2 of 3 repeats pass, 3 needed. Repeat ? (no match): the response differs*",
            "  mean 0.67, from 0 to 1, standard deviation 0.58, pass rate 67% (95% interval*",
            "  repeat 1: *match: *",
            "  repeat 3: *match: *",
            "evals: 1 flaky item, with different outcomes in different repeats:",
            "  faq.json::three: ExactMatch 2 passed, 1 failed",
        ]
    )
    assert result.stdout.lines[-1] == "evals: 1 failed"


def test_the_ini_file_says_how_often(pytester, run, write, agent):
    pytester.makeini("[pytest]\nevals_repeat = 3\nevals_pass_at = 2")
    write(item("three", response=None))

    assert run().ret == 0
    assert len(agent()) == 3


def test_test_cases_tell_of_the_repeats(run, write, pytester, agent):
    write(item("three", response=None))
    run("--evals-repeat=3", "--junitxml=run.xml")

    (case,) = ET.parse(pytester.path / "run.xml").iter("testcase")
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert properties["repeats"] == "3"
    assert properties["passes"] == "2"
    assert properties["passes_needed"] == "3"
    assert properties["spread"] == "0 to 1"
    assert float(properties["mean"]) == pytest.approx(2 / 3)
    assert sorted(properties[f"part.repeat {number}"] for number in (1, 2, 3)) == ["match", "match", "no match"]


def test_recorded_responses_are_judged_again_without_an_agent(run, write, agent, judge):
    write(item("recorded", evaluators={"Coherence": {}}))

    result = run("--evals-repeat=3", "--evals-pass-at=2", "--evals-agent=recorded")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["evals: 3 judgments, *", "  faq.json::recorded: Coherence 2 passed, 1 failed"])
    assert agent() == []
    assert len(judge.requests) == 3


def test_repeats_are_recorded_and_replayed(run, write, pytester, agent, judge):
    agent.make("session", number=None)
    write(*ASKED[:2])
    run("--evals-judge=record")
    assert (len(agent()), len(judge.requests)) == (2, 4)

    recorded = run("--evals-repeat=3", "--evals-pass-at=1", "--evals-judge=record")
    # The judgments of first repeats have been there already.
    assert len(judge.requests) == 12
    agent_asked = len(agent())
    replayed = run("--evals-repeat=3", "--evals-pass-at=1", "--evals-judge=replay")

    assert recorded.stdout.lines[-1] == replayed.stdout.lines[-1] == "evals: 6 passed"
    assert "stale" not in replayed.stdout.str()
    assert (len(agent()), len(judge.requests)) == (agent_asked, 12)
    entries = json.loads((pytester.path / "recordings/faq.json").read_text())
    assert [entry.get("repeat", 0) for entry in entries["responses"]] == [0, 1, 2] * 2
    run("--evals-repeat=4", "--evals-judge=replay").stdout.fnmatch_lines(["*not recorded in recordings/faq.json*"])


def test_kept_responses_are_kept_for_every_repeat(run, write, agent):
    write(item("three", response=None))
    arguments = "--evals-repeat=3", "--evals-pass-at=2", "--evals-agent-cache=kept.sqlite"

    assert run(*arguments).ret == 0
    assert run(*arguments).ret == 0

    assert len(agent()) == 3


def test_an_agent_made_for_each_item_has_a_conversation_for_each_repeat(run, write, agent, judge):
    agent.make("function", number=2)
    thread = {
        "extensions": {"id": "thread"},
        "turns": [{"prompt": "Hello", "evaluators": {"Coherence": {"threshold": 1}}, "evaluators_mode": "replace"}] * 2,
    }
    write(thread)

    assert run("--evals-repeat=3").ret == 0

    assert sorted(Counter(conversation for _, conversation in agent()).values()) == [2, 2, 2]
    assert len(judge.requests) == 6


def test_judged_evaluators_that_are_skipped_stay_skipped(run, write, agent):
    write(ASKED[0])

    result = run("--evals-repeat=3", "--evals-pass-at=2", "--evals-judge=none")

    assert result.stdout.lines[-1] == "evals: 1 passed, 2 skipped"


def test_a_judge_that_nobody_configured_is_explained_once(run, write, monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    write(item("judged", evaluators={"Coherence": {}}))

    result = run("--evals-repeat=2")

    assert result.stdout.str().count("Coherence runs because faq.json has no default_evaluators and no judge") == 1


def test_the_judge_alone_is_asked_several_times(run, write, agent, judge):
    write(*ASKED[:2])

    result = run("--evals-judge-repeat=3", "--evals-skip=ExactMatch")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["evals: 12 judgments, *"])
    assert (len(agent()), len(judge.requests)) == (2, 12)


def test_the_median_answer_decides_and_the_others_are_told(run, write, judge):
    write(item("judged", evaluators={"Coherence": {"threshold": 5}}))

    result = run("--evals-judge-repeat=3")

    result.stdout.fnmatch_lines(
        [
            "Coherence: 4/5 < 5 (scale 1 to 5, passes from 5)",
            "  the judge disagrees with itself: 1 pass, 2 fail",
            "  answer 1: *",
            "  answer 3: *",
        ]
    )


def test_answers_of_the_judge_are_recorded_each(run, write, pytester, judge):
    write(item("judged", evaluators={"Coherence": {}}))
    run("--evals-judge-repeat=3", "--evals-judge=record")

    replayed = run("--evals-judge-repeat=3", "--evals-judge=replay")

    assert replayed.ret == 0
    assert len(judge.requests) == 3
    entries = json.loads((pytester.path / "recordings/faq.json").read_text())["judgments"]
    assert [entry.get("judge_repeat", 0) for entry in entries] == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--evals-repeat=0"], "--evals-repeat = '0' is not valid; allowed is a whole number from 1 up"),
        (["--evals-judge-repeat=x"], "--evals-judge-repeat = 'x' is not valid; allowed is a whole number from 1 up"),
        (["--evals-repeat=2", "--evals-pass-at=0"], "--evals-pass-at = '0' is not valid*"),
        (
            ["--evals-pass-at=2"],
            "--evals-pass-at = 2 is more than there are repeats: evals_repeat (--evals-repeat) is 1",
        ),
    ],
)
def test_numbers_that_cannot_be_are_refused(run, write, arguments, message):
    write(item("one"))

    result = run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])
