"""Any item can be named, selected, rerun and reported, whatever its prompt or id looks like."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from sample_items import item

NAMES = {
    "brackets": "a[b]",
    "colons": "a::b",
    "slash": "docs/policy.md",
    "spaces": "two words",
    "at": "a@b",
    "japanese": "在宅勤務の規則は何ですか",
    "hindi": "हिन्दी में उत्तर दें",
    "emoji": "🦊",
    "newline": "one\ntwo",
    "control": "bell\x07 escape\x1b[31m",
    "long": "long " * 2000,
    "quote": 'it\'s "so"',
    "backslash": "back\\slash",
    "empty-looking": "   .",
}


@pytest.mark.parametrize("by", ["id", "prompt"])
@pytest.mark.parametrize("text", NAMES.values(), ids=NAMES)
def test_an_item_of_any_name_can_be_selected_by_its_node_id(pytester, write, text, by):
    entry = item(text, response="no")
    if by == "prompt":
        entry = {**entry, "prompt": text, "extensions": {}}
    write(entry, item("other"))
    listed = pytester.runpytest("-p", "no:xdist", "--collect-only", "-q")
    nodeid = listed.stdout.lines[0]
    result = pytester.runpytest("-p", "no:xdist", nodeid, "--junitxml=out.xml")
    result.assert_outcomes(failed=2)
    (case,) = ET.parse(pytester.path / "out.xml").iter("testcase")
    assert case.get("name") == f"{nodeid.partition('::')[2]}[ExactMatch]"


def test_any_name_survives_lf(run_in_process, write):
    write(*(item(text, response="no") for text in NAMES.values()), item("other"))
    run_in_process().assert_outcomes(failed=2 * len(NAMES), passed=1)
    run_in_process("--lf").assert_outcomes(failed=2 * len(NAMES))


def test_equal_prompts_are_items_of_their_own(run, write):
    twice = {
        "prompt": "Is it?",
        "response": "yes",
        "expected_response": "yes",
        "evaluators": {"ExactMatch": {}},
        "evaluators_mode": "replace",
    }
    write(twice, twice)
    result = run("-v")
    result.assert_outcomes(passed=2)
    assert "faq.json::is-it-2" in result.stdout.str()


def test_two_items_of_one_explicit_id_are_a_collection_error_naming_both_lines(run_everywhere, write):
    path = write(item("same"), item("same"))
    lines = [number for number, line in enumerate(path.read_text().splitlines(), 1) if '"same"' in line]
    result = run_everywhere()
    result.assert_outcomes(errors=1)
    text = result.stdout.str()
    assert all(f"{line}" in text for line in lines)
    assert "same" in text
