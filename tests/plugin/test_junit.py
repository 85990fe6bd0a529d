"""JUnit XML: one test case per evaluator, read back by parsers that are not ours."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import junitparser
import pytest
from sample_items import BAD, GOOD, UNDECIDED, item

MIXED = item(
    "mixed", response="no [1]", evaluators={"Contains": {"any": ["no"]}, "ExactMatch": {}, "Latency": {"max_ms": 1}}
)


def cases(pytester):
    """Map (classname, name) to outcome element names and its properties, through junitparser."""
    xml = junitparser.JUnitXml.fromfile(str(pytester.path / "out.xml"))
    found = {}
    for suite in xml:
        for case in suite:
            results = [result._tag for result in case.result]
            properties = {each.get("name"): each.get("value") for each in case._elem.iterfind("properties/property")}
            found[case.classname, case.name] = results, properties
    return found


def totals(pytester):
    suite = ET.parse(pytester.path / "out.xml").getroot().find("testsuite")
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    elements = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    assert counts == elements
    return counts


def test_every_evaluator_is_a_test_case_with_its_own_outcome(run_everywhere, write, pytester):
    write(MIXED, name="data/faq.json")
    run_everywhere("--junitxml=out.xml")
    found = {key: results for key, (results, _) in cases(pytester).items()}
    assert found == {
        ("data.faq.json", "mixed[Contains]"): [],
        ("data.faq.json", "mixed[ExactMatch]"): ["failure"],
        ("data.faq.json", "mixed[Latency]"): ["error"],
    }
    assert totals(pytester) == {"tests": 3, "failures": 1, "errors": 1, "skipped": 0}


def test_cases_carry_score_threshold_and_reason(run, write, pytester):
    write(item("cited", response="see [1]", evaluators={"Citations": {"threshold": 2}}))
    run("--junitxml=out.xml")
    ((_, properties),) = cases(pytester).values()
    assert properties["score"] == "1"
    assert properties["threshold"] == "2"
    assert properties["response"] == "recorded"
    assert "1" in properties["reason"]


def test_other_tests_of_the_run_are_untouched(run_in_process, write, pytester):
    pytester.makepyfile(
        """
        def test_ok(): pass
        def test_not(): assert not 'this'
        """
    )
    run_in_process("--junitxml=alone.xml")
    write(MIXED)
    run_in_process("--junitxml=out.xml")
    alone = by_name(pytester.path / "alone.xml")
    both = by_name(pytester.path / "out.xml")
    assert set(alone) == {key for key in both if key[0] != "faq.json"}
    for key, text in alone.items():
        assert both[key] == text


def by_name(path):
    found = {}
    for case in ET.parse(path).iter("testcase"):
        case.attrib.pop("time")
        found[case.get("classname"), case.get("name")] = ET.tostring(case)
    return found


def test_an_item_without_a_verdict_is_one_case(run, write, pytester):
    write(item("silent", response=None), item("none", evaluators={}), default_evaluators={})
    run("--junitxml=out.xml")
    assert {key: results for key, (results, _) in cases(pytester).items()} == {
        ("faq.json", "silent"): ["error"],
        ("faq.json", "none"): ["skipped"],
    }
    error = ET.parse(pytester.path / "out.xml").find(".//error")
    assert error.get("type") == "agentRequestFailed"


def test_evaluators_of_skipped_turns_are_errors(run_in_process, write, pytester):
    turns = [
        {"prompt": text, "response": text, "evaluators": {"Contains": {"any": ["a"]}}, "evaluators_mode": "replace"}
        for text in ("alpha", "beta", "gamma")
    ]
    del turns[1]["response"]
    write({"name": "talk", "turns": turns})
    run_in_process("--junitxml=out.xml")
    assert {key[1]: results for key, (results, _) in cases(pytester).items()} == {
        "talk[turn 1: Contains]": [],
        "talk[turn 2: Contains]": ["error"],
        "talk[turn 3: Contains]": ["error"],
    }
    types = [error.get("type") for error in ET.parse(pytester.path / "out.xml").iter("error")]
    assert types == ["agentRequestFailed", "turnSkipped"]


def test_verdicts_left_unreported_by_x_are_there(pytester, write):
    write(
        item(
            "two", response="no", evaluators={"ExactMatch": {}, "Contains": {"any": ["yes"]}, "Regex": {"pattern": "n"}}
        )
    )
    pytester.runpytest("-x", "-p", "no:xdist", "--junitxml=out.xml")
    assert [results for results, _ in cases(pytester).values()] == [["failure"], ["failure"], []]


@pytest.mark.parametrize(
    ("mark", "kinds"),
    [("skip(reason='later')", {"bad": ["skipped"]}), ("xfail(reason='known')", {"bad[ExactMatch]": ["skipped"]})],
)
def test_marks_become_skipped_cases(run_in_process, write, pytester, mark, kinds):
    pytester.makeconftest(
        f"import pytest\ndef pytest_collection_modifyitems(items):\n    items[0].add_marker(pytest.mark.{mark})"
    )
    write(BAD)
    run_in_process("--junitxml=out.xml")
    assert {key[1]: results for key, (results, _) in cases(pytester).items()} == kinds
    assert ET.parse(pytester.path / "out.xml").find(".//skipped").get("message") in {"later", "known"}


def test_a_fixture_that_fails_at_teardown_adds_a_case_of_the_item(run_in_process, write, pytester):
    pytester.makeconftest(
        "import pytest\n@pytest.fixture(autouse=True)\ndef cleanup():\n    yield\n    raise OSError('disk full')"
    )
    write(GOOD)
    run_in_process("--junitxml=out.xml")
    assert {key[1]: results for key, (results, _) in cases(pytester).items()} == {
        "good[ExactMatch]": [],
        "good": ["error"],
    }


def test_output_of_the_agent_is_kept(run, write, pytester):
    pytester.makeini("[pytest]\njunit_logging = system-out")
    pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef agent_client():\n"
        "    def ask(prompt):\n        print('looking it up')\n        return 'yes'\n    return ask"
    )
    write(BAD | {"expected_response": "no"})
    run("--junitxml=out.xml")
    assert "looking it up" in ET.parse(pytester.path / "out.xml").find(".//system-out").text


def test_content_is_the_same_with_and_without_xdist(pytester, write):
    write(GOOD, MIXED, BAD, UNDECIDED, item("silent", response=None))
    contents = []
    for arguments in (("-p", "no:xdist"), ("-n0",), ("-n2",)):
        pytester.runpytest(*arguments, "--junitxml=out.xml")
        contents.append(sorted(by_name(pytester.path / "out.xml").items()))
    assert contents[0] == contents[1] == contents[2]


def test_a_class_name_prefix_is_kept(run, write, pytester):
    write(GOOD)
    run("--junitxml=out.xml", "--junitprefix=nightly")
    assert list(cases(pytester)) == [("nightly.faq.json", "good[ExactMatch]")]


def test_one_case_per_item_on_request(run, write, pytester):
    pytester.makeini("[pytest]\nevals_junit = item")
    write(GOOD, MIXED)
    run("--junitxml=out.xml")
    assert {key[1]: results for key, (results, _) in cases(pytester).items()} == {"good": [], "mixed": ["failure"]}
    totals(pytester)


def test_foreign_text_cannot_break_the_file(run, write, pytester):
    text = "no\x00\x07\x1b[31m ]]> <script> & \ufffe"
    write(item("harmful", response=text, expected=text + "!"))
    run("--junitxml=out.xml")
    ((results, _),) = cases(pytester).values()
    assert results == ["failure"]
    assert "\\x1b[31m" in ET.parse(pytester.path / "out.xml").find(".//failure").text


def test_properties_can_be_switched_off_and_the_file_then_fits_the_common_schema(run, write, pytester, xunit_schema):
    pytester.makeini("[pytest]\nevals_junit_properties = false")
    write(GOOD, MIXED, BAD, UNDECIDED, item("silent", response=None))
    run("--junitxml=out.xml")
    assert ET.parse(pytester.path / "out.xml").find(".//properties") is None
    xunit_schema.validate(str(pytester.path / "out.xml"))


def test_without_its_properties_the_file_fits_the_common_schema(run, write, pytester, xunit_schema):
    write(GOOD, MIXED, BAD, UNDECIDED, item("silent", response=None))
    run("--junitxml=out.xml")
    tree = ET.parse(pytester.path / "out.xml")
    for case in tree.iter("testcase"):
        for properties in case.findall("properties"):
            case.remove(properties)
    tree.write(pytester.path / "bare.xml")
    xunit_schema.validate(str(pytester.path / "bare.xml"))


def test_times_are_the_evaluators_own(run, write, pytester):
    pytester.makeconftest(
        "import pytest, time\n@pytest.fixture\ndef agent_client():\n    return lambda prompt: time.sleep(0.3) or 'yes'"
    )
    write(GOOD)
    run("--junitxml=out.xml")
    (case,) = ET.parse(pytester.path / "out.xml").iter("testcase")
    assert float(case.get("time")) < 0.2


def test_a_worker_that_dies_leaves_an_error_for_the_item_it_ran(pytester, write):
    pytester.makeconftest(
        "import pytest, os\n@pytest.fixture\ndef agent_client():\n"
        "    return lambda prompt: os._exit(3) if 'bad' in prompt else 'yes'"
    )
    write(GOOD, item("bad"), item("third"))
    result = pytester.runpytest("-n2", "--junitxml=out.xml")
    found = {key[1]: results for key, (results, _) in cases(pytester).items()}
    assert found == {"good[ExactMatch]": [], "bad": ["error"], "third[ExactMatch]": []}
    assert result.stdout.lines[-1] == "evals: 1 could not be evaluated, 2 passed"
    assert result.ret == 1
