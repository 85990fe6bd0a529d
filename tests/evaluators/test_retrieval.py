from __future__ import annotations

import pytest
from evaluators.exchanges import judge
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentevals.errors import MissingInput


def ran(*queries: str | None, capability: str | None = "Email", hits: list[dict] | None = None) -> dict:
    """One execution of a capability."""
    return {
        "capability": capability,
        "queries": [{"queryString": query, "filterExpression": "Q4 sales"} for query in queries],
        "retrievalHits": hits or [],
    }


def hit(*texts: str, **rest: object) -> dict:
    return {"extracts": [{"text": text} for text in texts], **rest}


@pytest.mark.parametrize(
    ("executions", "terms", "code", "missing", "found"),
    [
        pytest.param([ran("Q4 sales")], {}, "pass", [], [], id="selector-alone"),
        pytest.param([ran("q4 SALES report")], {"includes": ["Report"]}, "pass", [], [], id="case-does-not-count"),
        pytest.param([ran("Q4 sales report")], {"includes": "report"}, "pass", [], [], id="one-text-for-a-list"),
        pytest.param([ran("Q4 salesreports")], {"includes": ["report"]}, "pass", [], [], id="parts-of-words"),
        pytest.param(
            [ran("Q4 sales a", "Q4 sales b")], {"includes": ["a", "b"]}, "pass", [], [], id="includes-in-any-query"
        ),
        pytest.param(
            [ran("Q4 sales a"), ran("Q4 sales b")], {"includes": ["a", "b"]}, "pass", [], [], id="several-executions"
        ),
        pytest.param(
            [ran("Q4 sales", "lunch")], {"excludes": ["lunch"]}, "pass", [], [], id="other-queries-are-ignored"
        ),
        pytest.param(
            [ran("Q4 sales"), ran("Q4 sales memo", capability="People")],
            {"excludes": "memo"},
            "pass",
            [],
            [],
            id="other-capabilities-are-ignored",
        ),
        pytest.param([ran("lunch", None)], {"includes": ["a"]}, "no_matching_query", [], [], id="no-matching-query"),
        pytest.param([ran()], {}, "no_matching_query", [], [], id="no-query-at-all"),
        pytest.param(
            [ran("Q4 sales")],
            {"includes": ["unicorn", "sales"]},
            "required_terms_missing",
            ["unicorn"],
            [],
            id="missing",
        ),
        pytest.param(
            [ran("Q4 sales", "Q4 sales memo")], {"excludes": ["MEMO"]}, "excluded_terms_found", [], ["MEMO"], id="found"
        ),
        pytest.param(
            [ran("Q4 sales")],
            {"excludes": ["q4 sales"]},
            "excluded_terms_found",
            [],
            ["q4 sales"],
            id="selector-excluded",
        ),
        pytest.param(
            [ran("Q4 sales memo")],
            {"includes": ["a b"], "excludes": ["memo"]},
            "mixed_term_failure",
            ["a b"],
            ["memo"],
            id="missing-and-found",
        ),
        pytest.param([], {}, "retrieval_failure", [], [], id="nothing-executed"),
        pytest.param([ran("Q4 sales", capability="email")], {}, "retrieval_failure", [], [], id="capability-is-exact"),
        pytest.param([ran("Q4 sales", capability=None)], {}, "retrieval_failure", [], [], id="capability-not-known"),
    ],
)
def test_retrieval_query_checks_the_selected_queries(executions, terms, code, missing, found):
    options = {"capability": "Email", "selector": "Q4 sales", **terms}
    verdict = judge("RetrievalQuery", options, retrieval_executions=executions)
    assert verdict.details["diagnostic_code"] == code
    assert verdict.details["includes_missing"] == missing
    assert verdict.details["excludes_found"] == found
    assert (verdict.outcome, verdict.score) == (("pass", 1.0) if code == "pass" else ("fail", 0.0))
    assert verdict.threshold == 1.0


