from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.judge import UnusableAnswer
from pytest_agentevals.judge.answers import ScoreAnswer, read_object, read_score

LIKERT = {"scale": (1, 5), "skippable": True}
BINARY = {"scale": (0, 1), "skippable": True}

USABLE = {
    "an integer": ('{"score": 4}', 4),
    "a whole float": ('{"score": 4.0}', 4),
    "an exponent": ('{"score": 4e0}', 4),
    "a digit in quotes": ('{"score": "4"}', 4),
    "the lowest score": ('{"score": 1}', 1),
    "the highest score": ('{"score": 5}', 5),
    "completed": ('{"reason": "", "score": 3, "status": "completed"}', 3),
    "white space around": (' \n\t{"score": 2}\r\n', 2),
    "a byte order mark": ('\ufeff{"score": 2}', 2),
    "a code fence": ('```json\n{"score": 5}\n```', 5),
    "a bare code fence": ('```\n{"score": 5}\n```', 5),
    "prose before": ('Here is my judgment: {"score": 3}', 3),
    "prose after": ('{"score": 3}\n\nI hope that helps [1].', 3),
    "prose and a fence": ('Sure!\n```json\n{"score": 3}\n```\nAnything else?', 3),
    "braces in the reason": ('{"reason": "it says {score: 1} and }", "score": 3}', 3),
    "nested properties": ('{"score": 3, "properties": {"score": 1, "list": [{"score": 2}]}}', 3),
    "5 MB": (json.dumps({"reason": "very " * 1_000_000, "score": 4}), 4),
}

UNUSABLE = {
    "empty": "",
    "white space": " \n\t ",
    "prose": "I would give this a 4.",
    "a refusal": "I'm sorry, but I can't help with that.",
    "a tag": "<S0>thoughts</S0><S1>reason</S1><S2>4</S2>",
    "a bare number": "4",
    "a bare string": '"4"',
    "bare null": "null",
    "bare true": "true",
    "a list": "[4]",
    "a list of an object": '[{"score": 4}]',
    "a list of an object in prose": 'Scores: [{"score": 4}]',
    "a truncated list": '[{"score": 4}, {"sco',
    "no score": '{"reason": "good"}',
    "an empty object": "{}",
    "Score": '{"Score": 4}',
    "a score further down": '{"result": {"score": 4}}',
    "null": '{"score": null}',
    "true": '{"score": true}',
    "false": '{"score": false}',
    "half": '{"score": 3.5}',
    "nearly 4": '{"score": 3.9999999}',
    "7": '{"score": 7}',
    "0": '{"score": 0}',
    "-1": '{"score": -1}',
    "NaN": '{"score": NaN}',
    "infinity": '{"score": Infinity}',
    "overflow": '{"score": 1e999}',
    "NaN elsewhere": '{"score": 4, "properties": {"share": NaN}}',
    "a huge number": '{"score": ' + "9" * 5000 + "}",
    "half in quotes": '{"score": "3.5"}',
    "4.0 in quotes": '{"score": "4.0"}',
    "7 in quotes": '{"score": "7"}',
    "a padded digit": '{"score": " 4 "}',
    "a word": '{"score": "four"}',
    "4/5": '{"score": "4/5"}',
    "a digit of another script": '{"score": "٤"}',
    "a score in a list": '{"score": [4]}',
    "a score in an object": '{"score": {"value": 4}}',
    "a truncated object": '{"reason": "the answer is',
    "truncated after the score": '{"score": 4, "reason": "the answer',
    "a truncated fence": '```json\n{"score": 4,',
    "two objects": '{"score": 4} {"score": 2}',
    "two objects on lines": '{"score": 4}\n{"score": 4}',
    "two objects in prose": 'First {"score": 4}, then {"score": 2}.',
    "one object and a piece": '{"score": 4} {"sc',
    "a piece and one object": 'ore": 4} {"score": 4}',
    "the score twice": '{"score": 1, "score": 5}',
    "single quotes": "{'score': 4}",
    "a trailing comma": '{"score": 4,}',
    "a comment": '{"score": 4} // fine' + "}",
    "an unknown status": '{"score": 4, "status": "partial"}',
    "a failed status": '{"score": null, "status": "error"}',
    "skipped with a score": '{"score": 4, "status": "skipped"}',
    "half of a surrogate pair": '{"score": 4, "reason": "\\ud83d"}',
    "replaced bytes": '{"score": \ufffd4}',
    "nested too deeply": '{"score": 4, "properties": ' + "[" * 100_000,
    "5 MB of braces": "{" * 5_000_000,
    "5 MB of words": "very " * 1_000_000,
}


