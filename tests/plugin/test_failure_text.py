"""What a failure prints: everything needed to understand it, nothing else, harmless and readable at 80 columns."""

from __future__ import annotations

import os

import pytest
from sample_items import BAD, UNDECIDED, item

LONG = item(
    "long",
    response="The quick brown fox jumps over the lazy dog. " * 30,
    expected="The quick brown fox.",
    evaluators={"PartialMatch": {}},
)


def failure(result, heading):
    """The lines of one failure, from its heading to the next."""
    lines = result.stdout.lines
    start = next(index for index, line in enumerate(lines) if line.startswith("_") and heading in line)
    end = next(index for index, line in enumerate(lines[start + 1 :], start + 1) if line[:2] in {"__", "=="})
    # Under pytest-xdist the first line names the worker.
    return [line for line in lines[start + 1 : end] if not line.startswith("[gw")]


def test_a_failure_shows_place_conversation_score_and_reason(run_everywhere, write):
    path = write(BAD)
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if text == "    {")
    shown = failure(run_everywhere(), "bad [ExactMatch]")
    assert shown[:6] == [
        f"faq.json:{line}",
        "prompt    Is bad right?",
        "response  no",
        "expected  yes",
        "",
        "ExactMatch: no match",
    ]
    assert len(shown) > 6


def test_a_failure_has_no_traceback(run, write):
    write(BAD, UNDECIDED, item("silent", response=None))
    text = run().stdout.str()
    for word in ("Traceback", "raise ", "pytest_agentevals/", "items.py", ">   "):
        assert word not in text


def test_no_line_is_wider_than_80_columns(run, write, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    write(LONG, BAD, UNDECIDED)
    lines = run("--tb=long").stdout.lines
    # The lines above tell where the run takes place.
    assert max(map(len, lines[lines.index(f"{' ERRORS ':=^80}") :])) <= 80


def test_long_text_is_shortened_unless_everything_is_asked_for(run, write):
    write(LONG)
    short = "\n".join(failure(run(), "long [PartialMatch]"))
    assert "950 more characters)" in " ".join(short.split())
    full = " ".join(" ".join(failure(run("-vv"), "long [PartialMatch]")).split())
    assert "more characters" not in full
    assert full.count("quick brown fox jumps") == 30


def test_a_scored_failure_shows_score_scale_and_threshold(run, write):
    write(item("cited", response="See [1].", evaluators={"Citations": {"threshold": 2}}))
    result = run()
    result.stdout.fnmatch_lines(["Citations: 1 < 2 (scale 0 or more, passes from 2)"])
    result.stdout.fnmatch_lines(["SUBFAILED?Citations? faq.json::cited - 1 < 2: *"])


def test_a_score_just_below_its_threshold_does_not_look_like_it(run, write):
    evaluators = {"PartialMatch": {"threshold": 1}}
    write(item("near", response="word " * 999 + "other", expected="word " * 1000, evaluators=evaluators))
    run().stdout.fnmatch_lines(["PartialMatch: 0.999 < 1 (scale 0 to 1, passes from 1)"])


def test_the_item_says_in_one_sentence_how_it_ended(run, write):
    write(
        item(
            "both", response="no", evaluators={"ExactMatch": {}, "Latency": {"max_ms": 5}, "Contains": {"any": ["no"]}}
        )
    )
    run().stdout.fnmatch_lines(["FAILED faq.json::both - 1 of 3 evaluators failed: ExactMatch; 1 of 3*"])


def test_summary_lines_stay_one_line_on_ci(run_in_process, write, monkeypatch):
    monkeypatch.setenv("CI", "1")
    write(LONG)
    lines = run_in_process("--tb=no").stdout.lines
    summary = lines[next(index for index, line in enumerate(lines) if "short test summary" in line) + 1 : -2]
    assert [line.split()[0] for line in summary] == ["SUBFAILED[PartialMatch]", "FAILED"]


def test_foreign_control_characters_are_neutralised(run_in_process, write):
    write(item("\x1b]8;;evil", response="\x1b[2J\x1b]8;;http://evil\x07click\x1b]8;;\x07 \u202egnorw", expected="yes"))
    text = run_in_process("-rA", "-vv").stdout.str()
    assert "\x1b]" not in text
    assert "\x1b[2J" not in text
    assert "\u202e" not in text
    assert "\\x1b[2J" in text


@pytest.mark.parametrize("style", ["short", "long", "line", "native", "auto"])
def test_every_traceback_style_shows_the_verdict(run, write, style):
    write(BAD)
    result = run(f"--tb={style}")
    if style == "line":
        result.stdout.fnmatch_lines(["faq.json:*: no match: *"])
    else:
        result.stdout.fnmatch_lines(["ExactMatch: no match"])


def test_without_tracebacks_only_summary_lines_are_left(run, write):
    write(BAD)
    result = run("--tb=no")
    assert "prompt    " not in result.stdout.str()
    result.stdout.fnmatch_lines(["SUBFAILED?ExactMatch? faq.json::bad - no match: *"])


@pytest.mark.skipif(os.environ.get("NO_COLOR") is not None, reason="colours are switched off in this environment")
def test_colour_follows_pytest(run_everywhere, write):
    write(BAD, UNDECIDED)
    assert "\x1b[31m\x1b[1mExactMatch: no match\x1b[0m" in run_everywhere("--color=yes").stdout.str()
    assert "\x1b" not in run_everywhere("--color=no").stdout.str()


def test_text_in_any_script_is_shown_as_it_is(run, write):
    write(item("script", response="三日まで", expected="はい、週三日まで"))
    result = run()
    result.stdout.fnmatch_lines(["response  三日まで", "expected  はい、週三日まで"])


def test_places_are_relative_to_where_pytest_was_called(pytester, write, monkeypatch):
    pytester.makeini("[pytest]")
    write(BAD, name="data/faq.json")
    monkeypatch.chdir(pytester.path / "data")
    pytester.runpytest("-p", "no:xdist").stdout.fnmatch_lines(["faq.json:*", "SUBFAILED?ExactMatch? faq.json::bad - *"])