def test_retrieval_query_lists_the_queries_it_selected():
    options = {"capability": "Email", "selector": "sales"}
    verdict = judge("RetrievalQuery", options, retrieval_executions=[ran("Q4 sales", "lunch", "Sales")])
    assert verdict.details["matched_queries"] == ["Q4 sales", "Sales"]
    assert verdict.notes == ('query: "Q4 sales"', 'query: "Sales"')
    assert verdict.reason == '2 queries have the selector "sales"'


def test_retrieval_query_says_what_was_asked_instead():
    options = {"capability": "Email", "selector": "sales"}
    verdict = judge("RetrievalQuery", options, retrieval_executions=[ran("lunch")])
    assert verdict.reason == 'none of 1 query has the selector "sales"'
    assert verdict.notes == ('query: "lunch"',)


@pytest.mark.parametrize("name", ["RetrievalQuery", "RetrievalResult"])
@pytest.mark.parametrize(
    ("executed", "reason"),
    [
        (
            ["people", "email"],
            'did not execute the capability "Email", but "email": names of capabilities compare exactly',
        ),
        (["Emails"], 'but "Emails": names'),
        (["People", "Files"], 'did not execute the capability "Email", but "People", "Files"'),
        ([], 'did not execute the capability "Email" nor any other'),
    ],
)
def test_a_capability_that_did_not_run_is_named_with_its_nearest(name, executed, reason):
    options = {
        "RetrievalQuery": {"capability": "Email", "selector": "x"},
        "RetrievalResult": {"capability": "Email", "min_expected_count": 1},
    }[name]
    executions = [ran("x", capability=capability) for capability in executed]
    assert reason in judge(name, options, retrieval_executions=executions).reason


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RetrievalQuery", {"capability": "Email", "selector": "x"}),
        ("RetrievalResult", {"min_expected_count": 1}),
    ],
)
def test_retrieval_that_is_not_known_decides_nothing(name, options):
    with pytest.raises(MissingInput, match="retrieval_executions"):
        judge(name, options, retrieval_executions=None)
    assert judge(name, options, retrieval_executions=[]).outcome == "fail"


BUDGET, UPDATE, PLAN = hit("The BUDGET grew"), hit("n/a", "an update"), hit("the plan")


@pytest.mark.parametrize(
    ("expected", "options", "hits", "score", "code"),
    [
        pytest.param(["budget", "update"], {}, [BUDGET, UPDATE], 1.0, "pass", id="all-found-in-any-case-and-extract"),
        pytest.param(["budget", "update", "x"], {}, [BUDGET, UPDATE], 2 / 3, "not_retrieved", id="two-of-three"),
        pytest.param(["x"], {}, [BUDGET], 0.0, "not_retrieved", id="none-found"),
        pytest.param(["x", "x", "plan"], {}, [PLAN], 1 / 3, "not_retrieved", id="repeated-items-count-each"),
        pytest.param(["plan"], {"max_rank": 2}, [BUDGET, PLAN], 1.0, "pass", id="position-is-the-rank"),
        pytest.param(["plan"], {"max_rank": 1}, [BUDGET, PLAN], 0.0, "not_retrieved", id="beyond-max-rank"),
        pytest.param(["plan"], {"max_rank": 1}, [BUDGET, {**PLAN, "rank": 1}], 1.0, "pass", id="rank-before-position"),
        pytest.param(["plan"], {}, [BUDGET] * 10 + [PLAN], 0.0, "not_retrieved", id="max-rank-is-10-by-default"),
        pytest.param([], {"min_expected_count": 2}, [BUDGET, PLAN], 1.0, "pass", id="count-alone"),
        pytest.param(
            [], {"min_expected_count": 3}, [BUDGET, PLAN], 0.0, "count_below_minimum", id="count-alone-missed"
        ),
        pytest.param(
            [], {"min_expected_count": 2, "max_rank": 1}, [BUDGET, PLAN], 0.0, "count_below_minimum", id="count-in-rank"
        ),
        pytest.param(["plan"], {"min_expected_count": 1}, [PLAN], 1.0, "pass", id="both-met"),
        pytest.param(["plan"], {"min_expected_count": 2}, [PLAN], 1.0, "count_below_minimum", id="only-count-missed"),
        pytest.param(["x", "plan"], {"min_expected_count": 1}, [PLAN], 0.5, "not_retrieved", id="only-items-missed"),
        pytest.param(["x"], {"min_expected_count": 2}, [PLAN], 0.0, "not_retrieved", id="both-missed"),
        pytest.param(["x"], {}, [], 0.0, "not_retrieved", id="no-hits"),
        pytest.param([], {"min_expected_count": 1}, [], 0.0, "count_below_minimum", id="no-hits-for-a-count"),
        pytest.param(["x"], {}, [{"extracts": [{"text": None}]}], 0.0, "not_retrieved", id="extract-without-text"),
    ],
)
def test_retrieval_result_scores_the_share_found_and_needs_everything(expected, options, hits, score, code):
    if expected:
        options = {**options, "expected_items": [{"retrievalExtract_contains": text} for text in expected]}
    verdict = judge("RetrievalResult", options, retrieval_executions=[ran("q", hits=hits)])
    assert verdict.score == score
    assert verdict.details["diagnostic_code"] == code
    assert verdict.outcome == ("pass" if code == "pass" else "fail")
    assert verdict.threshold == 1.0