@pytest.mark.parametrize(("text", "score"), USABLE.values(), ids=USABLE)
def test_one_json_object_with_a_whole_score_on_the_scale_is_usable(text, score):
    assert read_score(text, **LIKERT).score == score


@pytest.mark.parametrize("text", UNUSABLE.values(), ids=UNUSABLE)
def test_everything_else_is_unusable_and_said_so_in_one_line(text):
    with pytest.raises(UnusableAnswer, match=r"\Athe judge's [^\n]*\Z"):
        read_score(text, **LIKERT)


@pytest.mark.parametrize("score", ["0", "1", "1.0"])
def test_a_binary_judge_answers_exactly_0_or_1(score):
    assert read_score(f'{{"score": {score}}}', **BINARY).score == float(score)


@pytest.mark.parametrize("score", ["2", "-1", "0.5", '"1"', '"0"', "true", "false", "null", '"pass"', "[1]"])
def test_a_binary_judge_answers_nothing_else(score):
    with pytest.raises(UnusableAnswer):
        read_score(f'{{"score": {score}}}', **BINARY)


@pytest.mark.parametrize("rest", ["", ', "score": null'])
def test_a_judge_may_skip_where_its_prompt_says_so(rest):
    text = f'{{"status": "skipped", "reason": "The query is empty."{rest}}}'

    assert read_score(text, **LIKERT) == ScoreAnswer(score=None, reason="The query is empty.")
    with pytest.raises(UnusableAnswer, match="skipped"):
        read_score(text, scale=(1, 5), skippable=False)


@pytest.mark.parametrize(
    ("given", "read"), [('"Why not."', "Why not."), ("null", ""), ('["one", "zwö"]', '["one", "zwö"]'), ("3", "3")]
)
def test_a_reason_is_text_and_may_be_missing(given, read):
    assert read_score(f'{{"score": 3, "reason": {given}}}', **LIKERT).reason == read
    assert read_score('{"score": 3}', **LIKERT).reason == ""


def test_what_else_the_prompt_asked_for_is_kept():
    assert read_score('{"score": 3, "properties": {"calls": 2}}', **LIKERT).properties == {"calls": 2}
    assert read_score('{"score": 3, "properties": null}', **LIKERT).properties is None


def test_reading_takes_time_in_proportion_to_the_length():
    texts = ["{" * 5_000_000, '{"a":' * 1_000_000, '{"score": 4} ' * 400_000, "[" * 5_000_000]
    started = time.process_time()
    for text in texts:
        with pytest.raises(UnusableAnswer):
            read_score(text, **LIKERT)
    assert time.process_time() - started < 5


plain_prose = st.text(st.characters(exclude_characters="{}[]", exclude_categories=["Cs"]))


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers()), plain_prose, plain_prose)
def test_any_object_is_found_within_any_prose_without_brackets(answer, before, after):
    assert read_object(f"{before}{json.dumps(answer)}{after}") == answer


@given(st.text())
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(UnusableAnswer):
        assert isinstance(read_object(text), dict)


@given(st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.lists(st.integers(1, 5)))
def test_no_json_value_but_a_whole_number_on_the_scale_becomes_a_score(value):
    try:
        score = read_score(json.dumps({"score": value}), **LIKERT).score
    except UnusableAnswer:
        return
    assert type(value) in {int, float, str}
    assert value in {score, str(score)}
