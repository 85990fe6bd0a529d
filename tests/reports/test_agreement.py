"""The figures of a run, read back from every format, are the same."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser

import pytest
from generated_runs import runs
from hypothesis import HealthCheck, given, settings
from markdown_page import Page
from sample_runs import sample_run

from pytest_agentevals.reports import document, html, markdown, table
from pytest_agentevals.reports.junit import Style, elements
from pytest_agentevals.reports.tally import Tally
from pytest_agentevals.reports.terminal import summary_lines

COUNTS = ("passed", "failed", "errors", "n/a")
OUTCOMES = dict(zip(("pass", "fail", "error", "not_applicable"), COUNTS, strict=True))
KINDS = {"failure", "error", "skipped"}


def from_rows(head, rows):
    """Take the counts of each evaluator from a table whose columns have titles."""
    titles = [title.lower() for title in head]
    found = {}
    for name, *cells in rows:
        counts = dict(zip(titles[1:], cells, strict=False))
        found[name] = {title: int(counts.get(title, 0)) for title in COUNTS}
        assert int(counts["n"]) == sum(found[name].values())
    return found


def from_terminal(text):
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith("evaluator ")), None)
    if start is None:
        return {}
    # Two spaces stand between columns, one may stand in their titles.
    rows = [re.split(r" {2,}", line) for line in lines[start:]]
    return from_rows(rows[0], [row for row in rows[1:] if len(row) == len(rows[0])])


def from_markdown(text):
    tables = [table for table in Page(text).tables if table[0][1] == "n"]
    return from_rows(tables[0][0], tables[0][1:]) if tables else {}


def from_html(text):
    page = Tables()
    page.feed(text)
    tables = [rows for rows in page.tables if len(rows[0]) > 1 and rows[0][1] == "n"]
    return from_rows(tables[0][0], tables[0][1:]) if tables else {}


class Tables(HTMLParser):
    """The cells of all tables of a page."""

    def __init__(self):
        super().__init__()
        self.tables = []
        self._inside = False

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - the parser's interface
        if tag == "table":
            # Some stand in a cell of another.
            self.tables.append([])
            self._inside = False
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"th", "td"}:
            self._inside = True
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        self._inside = self._inside and tag not in {"th", "td"}

    def handle_data(self, data):
        if self._inside:
            self.tables[-1][-1][-1] += data.strip()


def from_document(text):
    """Take the counts that the results document states."""
    counts = json.loads(text)["metadata"]["extensions"]["pytest-agentevals"]["counts"]["evaluators"]
    return {
        name: dict(zip(COUNTS, (each[key] for key in ("passed", "failed", "errors", "not_applicable")), strict=True))
        for name, each in counts.items()
    }


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def from_table(text):
    found = {}
    for row in rows_of(text):
        if row["evaluator"]:
            counts = found.setdefault(row["evaluator"], dict.fromkeys(COUNTS, 0))
            counts[OUTCOMES[row["outcome"]]] += 1
    return found


def kinds_of(cases):
    """Count JUnit XML's test cases by evaluator, and by what they count as."""
    found = Counter()
    for case in cases:
        name = re.search(r"\[(?:turn \d+: |conversation: )?([^\]]*)\]$", case.get("name"))
        kind = next((child.tag for child in case if child.tag in KINDS), "passed")
        found[name[1] if name else "", kind] += 1
    return found


def terminal_of(run):
    return "\n".join(line.text for line in summary_lines(Tally.of(item.run for item in run.items), 200))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(runs())
def test_every_format_counts_the_same_verdicts_of_each_evaluator(run):
    rows = table.render(run)
    expected = from_table(rows)

    assert from_terminal(terminal_of(run)) == expected
    assert from_markdown(markdown.render(run)) == expected
    assert from_html(html.render(run)) == expected
    assert from_document(document.render(run)) == expected
    ours = Counter((row["evaluator"], row["counted_as"]) for row in rows_of(rows))
    theirs = kinds_of(case for item in run.items for case in elements(item.run, Style()))
    silent = sum(not list(item.cases()) for item in run.items)
    assert ours - theirs == (Counter({("", "skipped"): silent}) if silent else Counter())
    assert not theirs - ours


def test_every_format_tells_the_same_judgments_and_tokens():
    run = sample_run()
    judged = [row for row in rows_of(table.render(run)) if row["judge_model"]]
    tokens = sum(int(row["prompt_tokens"]) + int(row["completion_tokens"]) for row in judged)
    cost = sum(float(row["cost"]) for row in judged)
    told = f"{len(judged)} judgments, {tokens} tokens, cost {cost:.4g}, "
    stated = json.loads(document.render(run))["metadata"]["extensions"]["pytest-agentevals"]["judgments"]
    facts = dict(re.findall(r"<dt>([\w ]+)</dt><dd>([^<]*)", html.render(run)))

    assert (stated["asked"], stated["tokens"], stated["cost"]) == (len(judged), tokens, pytest.approx(cost))
    assert told in markdown.render(run)
    assert Tally.of(item.run for item in run.items).judging.startswith(told)
    assert (facts["Judge calls"], facts["Tokens"], facts["Cost"]) == (str(len(judged)), str(tokens), f"{cost:.4g}")


def test_one_run_of_pytest_tells_the_same_everywhere(pytester):
    """A run with passes, fails, errors, verdicts that do not apply, and a thread whose agent fails."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def agent_client():
            def ask(prompt):
                if "fail" in prompt:
                    raise RuntimeError("no answer today")
                return "yes [1]"
            return ask
        """
    )
    expected = {"expected_response": "yes"}
    found = {
        "evaluators": {"Contains": {"all": "yes"}, "ExactMatch": {}, "Citations": {}},
        "evaluators_mode": "replace",
    }
    items = [
        {"prompt": "all", **expected, **found},
        {"prompt": "without expectation", **found},
        {"name": "breaks off", "turns": [{"prompt": prompt, **expected, **found} for prompt in ("a", "fail", "c")]},
        {"prompt": "fail at once", **found},
    ]
    pytester.path.joinpath("faq.json").write_text(json.dumps({"schemaVersion": "1.6.0", "items": items}))
    reports = [f"--evals-report=out.{extension}" for extension in ("json", "html", "md", "csv")]
    result = pytester.runpytest("-p", "no:xdist", *reports, "--junitxml=out.xml")

    def read(extension):
        return pytester.path.joinpath(f"out.{extension}").read_bytes().decode()

    counts = {
        "Contains": {"passed": 3, "failed": 0, "errors": 2, "n/a": 0},
        "ExactMatch": {"passed": 0, "failed": 2, "errors": 3, "n/a": 0},
        "Citations": {"passed": 3, "failed": 0, "errors": 2, "n/a": 0},
    }
    assert from_terminal(result.stdout.str()) == counts
    assert from_markdown(read("md")) == counts
    assert from_html(read("html")) == counts
    assert from_document(read("json")) == counts
    assert from_table(read("csv")) == counts
    assert kinds_of(ET.fromstring(read("xml")).iter("testcase")) == {
        ("Contains", "passed"): 3,
        ("Contains", "error"): 2,
        ("ExactMatch", "failure"): 2,
        ("ExactMatch", "error"): 3,
        ("Citations", "passed"): 3,
        ("Citations", "error"): 2,
        ("", "error"): 1,
    }
    assert result.stdout.lines[-1] == "evals: 2 failed, 8 could not be evaluated, 6 passed"
    assert read("md").startswith("### ❌ Evaluations: 2 failed, 8 could not be evaluated, 6 passed\n")