def items(*texts: str) -> dict:
    return {"expected_items": [{"retrievalExtract_contains": text} for text in texts]}


def test_retrieval_result_names_the_best_ranked_hit_of_each_item():
    executions = [
        ran("q", hits=[hit("plan", rank=4, webUrl="https://x.test/4")]),
        ran("q", hits=[hit("plan", rank=2, webUrl="https://x.test/2"), hit("budget")]),
    ]
    details = judge("RetrievalResult", items("plan", "budget"), retrieval_executions=executions).details
    assert details["matched_items"] == [
        {"extractMatch": "plan", "matchedHitUrl": "https://x.test/2", "matchedHitRank": 2},
        {"extractMatch": "budget", "matchedHitRank": 2},
    ]
    assert details["results_evaluated"] == 3
    assert details["missing_items"] == details["extract_failures"] == []


def test_retrieval_result_tells_an_absent_text_from_one_that_ranked_too_low():
    executions = [ran("q", hits=[hit("plan"), hit("budget")])]
    verdict = judge("RetrievalResult", {**items("budget", "x"), "max_rank": 1}, retrieval_executions=executions)
    low = {"extractMatch": "budget", "reason": "only in a hit of rank 2, beyond max_rank 1"}
    absent = {"extractMatch": "x", "reason": "in no extract of 1 hit within rank 1"}
    assert verdict.details["missing_items"] == [low, absent]
    assert verdict.details["extract_failures"] == [absent]
    assert verdict.notes[0] == 'missing: "budget": only in a hit of rank 2, beyond max_rank 1'
    assert verdict.reason == "0 of 2 expected items found within rank 1"


def test_retrieval_result_without_hits_has_no_extract_failure():
    verdict = judge("RetrievalResult", items("x"), retrieval_executions=[])
    assert verdict.details["missing_items"] == [{"extractMatch": "x", "reason": "no hits"}]
    assert verdict.details["extract_failures"] == []
    assert verdict.reason == "the agent retrieved nothing"


def test_retrieval_result_looks_at_one_capability_or_at_all():
    executions = [ran("q", hits=[PLAN], capability="People"), ran("q", hits=[BUDGET])]
    assert judge("RetrievalResult", items("plan"), retrieval_executions=executions).outcome == "pass"
    options = {**items("plan"), "capability": "Email"}
    assert judge("RetrievalResult", options, retrieval_executions=executions).outcome == "fail"


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdef"), min_size=1), st.lists(st.sampled_from("abcdef"), max_size=8))
def test_retrieval_result_passes_exactly_at_score_1_where_only_items_are_configured(expected, texts):
    verdict = judge(
        "RetrievalResult", items(*expected), retrieval_executions=[ran("q", hits=[hit(text) for text in texts])]
    )
    assert verdict.score == sum(text in texts for text in expected) / len(expected)
    assert (verdict.outcome == "pass") == (verdict.score == 1)
    assert len(verdict.details["matched_items"]) + len(verdict.details["missing_items"]) == len(expected)
