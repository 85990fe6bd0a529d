"""Items whose repeats did not end alike, at the end of a run."""

from __future__ import annotations

from sample_runs import HOSTILE, error, evaluated, turn, verdict

from pytest_agentevals.engine.repeats import summed_up
from pytest_agentevals.reports.cases import ItemRun
from pytest_agentevals.reports.flaky import NAMED, flaky_lines
from pytest_agentevals.results import ItemResult, packed


def repeated(name, *verdicts):
    """An item of which every repeat has one verdict."""
    result = summed_up([ItemResult(turns=[turn("Why?", each)]) for each in verdicts], needed=1)
    return ItemRun(f"faq.json::{name}", 3, result=packed(result))


def test_what_was_found_is_counted():
    good, bad = verdict("Relevance", 5), verdict("Relevance", 2)

    assert flaky_lines([repeated("steady", good, good), repeated("odd", good, bad, error("Relevance"), bad)]) == [
        "evals: 1 flaky item, with different outcomes in different repeats:",
        "  faq.json::odd: Relevance 1 passed, 2 failed, 1 could not be evaluated",
    ]


def test_items_without_repeats_or_without_a_result_are_not_flaky():
    assert (
        flaky_lines([evaluated("once", turn("Why?", verdict("Relevance", 2))).run, ItemRun("faq.json::dead", 3)]) == []
    )


def test_a_long_list_ends():
    good, bad = verdict("Relevance", 5), verdict("Relevance", 2)

    lines = flaky_lines([repeated(f"n{number}", good, bad) for number in range(NAMED + 3)])

    assert len(lines) == NAMED + 2
    assert lines[-1] == "  and 3 more"


def test_names_cannot_control_the_terminal():
    good, bad = verdict("Relevance", 5), verdict("Relevance", 2)

    assert "\x1b" not in "".join(flaky_lines([repeated(HOSTILE, good, bad)]))
