"""Custom evaluators in plain Python: a module without a prompt file."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import ValidationError

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place

TERMS = """
    class ForbiddenTerms:
        def __init__(self, *, threshold, options=None):
            self.terms = (options or {}).get("terms", [])

        def __call__(self, *, response="", **_):
            found = [term for term in self.terms if term in response.lower()]
            return {"score": 0 if found else 1, "reason": f"found {found}" if found else "clean"}
"""


def test_a_folder_of_the_project_is_an_evaluator(custom, evaluate, catalog):
    custom("forbidden_terms", TERMS)
    options = {"threshold": 1, "options": {"terms": ["todo"]}}

    passed = evaluate("forbidden_terms", options)
    failed = evaluate("forbidden_terms", options, response="TODO: write this.")

    assert (passed.outcome, passed.score, passed.threshold, passed.reason) == ("pass", 1, 1, "clean")
    assert (failed.outcome, failed.score, failed.reason) == ("fail", 0, "found ['todo']")
    assert catalog.make("forbidden_terms", options).result_key == "forbidden_terms"
    assert not catalog.make("forbidden_terms", options).judged
    assert not catalog.warnings


def test_all_four_fields_are_passed_and_empty_where_the_item_has_none(returning, evaluate):
    returning('{"score": 1, "reason": repr(sorted(given.items()))}')

    bare = evaluate("check", prompt="P", response="R")
    full = evaluate("check", prompt="P", response="R", expected_response="E", context="C")

    assert bare.reason == str([("context", ""), ("expected_response", ""), ("prompt", "P"), ("response", "R")])
    assert full.reason == str([("context", "C"), ("expected_response", "E"), ("prompt", "P"), ("response", "R")])


def test_the_constructor_gets_threshold_and_options_but_no_model(custom, evaluate):
    custom(
        "check",
        """
        class Check:
            def __init__(self, **given):
                self.given = given

            def __call__(self, **_):
                return {"score": 9, "reason": repr(sorted(self.given.items()))}
        """,
    )

    assert evaluate("check", {"threshold": 7}).reason == str([("options", {}), ("threshold", 7.0)])


@pytest.mark.parametrize(
    ("returned", "threshold", "expected"),
    [
        ('{"score": 1}', 1, (1, "pass")),
        ('{"score": 0}', 1, (0, "fail")),
        ('{"score": 0.7}', 0.7, (0.7, "pass")),
        ('{"score": -3}', -3, (-3, "pass")),
        ('{"score": 250}', 1000, (250, "fail")),
        ('{"score": fractions.Fraction(1, 2)}', 0.5, (0.5, "pass")),
        ('{"score": 0, "result": "pass", "threshold": 0}', 1, (0, "fail")),
    ],
)
def test_the_threshold_decides_and_nothing_that_the_evaluator_says_of_it(
    returning, evaluate, returned, threshold, expected
):
    returning(returned)

    verdict = evaluate("check", {"threshold": threshold})

    assert verdict.threshold == threshold
    assert (verdict.score, verdict.outcome) == expected


@pytest.mark.parametrize(
    ("returned", "code", "message"),
    [
        ('{"error": "no network"}', "evaluatorError", "^no network$"),
        ('{"error": "no network", "score": 1}', "evaluatorError", "^no network$"),
        ('{"result": "error", "error": "bad sample", "threshold": 1}', "evaluatorError", "^bad sample$"),
        ('{"result": "error", "reason": "bad sample"}', "evaluatorError", "^bad sample$"),
        ("{}", "invalidEvaluatorResult", "check returned no score; it has to be a finite number"),
        ('{"score": None}', "invalidEvaluatorResult", "the score None"),
        ('{"score": "1"}', "invalidEvaluatorResult", "the score '1'"),
        ('{"score": True}', "invalidEvaluatorResult", "the score True"),
        ('{"score": math.nan}', "invalidEvaluatorResult", "the score nan"),
        ('{"score": math.inf}', "invalidEvaluatorResult", "the score inf"),
        ('{"score": 10 ** 400}', "invalidEvaluatorResult", "a finite number"),
        ('{"score": 1j}', "invalidEvaluatorResult", "the score 1j"),
        ("1", "invalidEvaluatorResult", "check returned 1; it has to return"),
        ("None", "invalidEvaluatorResult", "check returned None"),
        ('[("score", 1)]', "invalidEvaluatorResult", "it has to return"),
        ("1 / 0", "evaluatorError", r"ZeroDivisionError: .* \(custom-evaluators/check/check.py:9\)"),
        ("exit(3)", "evaluatorError", "SystemExit: 3"),
        ("given['nothing']", "evaluatorError", "KeyError: 'nothing'"),
    ],
)
def test_what_is_no_result_is_an_error_and_neither_pass_nor_fail(returning, evaluate, returned, code, message):
    returning(returned)

    with pytest.raises(EvaluationError, match=message) as caught:
        evaluate("check")

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("class Check(", "failed to import: SyntaxError: .*check.py, line 1"),
        ("import no_such_package", r"ModuleNotFoundError: .*no_such_package.* \(custom-evaluators/check/check.py:1\)"),
        ("raise ValueError('not\\nhere')", "failed to import: ValueError: not here"),
        ("import sys; sys.exit('stop')", "failed to import: SystemExit: stop"),
        ("def check(): pass", "Custom evaluator 'check' defines no class in check.py"),
        ("from fractions import Fraction", "defines no class"),
    ],
)
def test_a_module_that_cannot_be_used_is_a_load_error_in_one_line(custom, evaluate, module, message):
    custom("check", module)

    for _ in "again":
        with pytest.raises(EvaluationError, match=message) as caught:
            evaluate("check")

    assert caught.value.code == "evaluatorLoadError"
    assert "\n" not in str(caught.value)


def test_a_folder_without_its_module_is_a_load_error(write, evaluate):
    write("custom-evaluators/check/other.py", "class Check: ...")

    with pytest.raises(
        EvaluationError, match=r"Custom evaluator 'check' is missing required file 'check\.py'"
    ) as caught:
        evaluate("check")

    assert caught.value.code == "evaluatorLoadError"


def test_a_constructor_that_raises_is_an_error_of_the_evaluator(custom, evaluate):
    custom(
        "check",
        """
        class Check:
            def __init__(self, *, threshold, options):
                raise ValueError("options.terms must be a list")
        """,
    )

    with pytest.raises(EvaluationError, match=r"options.terms must be a list \(custom-evaluators/check/check.py:4\)"):
        evaluate("check")


@pytest.mark.parametrize(
    "module",
    [
        "class Check:\n    def __init__(self, *, options=None): ...",
        "class Check:\n    def __init__(self, **_): ...\n    def __call__(self, *, response): ...",
        "class Check:\n    def __init__(self, **_): ...",
    ],
)
def test_a_class_that_does_not_take_what_it_is_given_is_an_error_of_the_evaluator(write, evaluate, module):
    write("custom-evaluators/check/check.py", module)

    with pytest.raises(EvaluationError, match="check raised TypeError") as caught:
        evaluate("check")

    assert caught.value.code == "evaluatorError"


@pytest.mark.parametrize(
    "options",
    [
        {"terms": ["todo"]},
        {"threshold": "1"},
        {"threshold": True},
        {"threshold": float("nan")},
        {"options": ["todo"]},
    ],
)
def test_threshold_and_options_are_all_that_a_document_may_say(returning, catalog, options):
    returning('{"score": 1}')

    with pytest.raises(ValidationError):
        catalog.make("check", options)


def test_the_first_class_of_the_module_is_the_evaluator(custom, evaluate):
    custom(
        "check",
        """
        from collections import Counter
        from fractions import Fraction

        class First:
            def __init__(self, **_): ...
            def __call__(self, **_):
                return {"score": 1, "reason": type(self).__name__}

        class Second(First): ...
        """,
    )

    assert evaluate("check").reason == "First"


def test_nothing_is_imported_before_the_evaluator_runs(custom, catalog):
    custom("check", "raise SystemExit('imported')")

    assert catalog.make("check", {}).result_key == "check"
    assert "check" in catalog.names


def test_evaluators_of_one_name_in_two_projects_do_not_meet(write, tmp_path):
    before = set(sys.path)
    for project, score in (("one", 1), ("two", 2)):
        write(f"{project}/custom-evaluators/check/words.py", f"SCORE = {score}")
        write(
            f"{project}/custom-evaluators/check/check.py",
            """
            from __future__ import annotations

            from dataclasses import dataclass

            from .words import SCORE

            @dataclass
            class Check:
                threshold: float
                options: dict

                def __call__(self, **_):
                    return {"score": SCORE}
            """,
        )

    def score(project):
        from pytest_agentevals.evaluators.base import Exchange
        from pytest_agentevals.responses import AgentResponse

        place = Place(folder=tmp_path / project, root=tmp_path / project)
        exchange = Exchange(prompt="", response=AgentResponse(text=""))
        return Catalog(place).make("check", {}).evaluate(exchange).score

    assert [score("one"), score("two"), score("one")] == [1, 2, 1]
    assert "check" not in sys.modules
    assert "words" not in sys.modules
    assert set(sys.path) == before


def test_a_module_is_imported_once_however_many_ask_for_it(custom, evaluate, tmp_path):
    custom(
        "check",
        f"""
        from pathlib import Path

        with Path({str(tmp_path / "imports")!r}).open("a") as log:
            log.write("imported ")

        class Check:
            def __init__(self, **_): ...
            def __call__(self, **_):
                return {{"score": 1}}
        """,
    )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: evaluate("check"), range(16)))

    assert (tmp_path / "imports").read_text() == "imported "


def test_no_exchange_sees_what_another_left_behind(custom, evaluate):
    custom(
        "check",
        """
        class Check:
            def __init__(self, *, threshold, options):
                self.options = options

            def __call__(self, **_):
                self.options["seen"] = self.options.get("seen", 0) + 1
                return {"score": self.options["seen"]}
        """,
    )

    assert [evaluate("check", {"options": {"terms": []}}).score for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("word", ["load_flow", "promptflow", "model_config", "check.prompty"])
def test_code_that_looks_as_if_it_lost_its_prompt_is_warned_of_and_runs(custom, evaluate, catalog, word):
    custom("check", f"{TERMS}\n    # {word}\n")

    verdict = evaluate("check")

    assert verdict.outcome == "pass"
    (warning,) = catalog.warnings
    assert warning.startswith("check: check.py mentions")
    assert "check.prompty" in warning
