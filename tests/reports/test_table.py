"""CSV as Python's own reader, and a spreadsheet, take it."""

from __future__ import annotations

import csv
import io
import re

import pytest
from generated_runs import runs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_runs import error, evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.reports.cases import Kind, Trouble
from pytest_agentevals.reports.table import COLUMNS, LONGEST, render
from pytest_agentevals.reports.visible import visible
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import TurnError, TurnResult

NUMBERS = {
    "line",
    "turn",
    "score",
    "threshold",
    "scale_low",
    "scale_high",
    "latency_ms",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "judge_seconds",
    "seconds",
    "parts",
    "parts_passed",
}


def read(run):
    """Read a run's rows back, as they stand in a file."""
    text = render(run).encode().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def only(*verdicts, **rest):
    (row, *more) = read(run_of(evaluated("a", turn("?", *verdicts, **rest))))
    assert not more
    return row


def test_every_verdict_is_a_row_and_so_is_an_item_without():
    rows = read(sample_run())

    assert [(row["item"], row["turn"], row["evaluator"], row["outcome"]) for row in rows] == [
        ("all-good", "", "Relevance", "pass"),
        ("all-good", "", "Coherence", "pass"),
        ("one-fails", "", "Relevance", "fail"),
        ("one-fails", "", "F1Score", "fail"),
        ("hostile", "", "Relevance", "fail"),
        ("undecided", "", "Relevance", "pass"),
        ("undecided", "", "Coherence", "error"),
        ("thread", "1", "Relevance", "pass"),
        ("thread", "2", "Relevance", "pass"),
        ("thread", "2", "Tone", "pass"),
        ("no-answer", "", "", "error"),
        ("crashed", "", "", "error"),
    ]
    assert rows[0]["tags"] == "smoke"
    assert (rows[6]["code"], rows[6]["reason"]) == ("judgeTimeout", "no answer within 120 s")
    assert (rows[10]["code"], rows[10]["prompt"]) == ("agentTimeout", "Hello?")
    assert rows[11]["code"] == "workerCrashed"


def test_a_row_says_all_of_its_verdict():
    row = only(
        verdict("Relevance", 2, parts=(verdict("Relevance", 2), verdict("Relevance", 4))), text="No.", expected="Yes."
    )

    assert list(row) == list(COLUMNS)
    assert row == {
        "document": "datasets/hr.json",
        "line": "3",
        "item": "a",
        "tags": "",
        "turn": "",
        "evaluator": "Relevance",
        "level": "turn",
        "outcome": "fail",
        "counted_as": "failure",
        "tolerated": "false",
        "score": "2",
        "threshold": "3",
        "scale_low": "1",
        "scale_high": "5",
        "reason": "Because.",
        "code": "",
        "prompt": "?",
        "response": "No.",
        "expected_response": "Yes.",
        "source": "asked",
        "latency_ms": "1200.5",
        "judge_model": "gpt-4o",
        "replayed": "false",
        "prompt_tokens": "100",
        "completion_tokens": "20",
        "cost": "0.001",
        "judge_seconds": "0.5",
        "seconds": "0.5",
        "parts": "2",
        "parts_passed": "1",
    }


def test_what_a_gate_tolerates_or_a_mark_expects_is_a_fail_that_counts_as_skipped():
    failing = turn("?", verdict("Relevance", 1))
    tolerated, expected = read(
        run_of(
            evaluated("a", failing, tolerated={"Relevance": "Relevance mean >= 1"}),
            evaluated("b", failing, xfail="known"),
        )
    )

    assert (tolerated["outcome"], tolerated["counted_as"], tolerated["tolerated"]) == ("fail", "skipped", "true")
    assert (expected["outcome"], expected["counted_as"], expected["tolerated"]) == ("fail", "skipped", "false")


def test_an_item_that_was_skipped_or_interrupted_is_a_row():
    skipped = evaluated("a", troubles=[Trouble(Kind.SKIPPED, "pytest.skip", "later")])
    rows = read(run_of(skipped, evaluated("b")))

    assert [(row["item"], row["outcome"], row["reason"]) for row in rows] == [
        ("a", "skipped", "later"),
        ("b", "skipped", "the item was not evaluated"),
    ]


def test_evaluators_of_an_unanswered_turn_are_rows():
    silent = TurnResult(
        prompt="?", index=2, evaluators=("Relevance",), error=TurnError(code="agentTimeout", message="No.")
    )
    rows = read(run_of(evaluated("a", turn("!", verdict("Relevance", 5), index=1), silent)))

    assert [(row["turn"], row["outcome"], row["code"]) for row in rows] == [
        ("1", "pass", ""),
        ("2", "error", "agentTimeout"),
    ]


@pytest.mark.parametrize(
    "text",
    ["=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", " =1+1", "\n\t-1", "\u3000=1", "＝1+1", "＠x"],  # noqa: RUF001
)
def test_no_text_is_a_formula(text):
    row = only(verdict("Relevance", 2, reason=text), text=text, expected=text)

    assert {row["reason"], row["response"], row["expected_response"]} == {f"'{visible(text)}"}


@pytest.mark.parametrize("text", ["", "yes", "1-1", "a=b", "me@here.example", "'quoted'", 'say "=1"', "a;b,c", "(-1)"])
def test_other_text_is_untouched(text):
    assert only(verdict("Relevance", 2), text=text)["response"] == text


def test_numbers_are_written_in_full_and_never_as_text():
    row = only(verdict("Custom", -0.1234567890123456, threshold=1 / 3, scale=(-1, None)))

    assert float(row["score"]) == -0.1234567890123456
    assert float(row["threshold"]) == 1 / 3
    assert (row["scale_low"], row["scale_high"]) == ("-1", "")


def test_what_is_unknown_is_empty():
    row = only(error("Relevance"))

    assert {row[name] for name in ("score", "threshold", "judge_model", "cost", "prompt_tokens", "parts")} == {""}


def test_control_characters_are_visible():
    row = only(verdict("Relevance", 2), text="a\x00b\x1b]8;;\u202ec\r\nd\re")

    assert row["response"] == "a\\x00b\\x1b]8;;\\u202ec\nd\\x0de"


def test_a_text_fits_into_a_cell():
    row = only(verdict("Relevance", 2), text="word " * 100_000)

    assert len(row["response"]) < LONGEST + 100
    assert row["response"].endswith("more characters)")


def test_the_file_is_utf8_with_a_mark_and_rows_end_with_cr_lf():
    data = render(run_of(evaluated("a", turn("日本\n二", verdict("Relevance", 2))))).encode()

    assert data.startswith(b'\xef\xbb\xbf"document",')
    assert data.count(b"\r\n") == 2
    assert data.endswith(b"\r\n")
    assert "日本\n二".encode() in data


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(run=runs(), text=st.text())
def test_rows_come_back_whatever_the_run_says(run, text):
    response = AgentResponse(text=text)
    more = evaluated("more", TurnResult(prompt=text, response=response, verdicts=[verdict(text, 3, reason=text)]))
    run = run_of(*run.items, more)
    rows = read(run)

    assert len(rows) == sum(len(list(item.cases())) or 1 for item in run.items)
    for row in rows:
        for name, value in row.items():
            assert name in NUMBERS or not re.match(r"[\t\r\n]|\s*[=+\-@]", value)
            if name in NUMBERS and value not in {"", "true", "false"}:
                float(value)
    assert rows[-1]["response"].removeprefix("'") == visible(text).removeprefix("'")
