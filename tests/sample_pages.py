"""A run with everything that a page has a place for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from sample_runs import HOSTILE, error, evaluated, sample_run, turn, verdict

from pytest_agentevals.reports.comparison import Change, Comparison, EvaluatorChange
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.responses import Extract, IssuedQuery, RetrievalExecution, RetrievalHit
from pytest_agentevals.results import ItemResult, Outcome, packed

LONG = "word " * 200_000


def judged_by_three():
    parts = (
        verdict("Relevance", 4, part="gpt-4o", reason="Fits."),
        verdict("Relevance", 2, part="mistral", reason="Does not fit."),
        replace(error("Relevance"), part="qwen"),
    )
    whole = replace(verdict("Relevance", 2, reason="One of 3 judges says pass."), parts=parts)
    return evaluated("three-judges", turn("Is it open?", whole), tags=["smoke"], line=50)


def repeated():
    answers = [turn("Again?", verdict("Relevance", score), text=f"Answer {score}") for score in (4, 5, 1)]
    whole = turn("Again?", replace(verdict("Relevance", 4), parts=tuple(each.verdicts[0] for each in answers)))
    item = evaluated("repeated", whole, line=60)
    result = ItemResult(turns=[whole], repeats=[ItemResult(turns=[each]) for each in answers])
    return replace(item, run=replace(item.run, result=packed(result)))


def retrieved():
    hit = RetrievalHit(rank=2, webUrl="javascript:alert(1)", extracts=(Extract(text="Ask for REMOTE WORK early."),))
    execution = RetrievalExecution(
        capability="Files", queries=(IssuedQuery(queryString="remote work policy"),), retrievalHits=(hit,)
    )
    found = verdict(
        "RetrievalResult",
        0.5,
        threshold=1,
        scale=(0, 1),
        judged=False,
        details={"matched_items": [{"extractMatch": "remote work"}], "missing_items": [{"extractMatch": "notice"}]},
    )
    asked = turn("Remote?", found, retrieval_executions=(execution,), tool_calls=[{"plugin_name": "Files"}])
    item = evaluated("retrieved", asked, line=70)
    return replace(item, evaluators=({"RetrievalQuery": {"selector": "policy"}, "RetrievalResult": {}},))


def compared():
    change = {"document": "datasets/hr.json", "name": "Relevance"}
    return Comparison(
        baseline="baseline.json",
        baseline_started="2026-11-29T10:00:00+00:00",
        matched=6,
        remarks=("the baseline was judged by gpt-4o-mini, this run by gpt-4o",),
        added=("datasets/hr.json::new",),
        removed=(HOSTILE,),
        regressions=(
            Change(
                item="datasets/hr.json::one-fails",
                before=Outcome.PASS,
                after=Outcome.FAIL,
                before_score=4,
                after_score=2,
                reason=HOSTILE,
                **change,
            ),
        ),
        fixed=(
            Change(item="datasets/hr.json::gone", before=Outcome.ERROR, after=Outcome.PASS, after_score=5, **change),
        ),
        changed=(
            Change(
                item="datasets/hr.json::all-good",
                before=Outcome.PASS,
                after=Outcome.PASS,
                before_score=4,
                after_score=5,
                **change,
            ),
        ),
        evaluators=(
            EvaluatorChange(
                evaluator="Relevance",
                pairs=40,
                worse=9,
                better=1,
                before_pass_rate=0.9,
                after_pass_rate=0.7,
                before_mean=4.1,
                after_mean=3.6,
                outcome_p=0.021,
                lower=11,
                higher=2,
                p=0.0012,
                direction=-1,
                score_p=0.0004,
            ),
            EvaluatorChange(
                evaluator="Coherence",
                pairs=40,
                worse=1,
                better=1,
                before_pass_rate=0.9,
                after_pass_rate=0.9,
                before_mean=4.1,
                after_mean=4.0,
                outcome_p=1.0,
                p=0.6,
                score_p=0.6,
            ),
            EvaluatorChange(
                evaluator="Tone",
                pairs=3,
                worse=0,
                better=0,
                before_pass_rate=1.0,
                after_pass_rate=1.0,
                before_mean=0.6,
                after_mean=0.6,
                outcome_p=None,
                score_p=None,
            ),
        ),
    )


@cache
def full_run():
    """Return the sample run with gates, a comparison, several judges, repeats, evidence and a text of a megabyte."""
    run = sample_run(
        gates=(
            GateResult(text="Relevance pass_rate >= 0.9", value=0.75, count=8, met=False),
            GateResult(text="errors <= 5", value=2, count=12, met=True, enforced=False),
        ),
        comparison=compared(),
    )
    tolerated = evaluated(
        "tolerated",
        turn("Why?", verdict("Relevance", 2)),
        tolerated={"Relevance": "Relevance pass_rate >= 0.9"},
        tags=[HOSTILE],
        line=80,
    )
    long = evaluated("long", turn("Long?", verdict("Relevance", 4), text=LONG), line=90)
    extra = judged_by_three(), repeated(), retrieved(), tolerated, long
    return replace(run, about=replace(run.about, interrupted=True), items=(*run.items, *extra))


def many(count):
    """Return a run of so many items with three verdicts each."""
    answer = "Employees may work from home two days a week after their first three months. " * 3
    expected = "Employees may work from home for two days a week after the first three months. " * 3
    items = [
        evaluated(
            f"item-{number}",
            turn(
                f"How many days a week may I work from home, case {number}?",
                verdict(
                    "Relevance", 1 + number % 5, reason="The response answers the question and leaves little open."
                ),
                verdict("Coherence", 1 + number % 4, reason="It reads well from the first sentence to the last."),
                verdict("F1Score", number % 10 / 10, threshold=0.5, scale=(0, 1), judged=False),
                text=answer,
                expected=expected,
            ),
            document=f"datasets/part-{number % 20}.json",
            line=number,
            tags=[f"tag-{number % 7}"],
        )
        for number in range(count)
    ]
    run = sample_run()
    return replace(run, items=tuple(items))
