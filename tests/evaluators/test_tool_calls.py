from __future__ import annotations

from itertools import product

import pytest
from evaluators.exchanges import judge
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.errors import EvaluationError


def named(name: str, status: int | str | None = "absent") -> dict:
    """Read ``plugin.function``; a question mark stands for a name that is not recorded."""
    plugin, function = (None if part == "?" else part for part in name.split("."))
    entry: dict = {"plugin_name": plugin, "function_name": function}
    return entry if status == "absent" else {**entry, "response_status": status}


def calls(*names: str) -> list[dict]:
    return [{"tool": named(name)} for name in names]


def decided(name: str, options: dict, evidence: object) -> str:
    """Return the outcome, or the error's code."""
    try:
        return judge(name, options, tool_calls=evidence).outcome.value
    except EvaluationError as error:
        return error.code


INDETERMINATE = "toolCallEvidenceIndeterminate"
ONLY = {"allow_additional_calls": False}


@pytest.mark.parametrize(
    ("wanted", "options", "selected", "outcome"),
    [
        pytest.param(["hr.book"], {}, ["hr.book"], "pass", id="chosen"),
        pytest.param(["hr.book", "hr.book"], {}, ["hr.book"], "pass", id="how-often-does-not-count"),
        pytest.param(["hr.book"], {}, ["hr.find", "hr.book"], "pass", id="others-are-allowed"),
        pytest.param(["hr.book"], {}, [], "fail", id="none-for-certain"),
        pytest.param(["hr.book"], {}, ["hr.Book", "it.book"], "fail", id="names-are-exact"),
        pytest.param(["hr.book", "hr.find"], {}, ["hr.book"], "fail", id="one-missing"),
        pytest.param(["hr.book"], ONLY, ["hr.book", "hr.book"], "pass", id="only-the-expected"),
        pytest.param(["hr.book"], ONLY, ["hr.book", "hr.find"], "fail", id="an-additional-one"),
        pytest.param(["hr.book"], {}, ["hr.book", "?.?"], "pass", id="known-facts-decide"),
        pytest.param(["hr.book"], {}, ["?.?"], INDETERMINATE, id="could-be-it"),
        pytest.param(["hr.book"], {}, ["?.book"], INDETERMINATE, id="function-agrees"),
        pytest.param(["hr.book"], {}, ["?.find", "it.?"], "fail", id="cannot-be-it"),
        pytest.param(["hr.book", "hr.find"], {}, ["?.?"], "fail", id="cannot-be-both"),
        pytest.param(["hr.book", "hr.find"], {}, ["?.?", "hr.?"], INDETERMINATE, id="could-be-both"),
        pytest.param(["hr.book", "it.find"], {}, ["?.?", "hr.?"], INDETERMINATE, id="could-be-both-in-one-way-only"),
        pytest.param(["hr.book", "it.find"], {}, ["hr.?", "hr.?"], "fail", id="both-could-only-be-the-same"),
        pytest.param(["hr.book"], ONLY, ["hr.book", "?.?"], INDETERMINATE, id="could-be-additional"),
        pytest.param(["hr.book"], ONLY, ["hr.book", "?.find"], "fail", id="must-be-additional"),
        pytest.param(["hr.book"], ONLY, ["hr.find", "?.?"], "fail", id="additional-whatever-the-rest-is"),
        pytest.param(["hr.book"], {}, None, INDETERMINATE, id="not-known"),
    ],
)
def test_tool_call_selection(wanted, options, selected, outcome):
    evidence = {"selected_functions": None if selected is None else [named(name) for name in selected]}
    assert decided("ToolCallSelection", {"calls": calls(*wanted), **options}, evidence) == outcome


@pytest.mark.parametrize(
    ("wanted", "executions", "outcome"),
    [
        pytest.param(["hr.book"], [("hr.book", 200)], "pass", id="success"),
        pytest.param(["hr.book"], [("hr.book", 299)], "pass", id="status-299"),
        pytest.param(["hr.book"], [("hr.book", 300)], "fail", id="status-300"),
        pytest.param(["hr.book"], [("hr.book", 199)], "fail", id="status-199"),
        pytest.param(["hr.book"], [("hr.book", 500), ("hr.book", 201)], "pass", id="success-at-the-second-try"),
        pytest.param(["hr.book", "hr.book"], [("hr.book", 200)], "fail", id="each-call-needs-its-own"),
        pytest.param(["hr.book", "hr.book"], [("hr.book", 200)] * 2, "pass", id="twice"),
        pytest.param(["hr.book"], [("hr.book", 200), ("hr.find", 500)], "pass", id="others-do-not-count"),
        pytest.param(["hr.book"], [], "fail", id="none-for-certain"),
        pytest.param(["hr.book"], [("hr.book", None)], INDETERMINATE, id="status-not-known"),
        pytest.param(["hr.book"], [("?.?", 200)], INDETERMINATE, id="name-not-known"),
        pytest.param(["hr.book"], [("?.?", 404)], "fail", id="failed-whatever-it-was"),
        pytest.param(["hr.book"], [("hr.find", None)], "fail", id="another-whatever-its-status"),
        pytest.param(["hr.book"], [("hr.book", None), ("hr.book", 200)], "pass", id="known-facts-decide"),
        pytest.param(["hr.book"] * 2, [("hr.book", 200), ("?.book", 200)], INDETERMINATE, id="could-be-the-second"),
        pytest.param(["hr.book"] * 3, [("hr.book", 200), ("?.book", 200)], "fail", id="not-enough-anyway"),
        pytest.param(["hr.book"], None, INDETERMINATE, id="not-known"),
    ],
)
def test_tool_call_execution(wanted, executions, outcome):
    evidence = {"executions": None if executions is None else [named(*each) for each in executions]}
    assert decided("ToolCallExecution", {"calls": calls(*wanted)}, evidence) == outcome


