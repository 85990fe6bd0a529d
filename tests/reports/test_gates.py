"""What gates say and how they end, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_runs import error, evaluated, run_of, turn, verdict

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.cases import Kind, Trouble
from pytest_agentevals.reports.gates import GateResult, answering, results
from pytest_agentevals.reports.gates.syntax import parse
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import ItemResult, JudgeUsage, TurnError, TurnResult, packed


def f1(score):
    return verdict("F1Score", score, threshold=0.5, scale=(0, 1), judged=False)


def silent(name):
    failure = TurnError(code="agentTimeout", message="no answer within 60 s")
    return evaluated(name, TurnResult(prompt=name, evaluators=("Relevance",), error=failure), document="sets/it.json")


#: Relevance: 5, 4, 2 and an error; Coherence: 3; F1Score: 0.25 and 0.75; an agent that is silent, a worker that died.
RUN = run_of(
    evaluated("one", turn("1?", verdict("Relevance", 5), f1(0.25)), document="sets/hr.json", tags=["smoke"]),
    evaluated("two", turn("2?", verdict("Relevance", 4), f1(0.75)), document="sets/hr.json"),
    evaluated("three", turn("3?", verdict("Relevance", 2), verdict("Coherence", 3)), document="sets/it.json"),
    evaluated("four", turn("4?", error("Relevance"), text="…"), document="sets/it.json", tags=["smoke"]),
    silent("five"),
    evaluated("six", document="sets/it.json", troubles=[Trouble(Kind.ERROR, "workerCrashed", "it died")]),
)


def ended(text, run=RUN):
    (result,) = results(run, [parse(text)])
    return result.met, result.value, result.count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Relevance pass_rate >= 0.6", (True, 2 / 3, 3)),
        ("Relevance pass_rate >= 67%", (False, 2 / 3, 3)),
        ("Relevance F1Score pass_rate > 0.6", (False, 3 / 5, 5)),
        ("pass_rate >= 0.6", (True, 4 / 6, 6)),
        ("tag:smoke pass_rate >= 0.5", (True, 1 / 2, 2)),
        ("tag:smoke Relevance pass_rate >= 1", (True, 1.0, 1)),
        ("file:hr.json pass_rate >= 75%", (True, 3 / 4, 4)),
        ("file:sets/i*.json pass_rate >= 0.75", (False, 1 / 2, 2)),
        ("file:sets/*.json tag:smoke F1Score mean > 0.2", (True, 0.25, 1)),
        ("Relevance mean >= 3.6", (True, 11 / 3, 3)),
        ("Relevance Coherence mean >= 3.5", (True, 14 / 4, 4)),
        ("Relevance p0 >= 2", (True, 2.0, 3)),
        ("Relevance p50 > 4", (False, 4.0, 3)),
        ("Relevance p10 >= 2.4", (True, 2.4, 3)),
        ("F1Score p75 < 1", (True, 0.625, 2)),
        ("Relevance errors <= 1", (True, 1, 4)),
        ("errors <= 3", (True, 3, 9)),
        ("errors < 3", (False, 3, 9)),
        ("error_rate <= 30%", (False, 3 / 9, 9)),
        ("cost <= 0.01", (True, pytest.approx(0.004), 7)),
        ("latency_p95 <= 1200", (False, 1200.5, 4)),
        ("tag:smoke latency_p100 <= 1.5e3", (True, 1200.5, 2)),
        ("Similarity pass_rate >= 0", (False, None, 0)),
        ("tag:none errors <= 5", (False, None, 0)),
        ("file:hr.csv cost <= 5", (False, None, 0)),
    ],
)
def test_figures_by_hand(text, expected):
    met, value, count = expected
    assert ended(text) == (met, value if value is None else pytest.approx(value), count)


def test_binary_fractions_decide_nothing():
    """In floating point, 2.4 / 3 is less than 0.8."""
    run = run_of(*(evaluated(f"i{n}", turn(f"{n}?", f1(score))) for n, score in enumerate((0.7, 0.8, 0.9))))
    assert [ended(f"mean {operator} 0.8", run)[0] for operator in (">=", "<=", ">", "<")] == [True, True, False, False]


def test_an_interrupted_run_meets_no_gate():
    cut = replace(RUN, about=replace(RUN.about, interrupted=True))
    (result,) = results(cut, [parse("Relevance pass_rate >= 0.6")])
    assert (result.met, result.value) == (False, 2 / 3)
    assert str(result) == (
        "gate Relevance pass_rate >= 0.6: not met: the run ended before all items had run; 0.67 (n = 3)"
    )


def test_scores_of_different_scales_are_not_taken_together():
    assert ended("mean >= 0") == (False, None, 6)
    (result,) = results(RUN, [parse("mean >= 0")])
    assert "different scales" in result.reason


def test_an_unknown_cost_is_no_low_cost():
    unpriced = replace(verdict("Relevance", 5), usage=JudgeUsage(model="gpt-4o"))
    run = run_of(evaluated("one", turn("1?", unpriced)), evaluated("two", turn("2?", verdict("Relevance", 5))))
    assert ended("cost <= 100", run) == (False, None, 2)
    (result,) = results(run, [parse("cost <= 100")])
    assert "the cost of 1 judgment is unknown" in str(result)


def test_what_is_replayed_costs_nothing():
    replayed = replace(verdict("Relevance", 5), usage=JudgeUsage(model="gpt-4o", cost=3.0, replayed=True))
    assert ended("cost <= 0", run_of(evaluated("one", turn("1?", replayed)))) == (True, 0.0, 1)


def test_latencies_are_those_of_every_repeat():
    def repeat(milliseconds):
        answered = turn("1?", verdict("Relevance", 4))
        answered.response = AgentResponse(text="An answer.", latency_ms=milliseconds)
        return ItemResult(turns=[answered])

    whole = repeat(100)
    whole.repeats = [repeat(100), repeat(300)]
    item = evaluated("one", turn("1?"))
    item.run.result = packed(whole)
    assert ended("latency_p100 <= 200", run_of(item)) == (False, 300, 2)


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("pass_rate >= 0.9", 0.89996, "0.89996"),
        ("pass_rate >= 90%", 0.8999, "89.99%"),
        ("pass_rate >= 90%", 0.899999, "89.9999%"),
        ("Relevance mean >= 4", 3.999, "3.999"),
        ("F1Score mean >= 0.8", 0.79999996, "0.79999996"),
        ("F1Score mean > 0.8", 0.7999999999999999, "0.80"),
        ("errors <= 3", 4, "4"),
    ],
)
def test_a_value_is_never_rounded_to_the_limit_that_it_misses(text, value, shown):
    result = GateResult(text=text, value=value, count=9, met=False, limit=parse(text).limit)
    assert result.measure == shown


def test_gates_answer_for_what_they_are_about():
    gates = [parse("Relevance pass_rate >= 0.5"), parse("tag:smoke errors <= 1"), parse("cost <= 1")]
    answers = {
        (item.id, case.evaluator): gate.text
        for item, case in RUN.cases()
        if (gate := answering(gates, item.document, item.tags, case))
    }
    assert answers == {
        ("three", "Relevance"): "Relevance pass_rate >= 0.5",
        ("four", "Relevance"): "tag:smoke errors <= 1",
    }


def test_a_gate_that_is_only_shown_answers_for_nothing():
    gates = [parse("pass_rate >= 0.5").only_shown(), parse("errors <= 9").only_shown()]
    assert not any(answering(gates, item.document, item.tags, case) for item, case in RUN.cases())


def test_words_in_quotation_marks_are_one():
    gate = parse(" tag:'very slow'  file:\"my sets/*.json\" 'Rubric' p99.5>=.25 ")
    assert (gate.tags, gate.files, gate.evaluators) == (("very slow",), ("my sets/*.json",), ("Rubric",))
    assert (gate.metric, gate.share, gate.operator, gate.limit) == ("pNN", 0.995, ">=", 0.25)
    assert gate.text == "tag:'very slow' file:\"my sets/*.json\" 'Rubric' p99.5>=.25"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there is no comparison; allowed are >=, >, <=, <"),
        ("pass_rate", "there is no comparison"),
        ("pass_rate => 0.9", "'=>' is no comparison"),
        ("pass_rate == 1", "'==' is no comparison"),
        (">= 0.9", "there is no metric before the comparison; allowed are pass_rate, mean, pNN"),
        ("Relevance >= 0.9", "there is no metric 'Relevance'"),
        ("pas_rate >= 0.9", "there is no metric 'pas_rate' (did you mean 'pass_rate'?)"),
        ("p101 >= 3", "there is no metric 'p101'"),
        ("pNN >= 3", "there is no metric 'pNN'"),
        ("pass_rate >= high", "'high' is no number"),
        ("pass_rate >= nan", "'nan' is no number"),
        ("pass_rate >= 0.9 0.8", "'0.9 0.8' is no number"),
        ("pass_rate >= 90", "90 is no rate; allowed is 0 to 1, or 0% to 100%"),
        ("error_rate <= 101%", "101% is no rate"),
        ("mean >= 80%", "80% is a share, which mean is not"),
        ("tags:smoke pass_rate >= 1", "'tags:smoke' is neither the name of an evaluator, nor tag:TAG, nor file:GLOB"),
        ("tag: pass_rate >= 1", "'tag:' is neither"),
        ("tag:'smoke pass_rate >= 1", "a quotation is not closed"),
    ],
)
def test_mistakes_are_named_with_what_is_allowed(text, problem):
    with pytest.raises(ConfigurationError) as raised:
        parse(text)
    assert str(raised.value).startswith(f"{text!r}: {problem}")


@given(st.text(alphabet="Relpas_t:g'\"<>=.09% ", max_size=30))
def test_any_text_is_a_gate_or_a_mistake(text):
    try:
        gate = parse(text)
    except ConfigurationError:
        return
    assert parse(gate.text) == gate
