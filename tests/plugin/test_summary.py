"""What a run prints of its evaluations at the end, and adds to the summary of a step in GitHub Actions."""

from __future__ import annotations

import pytest
from sample_items import BAD, GOOD, item


@pytest.fixture
def step(pytester, monkeypatch):
    """The file of the step's summary, as in GitHub Actions."""
    path = pytester.path / "step.md"
    path.write_text("Written before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    return path


def test_a_section_has_the_figures_and_the_summary_of_the_step_has_them_too(run_everywhere, write, step):
    write(GOOD, BAD, item("cited", response="yes [1]", evaluators={"Citations": {}}))
    result = run_everywhere()

    result.stdout.fnmatch_lines(
        [
            "*= evals =*",
            "evaluator   n  passed  failed  errors  pass rate  mean  threshold",
            "ExactMatch  2       1       1       0        50%  0.50          -",
            "Citations   1       1       0       0       100%     1          1",
            "lowest scores:",
            "  faq.json::bad [[]ExactMatch] no match: *",
            "evals: summary of the step written",
            "*= short test summary info =*",
        ]
    )
    assert result.stdout.lines[-1] == "evals: 1 failed, 2 passed"
    assert result.stdout.str().count("= evals =") == 1
    text = step.read_text(encoding="utf-8")
    assert text.startswith("Written before\n\n### ❌ Evaluations: 1 failed, 2 passed\n")
    assert text.count("### ❌") == 1


def test_a_run_without_eval_items_has_no_section(run, pytester, write, step):
    pytester.makepyfile("def test_ok(): pass")
    write(GOOD)

    for arguments in (["-m", "not agentevals"], ["--collect-only"], ["--evals-only=Regex"]):
        assert "= evals =" not in run(*arguments).stdout.str()
    assert step.read_text() == "Written before\n"


def test_quiet_runs_print_the_last_line_and_quieter_ones_nothing(run, write):
    write(GOOD)

    assert run("-q").stdout.lines[-1] == "evals: 1 passed"
    for arguments in (["-q"], ["-qq"], ["--no-summary"]):
        assert "= evals =" not in run(*arguments).stdout.str()
    assert "evals:" not in run("-qq").stdout.str()
    assert run("--no-summary").stdout.lines[-1] == "evals: 1 passed"


def test_quiet_runs_still_say_what_asks_for_attention(run, write, pytester):
    write(GOOD)
    pytester.path.joinpath("blocked").write_text("a file, not a folder")
    result = run("-q", "--evals-report=blocked/out.md")

    result.stdout.fnmatch_lines(["evals: *out.md: cannot be written: *"])


def test_gates_and_the_comparison_are_told_and_unmet_gates_to_quiet_runs_too(run, write):
    write(GOOD, BAD)
    run("--evals-report=before.json")
    write(GOOD, item("bad"))
    gates = ("--evals-gate=ExactMatch pass_rate >= 0.5", "--evals-gate=errors >= 1")
    result = run("--evals-baseline=before.json", *gates)

    result.stdout.fnmatch_lines(
        [
            "*= evals =*",
            "evals: gate errors >= 1: not met: *",
            "evals: gate ExactMatch pass_rate >= 0.5: met: *",
            "evals: compared with *before.json: 0 regressions, 1 fixed, 2 items matched",
            "  ExactMatch: could be noise *",
        ]
    )
    quiet = run("-q", *gates).stdout
    quiet.fnmatch_lines(["evals: gate errors >= 1: not met: *"])
    quiet.no_fnmatch_line("evals: gate ExactMatch*")


def test_the_table_fits_the_terminal(run, write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    write(item("a", evaluators={"Contains": {"any": ["yes"]}, "PartialMatch": {}}))
    result = run()

    result.stdout.fnmatch_lines(["*= evals =*", "evaluator     n  passed  failed  errors  pass rate  mean"])


def test_colours_are_those_of_pytest(run, write):
    write(GOOD, BAD)
    lines = run("--color=yes").stdout.lines

    assert any(line.startswith("\x1b[31m\x1b[1mExactMatch") for line in lines)
    assert not any("\x1b" in line for line in run("--color=no").stdout.lines)


def test_verbose_runs_name_the_slowest_responses(run, write, pytester):
    pytester.makeconftest(
        """
        import pytest
        from pytest_agentevals import AgentResponse

        @pytest.fixture(scope="session")
        def agent_client():
            return lambda prompt: AgentResponse(text="yes", latency_ms=2500)
        """
    )
    write(GOOD)

    run("-v").stdout.fnmatch_lines(["slowest responses:", "  2.50 s  faq.json::good"])
    assert "slowest responses" not in run().stdout.str()


def test_the_summary_of_a_step_can_be_switched_off(run, write, step, pytester):
    write(GOOD)
    pytester.makeini("[pytest]\nevals_step_summary = off")
    run()

    assert step.read_text() == "Written before\n"


def test_outside_of_github_actions_nothing_is_written(run, write, step, monkeypatch):
    write(GOOD)
    monkeypatch.delenv("GITHUB_ACTIONS")
    run()

    assert step.read_text() == "Written before\n"


def test_a_summary_stays_below_githubs_limit(run, write, step):
    write(BAD)
    step.write_bytes(b"x" * (1024 * 1024 - 700))
    run()
    assert 1024 * 1024 - 700 < step.stat().st_size <= 1024 * 1024

    step.write_bytes(b"x" * 1024 * 1024)
    run().stdout.fnmatch_lines(["evals: the summary of the step is full"])
    assert step.stat().st_size == 1024 * 1024


def test_a_summary_that_cannot_be_written_is_told_and_fails_nothing(run, write, step, monkeypatch):
    write(GOOD)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step / "below-a-file.md"))
    result = run()

    result.stdout.fnmatch_lines(["evals: the summary of the step cannot be written: *below-a-file.md: *"])
    assert result.ret == 0


def test_a_wrong_setting_is_told_before_the_run(run, write, pytester):
    write(GOOD)
    pytester.makeini("[pytest]\nevals_step_summary = maybe")

    run().stderr.fnmatch_lines(["ERROR: evals_step_summary = 'maybe' is not valid; allowed are on, off"])
