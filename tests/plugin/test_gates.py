"""Gates in a run: what they answer for, when they fail it, and where they are told."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from sample_items import BAD, GOOD, UNDECIDED, item

from pytest_agentevals.plugin.gating import selected

SILENT = item("silent", response=None)
#: A fail of ExactMatch beside an error of Latency.
BOTH = item("both", response="no", evaluators={"ExactMatch": {}, "Latency": {"max_ms": 5}})


def ini(pytester, *gates):
    pytester.makeini("[pytest]\nevals_gates =\n" + "".join(f"    {gate}\n" for gate in gates))


def gate_cases(pytester):
    """Map the name of each gate's test case to its elements and its properties."""
    found = {}
    for case in ET.parse(pytester.path / "out.xml").iter("testcase"):
        if case.get("classname") == "gates":
            properties = {each.get("name"): each.get("value") for each in case.iterfind("properties/property")}
            found[case.get("name")] = [each.tag for each in case if each.tag != "properties"], properties
    return found


def test_met_gates_answer_for_what_is_no_pass(run_everywhere, write, pytester):
    """A fail, and an agent that does not answer; neither stops the run."""
    ini(pytester, "ExactMatch pass_rate >= 50%", "errors <= 1")
    write(BAD, SILENT, GOOD)
    result = run_everywhere("-v", "-rx", "-x", "--maxfail=1", "--junitxml=out.xml")
    assert result.ret == 0
    result.assert_outcomes(passed=1, xfailed=3)
    lines = result.stdout.lines
    assert [line for line in lines if "SUBXFAIL[ExactMatch]" in line and "faq.json::bad" in line]
    assert [line for line in lines if line.startswith("XFAIL faq.json::bad - tolerated by gate ExactMatch pass_rate")]
    assert "evals: gate ExactMatch pass_rate >= 50%: met: 50% (n = 2)" in lines
    assert "evals: gate errors <= 1: met: 1 (n = 3)" in lines
    assert lines[-1] == "evals: 2 tolerated by gates, 1 passed"
    assert gate_cases(pytester) == {
        "ExactMatch pass_rate >= 50%": ([], {"value": "0.5", "limit": "0.5", "n": "2"}),
        "errors <= 1": ([], {"value": "1", "limit": "1.0", "n": "3"}),
    }
    skipped = {case.get("name"): case.find("skipped") for case in ET.parse(pytester.path / "out.xml").iter("testcase")}
    assert skipped["bad[ExactMatch]"].get("message").startswith("tolerated by gate ExactMatch pass_rate >= 50%: no")
    assert skipped["silent"].get("message").startswith("tolerated by gate errors <= 1: agentRequestFailed: ")


def test_an_unmet_gate_fails_the_run(run_everywhere, write, pytester):
    ini(pytester, "pass_rate > 0.5")
    write(GOOD, BAD)
    result = run_everywhere("--junitxml=out.xml")
    assert result.ret == 1
    result.assert_outcomes(passed=1, xfailed=1)
    assert "evals: gate pass_rate > 0.5: not met: 0.50 (n = 2)" in result.stdout.lines
    assert result.stdout.lines[-1] == "evals: 1 tolerated by gates, 1 passed; 1 of 1 gate not met"
    assert gate_cases(pytester)["pass_rate > 0.5"][0] == ["failure"]
    suite = ET.parse(pytester.path / "out.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")


def test_an_error_fails_the_run_whatever_the_pass_rate(run, write):
    write(GOOD, UNDECIDED)
    result = run("--evals-gate=pass_rate >= 1")
    assert result.ret == 1
    assert result.stdout.lines[-1] == "evals: 1 could not be evaluated, 1 passed"


def test_one_error_more_than_allowed_fails_the_run(run, write):
    write(GOOD, UNDECIDED, SILENT)
    result = run("--evals-gate=errors < 2")
    assert result.ret == 1
    result.assert_outcomes(passed=1, xfailed=2)
    assert result.stdout.lines[-1] == "evals: 2 tolerated by gates, 1 passed; 1 of 1 gate not met"


def test_an_item_fails_with_what_no_gate_answers_for(run, write):
    write(BOTH)
    result = run("-v", "--evals-gate=pass_rate >= 0", "--evals-gate=ExactMatch errors <= 5")
    result.assert_outcomes(errors=1, xfailed=1, failed=1)
    result.stdout.fnmatch_lines(["*::both SUBERROR?Latency?*", "*::both SUBXFAIL?ExactMatch?*", "*::both FAILED*"])
    assert result.stdout.lines[-1] == "evals: 1 could not be evaluated, 1 tolerated by gates"
    assert result.ret == 1


