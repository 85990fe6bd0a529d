from __future__ import annotations

from dataclasses import replace

import pytest
from sample_runs import evaluated, run_of, turn, verdict

from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.reports.comparison import Comparison
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.reports.merging import merged


def item(name, document="datasets/hr.json", line=1):
    return evaluated(name, turn(name, verdict("Relevance", 4)), document=document, line=line)


def test_parts_of_a_suite_become_one_run_in_the_order_of_its_documents():
    gate = GateResult(text="errors == 0", value=0.0, count=2, met=True)
    first = run_of(item("c", line=9), item("z", "datasets/it.json"), seconds=2.0, gates=(gate,))
    second = run_of(item("a", line=2), item("b", line=5), seconds=3.0)
    second = replace(second, about=replace(second.about, started="2026-11-30T09:00:00+00:00", judge="gpt-5 auto"))

    run = merged([first, second])

    assert [each.id for each in run.items] == ["a", "b", "c", "z"]
    assert (run.about.started, run.about.seconds) == ("2026-11-30T09:00:00+00:00", 5.0)
    assert run.about.judge == "gpt-4o auto, gpt-5 auto"
    assert run.about.agent == "app.bot:ask"
    assert set(run.about.documents) == {"datasets/hr.json", "datasets/it.json"}
    assert run.gates == (gate,)


def test_one_run_stays_as_it_is():
    run = run_of(item("a"), comparison=Comparison(baseline="b.json", baseline_started="", matched=1))

    assert merged([run]) is run


def test_what_was_interrupted_in_part_was_interrupted():
    first, second = run_of(item("a")), run_of(item("b"))

    assert merged([first, replace(second, about=replace(second.about, interrupted=True))]).about.interrupted


def test_the_same_item_twice_is_refused():
    with pytest.raises(ConfigurationError, match=r"^datasets/hr\.json::a is in two of the results"):
        merged([run_of(item("a")), run_of(item("a"))])