@pytest.mark.parametrize("name", ["ToolCallSelection", "ToolCallExecution"])
def test_tool_calls_that_are_not_known_decide_nothing(name):
    options = {"calls": calls("hr.book")}
    full = {"selected_functions": [named("hr.book")], "executions": [named("hr.book", 200)]}
    assert decided(name, options, full) == "pass"
    assert decided(name, options, None) == INDETERMINATE
    assert decided(name, options, {**full, "evidence_error": "several records"}) == INDETERMINATE


def test_tool_call_selection_says_what_is_missing_and_what_is_additional():
    options = {"calls": [{"id": "the booking", "tool": named("hr.book")}], **ONLY}
    verdict = judge("ToolCallSelection", options, tool_calls={"selected_functions": [named("hr.find")]})
    assert verdict.reason == 'not selected: hr.book ("the booking"); selected beside what was expected: hr.find'
    assert verdict.notes == ("selected: hr.find",)
    assert verdict.score == 0.0
    assert verdict.threshold == 1.0
    assert verdict.details == {
        "expected_calls": [named("hr.book")],
        "found_calls": [named("hr.find")],
        "missing_calls": [named("hr.book")],
        "additional_calls": [named("hr.find")],
    }


def test_tool_call_execution_says_which_calls_failed():
    verdict = judge(
        "ToolCallExecution", {"calls": calls("hr.book")}, tool_calls={"executions": [named("hr.book", 503)]}
    )
    assert verdict.reason == "not executed with success: hr.book"
    assert verdict.notes == ("executed with success: none", "failed: hr.book with status 503")


def test_what_cannot_be_decided_names_the_incomplete_entries():
    with pytest.raises(EvaluationError, match=r"whether hr\.book was selected cannot be decided.*\?\.book"):
        judge("ToolCallSelection", {"calls": calls("hr.book")}, tool_calls={"selected_functions": [named("?.book")]})


NAMES = ["a.x", "a.y", "b.x"]


def completions(entries: list[str]) -> list[list[str]]:
    """Return every way to fill in the names that are not recorded, with a tool that nobody expects among them."""

    def ways(entry: str) -> list[str]:
        plugin, function = entry.split(".")
        plugins = ["a", "b", "other"] if plugin == "?" else [plugin]
        functions = ["x", "y", "other"] if function == "?" else [function]
        return [f"{one}.{two}" for one, two in product(plugins, functions)]

    return [list(each) for each in product(*map(ways, entries))]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.lists(st.sampled_from([*NAMES, "?.x", "a.?", "?.?"]), max_size=3),
    st.booleans(),
)
def test_incomplete_selections_are_decided_exactly_when_every_completion_agrees(wanted, entries, additional):
    options = {"calls": calls(*wanted), "allow_additional_calls": additional}

    def outcome(names: list[str]) -> str:
        return decided("ToolCallSelection", options, {"selected_functions": [named(name) for name in names]})

    possible = {outcome(names) for names in completions(entries)}
    assert outcome(entries) == (possible.pop() if len(possible) == 1 else INDETERMINATE)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from([*NAMES, "?.x", "?.?"]), st.sampled_from([200, 500, None])), max_size=3),
)
def test_incomplete_executions_are_decided_exactly_when_every_completion_agrees(wanted, entries):
    def outcome(executions: list[tuple[str, int | None]]) -> str:
        return decided(
            "ToolCallExecution", {"calls": calls(*wanted)}, {"executions": [named(*each) for each in executions]}
        )

    possible = {
        outcome(list(zip(names, statuses, strict=True)))
        for names in completions([name for name, _ in entries])
        for statuses in product(*([200, 500] if status is None else [status] for _, status in entries))
    }
    assert outcome(entries) == (possible.pop() if len(possible) == 1 else INDETERMINATE)