def test_junit_xml_with_gates_is_valid_without_properties(run, write, pytester, xunit_schema):
    pytester.makeini("[pytest]\njunit_family = xunit2\nevals_junit_properties = false")
    write(GOOD, BAD)
    run("--evals-gate=pass_rate > 0.5", "--evals-gate=cost <= 1", "--junitxml=out.xml")
    xunit_schema.validate(str(pytester.path / "out.xml"))
    assert gate_cases(pytester) == {"pass_rate > 0.5": (["failure"], {}), "cost <= 1": ([], {})}


def test_one_case_of_an_item_says_what_is_tolerated(run, write, pytester):
    pytester.makeini("[pytest]\nevals_junit = item")
    write(item("mixed", response="no", evaluators={"Contains": {"any": ["no"]}, "ExactMatch": {}}), GOOD)
    run("--evals-gate=pass_rate >= 0", "--junitxml=out.xml")
    found = {case.get("name"): case.find("skipped") for case in ET.parse(pytester.path / "out.xml").iter("testcase")}
    assert found["mixed"].get("message").startswith("ExactMatch: tolerated by gate pass_rate >= 0: no match")
    assert found["good"] is None


def test_gates_on_cost_and_latency_tolerate_nothing(run, write):
    write(BAD)
    result = run("--evals-gate=cost <= 1", "--evals-gate=latency_p95 <= 1000")
    assert result.ret == 1
    result.assert_outcomes(failed=2)
    assert "evals: gate cost <= 1: met: 0 (n = 1)" in result.stdout.lines


def test_runxfail_makes_them_failures_again(run, write):
    write(BAD)
    result = run("--runxfail", "--evals-gate=pass_rate >= 0")
    result.assert_outcomes(failed=2)
    assert result.stdout.lines[-1] == "evals: 1 failed"


def test_a_mark_keeps_its_own_reason(run, write, pytester):
    """What fails beside what a gate answers for fails under the user's mark, as without gates."""
    pytester.makeconftest(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n    items[0].add_marker(pytest.mark.xfail(reason='known'))"
    )
    write(BOTH)
    run("--evals-gate=pass_rate >= 0", "--junitxml=out.xml")
    messages = [each.get("message") for each in ET.parse(pytester.path / "out.xml").iter("skipped")]
    assert any("known" in message for message in messages)


def test_gates_of_the_project_are_only_shown_where_a_part_was_selected(run, write, pytester):
    """Nobody answers for a failure then, so it is one."""
    ini(pytester, "pass_rate >= 0.9")
    write(GOOD, BAD)
    result = run("-k", "bad", "--junitxml=out.xml")
    assert "evals: gate pass_rate >= 0.9: not met, only shown: 0 (n = 1)" in result.stdout.lines
    assert result.ret == 1
    result.assert_outcomes(failed=2, deselected=1)
    assert result.stdout.lines[-1] == "evals: 1 failed"
    assert gate_cases(pytester)["pass_rate >= 0.9"][0] == ["skipped"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-k", "bad"], True),
        (["-m", "agentevals"], True),
        (["--lf"], True),
        (["--sw"], True),
        (["--deselect", "faq.json::good"], True),
        (["--evals-only", "ExactMatch"], True),
        (["--evals-skip", "Contains"], True),
        (["--evals-judge", "none"], True),
        (["faq.json::bad"], True),
        (["faq.json"], False),
        (["--ff", "-x", "--evals-judge", "replay"], False),
        ([], False),
    ],
)
def test_what_selects(write, pytester, arguments, expected):
    write(GOOD, BAD)
    assert selected(pytester.parseconfig(*arguments)) is expected


def test_a_gate_that_is_only_shown_fails_no_run(run, write, pytester):
    ini(pytester, "Contains pass_rate >= 0.9", "cost < 0")
    write(GOOD, BAD)
    result = run("-k", "good")
    assert result.ret == 0
    assert (
        "evals: gate Contains pass_rate >= 0.9: not met, only shown: nothing was evaluated that it is about (n = 0)"
        in (result.stdout.lines)
    )


