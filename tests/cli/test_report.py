"""Reports of results that are there, without a run."""

from __future__ import annotations

import pytest
from public_schema import read_results
from sample_runs import evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.reports.document import render
from pytest_agentevals.reports.restore import restore


def part(name):
    return render(run_of(evaluated(name, turn(name, verdict("Relevance", 4)))))


def test_any_format_is_made_of_results(run, write, tmp_path):
    write("out.json", render(sample_run()))

    assert run("report", "out.json", "-o", "new/page.html", "-o", "copy.json") == (
        0,
        "report in new/page.html\nreport in copy.json\n",
        "",
    )
    assert (tmp_path / "new/page.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert (tmp_path / "copy.json").read_bytes() == (tmp_path / "out.json").read_bytes()


def test_several_results_are_reported_as_one_run(run, write, tmp_path):
    write("one.json", part("first"))
    write("two.json", part("second"))

    assert run("report", "one.json", "two.json", "-o", "all.json").code == 0

    read_results(tmp_path / "all.json")
    assert [item.id for item in restore(tmp_path / "all.json").items] == ["first", "second"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("out.json", "-o", "page.pdf"), "Error: 'page.pdf' has the extension of no report; allowed are .json, .html"),
        (("data.json", "-o", "page.html"), "Error: data.json: has no results: no item has scores or a status\n"),
        (("out.json", "out.json", "-o", "page.html"), "Error: datasets/hr.json::it is in two of the results: only "),
        (("missing.json", "-o", "page.html"), "File 'missing.json' does not exist."),
        (("out.json",), "Error: Missing option '-o' / '--output'."),
        (("out.json", "-o", "data.json/page.html"), "Error: data.json/page.html: cannot be written: "),
    ],
)
def test_what_cannot_be_reported_is_said_and_nothing_is_written(run, write, tmp_path, arguments, message):
    write("out.json", part("it"))
    write("data.json", {"schemaVersion": "1.6.0", "items": [{"prompt": "Q?"}]})
    before = sorted(tmp_path.iterdir())

    code, out, err = run("report", *arguments)

    assert (code, out) == (2, "")
    assert message in err
    assert sorted(tmp_path.iterdir()) == before
