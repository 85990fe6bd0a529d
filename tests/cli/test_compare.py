"""``agentevals compare``: two results documents beside each other."""

from __future__ import annotations

import json

import pytest
from sample_runs import HOSTILE, evaluated, run_of, turn, verdict

from pytest_agentevals.reports.formats import write as write_report


@pytest.fixture
def results(tmp_path):
    """Write two results documents: one of four verdicts got worse."""

    def of(name, *scores):
        items = [
            evaluated(f"i{n}", turn(f"{n}?", verdict("Relevance", score, reason=HOSTILE)))
            for n, score in enumerate(scores)
        ]
        write_report(run_of(*items), tmp_path / name)

    of("before.json", 4, 4, 2, 5)
    of("after.json", 2, 4, 4, 4)


def test_it_tells_what_changed(run, results):
    ran = run("compare", "before.json", "after.json")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "4 items compared with before.json"
    assert lines[1] == "regressions:"
    assert lines[2].startswith("  datasets/hr.json::i0 [Relevance] pass (4) -> fail (2): <script>")
    assert lines[3] == "fixed:"
    assert lines[4].startswith("  datasets/hr.json::i2 [Relevance] fail (2) -> pass (4)")
    assert lines[5:] == [
        "evaluators:",
        "  Relevance: could be noise (p = 1, 2 of 4 verdicts differ, 2 scores lower, 1 higher)",
    ]
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("option", "code", "told"),
    [
        ("--fail-on-regression", 1, "Error: 1 regression\n"),
        ("--fail-on-regression=any", 1, "Error: 1 regression\n"),
        ("--fail-on-regression=significant", 0, ""),
    ],
)
def test_the_exit_code_answers_when_it_is_asked(run, results, option, code, told):
    ran = run("compare", "before.json", "after.json", option)
    assert (ran.code, ran.err) == (code, told)


def test_json_says_the_same(run, results):
    found = json.loads(run("compare", "before.json", "after.json", "--format", "json").out)
    assert (found["baseline"], found["matched"]) == ("before.json", 4)
    assert [(each["item"], each["before"], each["after"]) for each in found["regressions"]] == [
        ("datasets/hr.json::i0", "pass", "fail")
    ]
    (evaluator,) = found["evaluators"]
    assert (evaluator["pairs"], evaluator["worse"], evaluator["better"]) == (4, 1, 1)
    assert evaluator["sentence"].startswith("could be noise")


def test_markdown_says_the_same(run, results):
    out = run("compare", "before.json", "after.json", "--format", "markdown").out
    assert out.startswith("#### Compared with `before.json`")
    assert "1 regression, 1 fixed, 1 other" in out
    assert "could be noise (p = 1" in out


def test_a_file_without_results_is_one_sentence(run, results, write):
    write("none.json", "{}")
    ran = run("compare", "none.json", "after.json")
    assert ran.code == 2
    assert ran.err.startswith("Error: ")
    assert "none.json" in ran.err
    assert len(ran.err.splitlines()) == 1
