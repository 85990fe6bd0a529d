"""Which files are eval documents, and what is said of those that are not."""

from __future__ import annotations

import json

import pytest
from sample_items import BAD, GOOD

FOREIGN = {"name": "package", "version": "1.0.0", "items": [1, 2]}


def test_documents_are_counted_and_other_json_is_left_alone(run_everywhere, write, pytester):
    write(GOOD, BAD, name="data/one.json")
    write(GOOD, name="data/two.json")
    pytester.path.joinpath("data/package.json").write_text(json.dumps(FOREIGN))
    result = run_everywhere()
    result.stdout.fnmatch_lines(["evals: 2 documents, 3 items"])
    result.stdout.fnmatch_lines(["evals: 1 other JSON file left alone (-v names them)"])


def test_files_left_alone_are_named_with_their_reason_when_verbose(run_everywhere, write, pytester):
    write(GOOD)
    pytester.path.joinpath("package.json").write_text(json.dumps(FOREIGN))
    run_everywhere("-v").stdout.fnmatch_lines(["*  package.json: *schemaVersion*"])


def test_a_document_with_a_misspelt_version_is_not_hidden(run, write, pytester):
    write(GOOD)
    document = {"schemaVerison": "1.6.0", "items": [GOOD]}
    pytester.path.joinpath("typo.json").write_text(json.dumps(document))
    run().stdout.fnmatch_lines(["*  typo.json: *schemaVersion*"])


def test_a_run_without_documents_says_nothing_of_evals(run, pytester):
    pytester.path.joinpath("package.json").write_text(json.dumps(FOREIGN))
    pytester.makepyfile("def test_ok(): pass")
    result = run("-v")
    result.assert_outcomes(passed=1)
    assert not [line for line in result.stdout.lines if line.startswith("evals:")]


def test_quiet_collection_lists_node_ids_only(pytester, write):
    write(GOOD)
    result = pytester.runpytest("-p", "no:xdist", "--collect-only", "-q")
    assert result.stdout.lines[:2] == ["faq.json::good", ""]


@pytest.mark.parametrize(
    ("mode", "arguments", "passed"),
    [("auto", (), 2), ("named", (), 0), ("named", ("a.json",), 1), ("off", ("a.json",), 0)],
)
def test_collection_can_be_limited_to_named_files_or_switched_off(pytester, write, mode, arguments, passed):
    pytester.makeini(f"[pytest]\nevals_collect = {mode}")
    write(GOOD, name="a.json")
    write(GOOD, name="b.json")
    pytester.runpytest("-p", "no:xdist", *arguments).assert_outcomes(passed=passed)


def test_files_named_by_a_glob_are_documents_and_others_still_are(run, write, pytester):
    pytester.makeini("[pytest]\nevals_files = old/*.json")
    pytester.mkdir("old")
    legacy = [{"prompt": "Is it?", "expected_response": "yes"}]
    pytester.path.joinpath("old/prompts.json").write_text(json.dumps(legacy))
    write(GOOD)
    result = run("--evals-only=ExactMatch,Coherence", "-v", "-W", "always")
    result.stdout.fnmatch_lines(["evals: 2 documents, 2 items"])


def test_a_named_file_that_is_broken_is_a_collection_error(run, pytester):
    pytester.path.joinpath("broken.json").write_text('{"schemaVersion": "1.6.0", "items": [')
    result = run("broken.json")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*broken.json:1:*"])


def test_the_plugin_can_be_switched_off(pytester, write):
    write(BAD)
    pytester.makepyfile("def test_ok(): pass")
    pytester.runpytest("-p", "no:agentevals").assert_outcomes(passed=1)


def test_a_symbolic_link_to_a_parent_folder_does_not_repeat_documents(pytester, write):
    write(GOOD, name="data/faq.json")
    pytester.path.joinpath("data/again").symlink_to(pytester.path, target_is_directory=True)
    result = pytester.runpytest("-p", "no:xdist")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("plugin", ["cacheprovider", "terminal", "junitxml", "logging"])
def test_plugins_of_pytest_may_be_missing(pytester, write, plugin):
    write(GOOD, BAD)
    result = pytester.runpytest_subprocess("-p", f"no:{plugin}", "-p", "no:xdist")
    assert result.ret == 1
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


def test_module_scoped_fixtures_have_a_node(run_in_process, write, pytester):
    pytester.makeconftest(
        "import pytest\n@pytest.fixture(scope='module', autouse=True)\ndef once(): yield\n"
        "@pytest.fixture(scope='package', autouse=True)\ndef pack(): yield"
    )
    write(GOOD)
    run_in_process().assert_outcomes(passed=1)


def test_python_tests_and_documents_run_together(run_everywhere, write, pytester):
    pytester.makepyfile("def test_ok(subtests):\n    with subtests.test('inner'): assert False")
    write(GOOD, BAD)
    result = run_everywhere()
    result.assert_outcomes(passed=1, failed=4)
    assert result.stdout.lines[-1] == "evals: 1 failed, 1 passed"
