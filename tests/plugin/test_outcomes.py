"""What pytest reports for a verdict: pass, fail, error and not applicable are told apart everywhere."""

from __future__ import annotations

import pytest
from sample_items import BAD, GOOD, UNDECIDED, item


def test_passing_items_pass(run, write):
    write(GOOD)
    result = run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    assert result.stdout.lines[-1] == "evals: 1 passed"


def test_a_failing_evaluator_is_a_failed_subtest_and_fails_its_item(run_everywhere, write):
    write(BAD)
    result = run_everywhere("-v")
    assert [line for line in result.stdout.lines if "SUBFAILED[ExactMatch]" in line and "faq.json::bad" in line]
    result.assert_outcomes(failed=2)
    assert result.ret == 1


def test_an_evaluator_that_cannot_decide_is_an_error_not_a_failure(run_everywhere, write):
    write(UNDECIDED)
    result = run_everywhere("-v")
    assert [line for line in result.stdout.lines if "SUBERROR[ExactMatch]" in line and "faq.json::undecided" in line]
    result.assert_outcomes(errors=2)
    assert result.ret == 1


def test_an_item_with_a_failure_and_an_error_is_failed(run, write):
    write(item("both", response="no", evaluators={"ExactMatch": {}, "Latency": {"max_ms": 5}}))
    result = run("-v")
    result.stdout.fnmatch_lines(["*SUBFAILED?ExactMatch?*", "*SUBERROR?Latency?*", "*::both FAILED*"])
    result.assert_outcomes(failed=2, errors=1)


def test_failing_evaluators_are_reported_before_passing_ones(run, write):
    write(item("mixed", response="no", evaluators={"Contains": {"any": ["no"]}, "ExactMatch": {}}))
    result = run("-v")
    result.stdout.fnmatch_lines(["*SUBFAILED?ExactMatch?*", "*SUBPASSED?Contains?*", "*FAILED*"])


def test_the_last_line_counts_verdicts(run_everywhere, write):
    write(GOOD, BAD, UNDECIDED, item("agent-failed", response=None))
    result = run_everywhere()
    assert result.stdout.lines[-1] == "evals: 1 failed, 2 could not be evaluated, 1 passed"


def test_an_item_without_evaluators_is_skipped_and_its_agent_not_asked(run_in_process, write, pytester):
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef agent_client():\n    raise RuntimeError('asked')")
    write(item("none", evaluators={}), default_evaluators={})
    result = run_in_process("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*faq.json:*no evaluators are configured for this item"])


def test_a_run_that_evaluates_nothing_is_not_green(run_everywhere, write):
    write(item("none", evaluators={}), default_evaluators={})
    result = run_everywhere()
    assert result.stdout.lines[-1] == "evals: nothing was evaluated"
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_an_item_without_response_and_agent_is_an_error_that_says_both_ways_out(run, write):
    write(item("silent", response=None))
    result = run()
    result.assert_outcomes(errors=1)
    text = " ".join(result.stdout.str().split())
    assert 'add a "response" to the item, or return your agent from an "agent_client" fixture in conftest.py' in text
    result.stdout.fnmatch_lines(["ERROR faq.json::silent - agentRequestFailed: *"])


def test_an_unknown_evaluator_is_an_error_of_its_item_only(run, write):
    write(item("mine", evaluators={"tone_of_voice": {}}), GOOD)
    result = run()
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["SUBERROR?tone_of_voice? faq.json::mine - evaluatorLoadError: Unknown*"])


def test_a_broken_document_is_one_collection_error_and_others_still_run(run_everywhere, write, pytester):
    write(GOOD, name="good.json")
    pytester.path.joinpath("broken.json").write_text('{"schemaVersion": "1.6.0", "items": [{"prompt": 1}]}')
    result = run_everywhere("--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*broken.json:1:*"])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("mark", "outcomes", "last"),
    [
        ("skip(reason='later')", {"skipped": 1}, "evals: nothing was evaluated"),
        ("xfail(reason='known')", {"xfailed": 1}, "evals: nothing was evaluated"),
    ],
)
def test_marks_added_by_a_conftest_hold(run_in_process, write, pytester, mark, outcomes, last):
    pytester.makeconftest(
        f"import pytest\ndef pytest_collection_modifyitems(items):\n    items[0].add_marker(pytest.mark.{mark})"
    )
    write(BAD)
    result = run_in_process("-rA")
    result.assert_outcomes(**outcomes)
    assert result.stdout.lines[-1] == last


def test_warnings_of_a_document_name_it_but_are_not_located_in_it(run_everywhere, pytester):
    pytester.path.joinpath("old.json").write_text('[{"prompt": "Is it?", "expected_response": "yes"}]')
    result = run_everywhere("old.json")
    result.stdout.fnmatch_lines(["*AgentEvalsWarning: *old.json*agentevals upgrade*"])
    assert "expected_response" not in "".join(line for line in result.stdout.lines if "Warning" in line)
