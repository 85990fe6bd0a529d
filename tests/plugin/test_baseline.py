"""A run beside the results of an earlier one."""

from __future__ import annotations

import json

import pytest
from sample_items import BAD, GOOD, item
from sample_runs import evaluated, run_of, turn

from pytest_agentevals.reports.formats import write as write_report
from pytest_agentevals.results import Outcome, Verdict

REPORTED = "--evals-report=before.json"
BESIDE = "--evals-baseline=before.json"
#: A gate that answers for every failure, so that only regressions decide.
TOLERANT = "--evals-gate=pass_rate >= 0"
MATCH = Verdict(outcome=Outcome.PASS, evaluator="ExactMatch", score=True)
NO_MATCH = Verdict(outcome=Outcome.FAIL, evaluator="ExactMatch", score=False)


@pytest.fixture
def before(pytester):
    """Write the results of an earlier run, in which the items named so passed, and ``bad`` did not."""

    def written(*names):
        items = [
            evaluated(name, turn(f"Is {name} right?", MATCH if name != "bad" else NO_MATCH), document="faq.json")
            for name in names or ("good", "bad")
        ]
        write_report(run_of(*items), pytester.path / "before.json")

    return written


def test_what_changed_is_told(run, write):
    write(GOOD, BAD, item("old"))
    run(REPORTED)
    write(item("good", response="no"), item("bad"), item("new"))
    lines = run(BESIDE).stdout.lines
    assert "evals: compared with before.json: 1 regression, 1 fixed, 2 items matched, 1 new, 1 missing" in lines
    assert [line for line in lines if line.startswith("  faq.json::good [ExactMatch] pass (1) -> fail (0): ")]
    assert "  ExactMatch: could be noise (p = 1, 2 of 2 verdicts differ)" in lines


def test_the_same_again_is_no_regression(run, write, before):
    before()
    write(GOOD, BAD)
    result = run(BESIDE, "--evals-fail-on-regression", TOLERANT)
    assert result.ret == 0
    assert result.stdout.lines[-1] == "evals: 1 tolerated by gates, 1 passed"


def test_a_new_failure_fails_the_run_though_a_gate_answers_for_it(run_in_process, write, before):
    before()
    write(item("good", response="no"), item("bad"))
    result = run_in_process(BESIDE, "--evals-fail-on-regression", TOLERANT)
    assert result.ret == 1
    assert result.stdout.lines[-1] == "evals: 1 tolerated by gates, 1 passed; 1 regression"


def test_noise_is_no_significant_regression(run, write, before):
    before()
    write(item("good", response="no"), BAD)
    assert run(BESIDE, "--evals-fail-on-regression=significant", TOLERANT).ret == 0


def test_more_than_noise_fails_the_run(run, write, before):
    """Six of six verdicts worse: 2 / 2**6 is below 0.05."""
    before(*(f"i{n}" for n in range(6)))
    write(*(item(f"i{n}", response="no") for n in range(6)))
    result = run(BESIDE, "--evals-fail-on-regression=significant", TOLERANT)
    assert result.ret == 1
    assert result.stdout.lines[-1].endswith("; worse than the baseline by more than noise: ExactMatch")
    assert "  ExactMatch: worse, by more than noise (p = 0.031, 6 of 6 verdicts differ)" in result.stdout.lines


def test_a_baseline_of_something_else_is_no_success(run, write, before):
    before()
    write(item("other"))
    result = run(BESIDE, "--evals-fail-on-regression")
    assert result.ret == 1
    assert result.stdout.lines[-1] == "evals: 1 passed; no item is in the baseline, too"


def test_nor_is_a_run_without_eval_items(run, before, pytester):
    before()
    pytester.makepyfile("def test_unrelated(): pass")
    result = run(BESIDE, "--evals-fail-on-regression")
    assert result.ret == 1
    assert result.stdout.lines[-1] == "evals: nothing was evaluated; no item is in the baseline, too"


def test_reports_have_the_comparison(run, write, before, pytester):
    before()
    write(item("good", response="no"), BAD)
    run(BESIDE, "--evals-report=after.json", "--evals-report=after.md")
    ours = json.loads((pytester.path / "after.json").read_text())["metadata"]["extensions"]["pytest-agentevals"]
    assert [each["item"] for each in ours["comparison"]["regressions"]] == ["faq.json::good"]
    assert "1 regression" in (pytester.path / "after.md").read_text()


def test_the_baseline_may_be_replaced_by_the_results_that_are_compared_with_it(run, write, before):
    before()
    write(item("good", response="no"), BAD)
    result = run(BESIDE, REPORTED)
    assert [line for line in result.stdout.lines if "compared with before.json: 1 regression" in line]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--evals-baseline=none.json"], "--evals-baseline: no results document: none.json"),
        (["--evals-baseline=faq.json"], "--evals-baseline: "),
        (["--evals-fail-on-regression"], "--evals-fail-on-regression needs --evals-baseline FILE"),
    ],
)
def test_what_cannot_be_compared_with_is_a_usage_error(write, pytester, arguments, problem):
    write(GOOD)
    with pytest.raises(pytest.UsageError) as raised:
        pytester.parseconfigure(*arguments)
    assert str(raised.value).startswith(problem)
