"""Items are selected as tests are: by keyword, mark, node id, and what failed last."""

from __future__ import annotations

import pytest
from sample_items import BAD, GOOD, UNDECIDED, item

SMOKE = item("smoky", tags=["smoke"])
CITED = item("cited", response="yes [1]", evaluators={"Citations": {}})


@pytest.mark.parametrize(
    ("arguments", "selected"),
    [
        (("-k", "smoke"), ["smoky"]),
        (("-k", "Citations"), ["cited"]),
        (("-k", "not Citations and not smoke"), ["good"]),
        (("-m", "agentevals(tag='smoke')"), ["smoky"]),
        (("-m", "agentevals"), ["good", "smoky", "cited"]),
        (("faq.json::cited",), ["cited"]),
        (("faq.json",), ["good", "smoky", "cited"]),
        (("--evals-only", "Citations"), ["cited"]),
        (("--evals-skip", "Citations"), ["good", "smoky"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_items_are_selected_like_tests(run, write, arguments, selected):
    write(GOOD, SMOKE, CITED)
    result = run(*arguments, "-v")
    result.assert_outcomes(passed=len(selected))
    for name in selected:
        result.stdout.fnmatch_lines(
            [f"*faq.json::{name}*PASSED*" if run.mode != "n2" else f"*PASSED*faq.json::{name}*"]
        )


def test_all_items_can_be_left_out_by_their_mark(run, write, pytester):
    pytester.makepyfile("def test_other(): pass")
    write(BAD)
    result = run("-m", "not agentevals")
    result.assert_outcomes(passed=1, deselected=1)
    assert "evals:" not in result.stdout.lines[-1]


def test_document_tags_apply_to_every_item(run, write):
    write(GOOD, metadata={"tags": ["nightly"]})
    run("-k", "nightly").assert_outcomes(passed=1)


def test_only_what_failed_runs_again_with_lf(run_everywhere, write):
    write(GOOD, BAD, UNDECIDED)
    run_everywhere().assert_outcomes(passed=1, failed=2, errors=2)
    run_everywhere("--lf").assert_outcomes(failed=2, errors=2)


def test_the_first_failure_ends_the_run_with_x(pytester, write):
    write(BAD, GOOD)
    result = pytester.runpytest("-x", "-p", "no:xdist")
    result.stdout.fnmatch_lines(["*stopping after*"])
    assert "passed" not in result.stdout.lines[-1]


def test_one_evaluator_of_many_can_be_run(run, write):
    write(item("two", response="no", evaluators={"ExactMatch": {}, "Contains": {"any": ["no"]}}))
    result = run("--evals-only", "Contains")
    result.assert_outcomes(passed=1)
    assert result.stdout.lines[-1] == "evals: 1 passed"


@pytest.mark.parametrize("option", ["--evals-only", "--evals-skip"])
def test_an_unknown_evaluator_in_an_option_is_a_usage_error(run_everywhere, write, option):
    write(GOOD)
    result = run_everywhere(option, "ExactMatch,Relevence")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option}: there is no evaluator 'Relevence'; did you mean 'Relevance'?"])


@pytest.mark.parametrize(
    ("setting", "value", "allowed"),
    [("evals_collect", "some", "auto, named, off"), ("evals_junit", "turn", "evaluator, item")],
)
def test_an_invalid_setting_is_a_usage_error(run, write, pytester, setting, value, allowed):
    pytester.makeini(f"[pytest]\n{setting} = {value}")
    write(GOOD)
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {setting} = '{value}' is not valid; allowed are {allowed}"])


def test_collection_only_lists_items(run_everywhere, write):
    write(GOOD, item("[a] :: b\n", tags=["x"]))
    result = run_everywhere("--collect-only", "-q")
    assert result.stdout.lines[0] == "faq.json::good"
    assert result.stdout.lines[1].startswith("faq.json::")
    assert "[" not in result.stdout.lines[1]
    assert result.ret == 0


def test_the_tree_of_collect_only_shows_documents_and_items(run, write):
    write(GOOD)
    run("--collect-only").stdout.fnmatch_lines(["*<EvalFile faq.json>*", "*<EvalItem good>*"])