def test_gates_of_the_command_line_are_enforced_whatever_is_selected(run, write, pytester):
    ini(pytester, "pass_rate >= 0.9", "errors <= 0")
    write(GOOD, BAD)
    result = run("-k", "bad", "--evals-gate=pass_rate >= 0.9")
    result.assert_outcomes(xfailed=1, deselected=1)
    assert result.ret == 1
    assert result.stdout.lines[-1] == "evals: 1 tolerated by gates; 1 of 1 gate not met"


def test_tags_and_files_choose_what_a_gate_is_about(run, write):
    write(item("a", tags=["smoke"]), item("b", response="no"), name="one.json")
    write(item("c", response="no"), name="two.json")
    gates = ["tag:smoke pass_rate >= 1", "file:one.json pass_rate >= 50%", "file:two.json ExactMatch pass_rate >= 50%"]
    result = run(*(f"--evals-gate={gate}" for gate in gates))
    assert [line for line in result.stdout.lines if line.startswith("evals: gate")] == [
        "evals: gate file:two.json ExactMatch pass_rate >= 50%: not met: 0% (n = 1)",
        "evals: gate tag:smoke pass_rate >= 1: met: 1 (n = 1)",
        "evals: gate file:one.json pass_rate >= 50%: met: 50% (n = 2)",
    ]
    assert result.ret == 1


def test_an_interrupted_run_meets_no_gate(run, write):
    """An error stops the run at once; what ran before it does not speak for the rest."""
    write(GOOD, UNDECIDED, item("later"))
    result = run("-x", "--evals-gate=pass_rate >= 0.5")
    assert result.ret == 1
    told = [
        line for line in result.stdout.lines if line.startswith("evals: gate pass_rate >= 0.5: not met: the run ended")
    ]
    assert len(told) == 1


def test_a_gate_of_the_command_line_is_not_met_without_eval_items(run_in_process, pytester):
    pytester.makepyfile("def test_unrelated(): pass")
    result = run_in_process("--evals-gate=pass_rate >= 0", "--junitxml=out.xml")
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    assert result.stdout.lines[-1] == "evals: nothing was evaluated; 1 of 1 gate not met"
    assert gate_cases(pytester)["pass_rate >= 0"][0] == ["failure"]


def test_gates_of_the_project_do_not_concern_runs_without_eval_items(run, pytester):
    ini(pytester, "pass_rate >= 0.9")
    pytester.makepyfile("def test_unrelated(): pass")
    result = run()
    assert result.ret == 0
    assert "evals:" not in result.stdout.str()


def test_nothing_evaluated_is_not_green_under_a_gate_on_errors(run, write):
    write(UNDECIDED)
    result = run("--evals-gate=errors <= 5")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert result.stdout.lines[-1].startswith("evals: nothing was evaluated")


def test_fails_alone_are_an_evaluation(run, write):
    write(BAD)
    assert run("--evals-gate=pass_rate >= 0").ret == 0


def test_collecting_meets_no_gate_and_misses_none(run, write):
    write(GOOD)
    result = run("--collect-only", "--evals-gate=pass_rate >= 1")
    assert result.ret == 0
    assert "evals: gate" not in result.stdout.str()


@pytest.mark.parametrize(
    ("gate", "problem"),
    [
        (
            "pas_rate >= 1",
            "there is no metric 'pas_rate' (did you mean 'pass_rate'?); allowed are pass_rate, mean, pNN",
        ),
        ("Relevence pass_rate >= 1", "there is no evaluator 'Relevence'; did you mean 'Relevance'?"),
    ],
)
def test_mistakes_are_usage_errors_before_anything_runs(run, write, pytester, gate, problem):
    write(GOOD)
    result = run(f"--evals-gate={gate}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --evals-gate: {gate!r}: {problem}" in result.stderr.str()
    ini(pytester, gate)
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: evals_gates: {gate!r}: {problem}" in result.stderr.str()


def test_reports_tell_of_gates(run, write, pytester):
    write(GOOD, BAD)
    run("--evals-gate=pass_rate >= 0.9", "--evals-report=out.json", "--evals-report=out.md")
    ours = json.loads((pytester.path / "out.json").read_text())["metadata"]["extensions"]["pytest-agentevals"]
    assert ours["gates"] == [
        {
            "text": "pass_rate >= 0.9",
            "value": 0.5,
            "count": 2,
            "met": False,
            "enforced": True,
            "reason": "",
            "limit": 0.9,
        }
    ]
    assert "gate pass_rate >= 0.9: not met: 0.50 (n = 2)" in (pytester.path / "out.md").read_text()
