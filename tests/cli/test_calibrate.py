"""``agentevals calibrate``: results documents beside people's labels."""

from __future__ import annotations

import csv
import json

import pytest
from sample_runs import HOSTILE, evaluated, run_of, turn, verdict

from pytest_agentevals.reports.formats import write as write_report

SCORES = [5, 4, 2, 1, 5, 4, 2, 1] * 5


@pytest.fixture
def results(tmp_path):
    """Write a results document with one evaluator."""
    items = [evaluated(f"i{n}", turn(f"{n}?", verdict("Relevance", score))) for n, score in enumerate(SCORES)]
    write_report(run_of(*items), tmp_path / "results.json")


@pytest.fixture
def labels(tmp_path, results):
    """Write labels that differ from four of the 40 verdicts, and one of an item that is not there."""
    rows = [f"i{n},Relevance,{'pass' if (score >= 3) is not (n < 4) else 'fail'}" for n, score in enumerate(SCORES)]
    (tmp_path / "labels.csv").write_text("\n".join(["id,evaluator,label", *rows, "gone,,pass"]))


def test_it_tells_how_well_the_evaluator_agrees(run, labels, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("calibrate", "results.json", "labels.csv")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "Relevance: substantial agreement beyond chance (kappa 0.80, 0.61 to 0.99)",
        "  labels        40 (20 pass, 20 fail)",
        "  agreement     90% (76.9% to 96.0%), 36 of 40; 2 false passes, 2 false fails",
        "  beyond chance kappa 0.80, 0.61 to 0.99",
        "  threshold     no other agrees better than 3 (36 of 40)",
        "  position      no bias that is more than chance (rho -0.03, p = 0.86; mean",
        "                error +0.00 in the lower half, +0.00 in the upper)",
        "  people          pass  fail  (the evaluator)",
        "    pass            18     2",
        "    fail             2    18",
        "  false passes:",
        "    datasets/hr.json::i0 [Relevance] 5/5 >= 3; people: fail: Because.",
        "    datasets/hr.json::i1 [Relevance] 4/5 >= 3; people: fail: Because.",
        "  false fails:",
        "    datasets/hr.json::i2 [Relevance] 2/5 < 3; people: pass: Because.",
        "    datasets/hr.json::i3 [Relevance] 1/5 < 3; people: pass: Because.",
        "",
        "1 label matches no verdict:",
        "  labels.csv:42 (gone)",
    ]


def test_json_says_the_same(run, labels):
    found = json.loads(run("calibrate", "results.json", "labels.csv", "--format", "json").out)

    (each,) = found["evaluators"]
    assert (each["evaluator"], each["count"], each["agreed"], each["agreement"]) == ("Relevance", 40, 36, 0.9)
    assert each["confusion"] == [[18, 2], [2, 18]]
    assert each["kappa"]["value"] == pytest.approx(0.8)
    assert each["threshold"]["interval"] == pytest.approx([0.769, 0.960], abs=1e-3)
    assert each["sentence"].startswith("substantial")
    assert found["unmatched"] == ["labels.csv:42 (gone)"]


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--min-kappa", "0.8"], 0, ""),
        (["--min-kappa", "0.81"], 1, "Error: Relevance: kappa 0.8 < 0.81 (n = 40)\n"),
        (["--min-agreement", "0.9"], 0, ""),
        (["--min-agreement", "0.95"], 1, "Error: Relevance: agreement 0.9 < 0.95 (n = 40)\n"),
    ],
)
def test_the_exit_code_answers_when_it_is_asked(run, labels, options, code, told):
    ran = run("calibrate", "results.json", "labels.csv", *options)
    assert (ran.code, ran.err) == (code, told)


def test_an_agreement_that_is_unknown_is_not_enough(run, results, write):
    write("labels.csv", "id,label\ni0,pass\n")
    ran = run("calibrate", "results.json", "labels.csv", "--min-kappa", "0")
    assert (ran.code, ran.err) == (1, "Error: Relevance: kappa unknown < 0 (n = 1)\n")


def test_labels_may_stand_in_the_eval_document(run, results, write):
    items = [{"prompt": "?", "extensions": {"id": "i2", "human": {"Relevance": 5}}}]
    write("hr.json", {"schemaVersion": "1.11.0", "items": items})
    assert "1 false fail\n" in run("calibrate", "hr.json", "results.json").out


def test_a_table_of_the_results_with_a_column_of_labels_is_a_file_of_labels(run, results, tmp_path):
    run("report", "results.json", "-o", "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "table.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "label"])
        writer.writeheader()
        writer.writerows({**row, "label": "pass" if place < 3 else ""} for place, row in enumerate(rows))

    found = json.loads(run("calibrate", "results.json", "table.csv", "--format", "json").out)
    assert (found["evaluators"][0]["confusion"], found["unmatched"]) == ([[2, 1], [0, 0]], [])


def test_the_page_has_the_calibration(run, labels, tmp_path):
    ran = run("calibrate", "results.json", "labels.csv", "-o", "page.html")
    assert (ran.code, ran.err) == (0, "report in page.html\n")
    assert "substantial agreement beyond chance" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["labels.csv"], "none of the files is a results document"),
        (["results.json"], "there are no labels"),
        (["results.json", "other.csv"], "other.csv: the first line must name the columns id and label."),
        (["results.json", "wrong.csv"], "wrong.csv:2: the label 'so-so' is not known; allowed are pass and fail"),
        (["results.json", "list.json"], "list.json: no eval document"),
        (["results.json", "labels.csv", "-o", "page.md"], "'page.md' must end with .html."),
        (["results.json", "gone.csv"], "'gone.csv' does not exist"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(run, labels, write, arguments, told):
    write("other.csv", HOSTILE)
    write("wrong.csv", "id,label\ni0,so-so\n")
    write("list.json", [1])
    ran = run("calibrate", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err.splitlines()[-1]
