"""Files that are not what they should be: one clear refusal, never a traceback."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentevals.documents.load import load
from pytest_agentevals.errors import DocumentError

TEXT = '{"schemaVersion": "1.6.0",\n "items": [{"prompt": "größer ☃?"}]}'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_encodings_are_read_with_and_without_byte_order_mark(desk, encoding):
    document = desk.load(TEXT.encode(encoding))

    assert [(item.line, item.turns[0].prompt) for item in document.items] == [(2, "größer ☃?")]


def test_invalid_utf_8_is_refused_with_the_place_of_the_byte(desk):
    (line,) = desk.refusal(TEXT.encode("latin-1", "replace"))

    assert line.startswith("2:26: not valid UTF-8: byte 0xf6 at position 52")


def test_a_byte_order_mark_does_not_shift_the_places_of_errors(desk):
    (line,) = desk.refusal(b"\xef\xbb\xbf" + TEXT.encode("latin-1", "replace"))
    assert line.startswith("2:26: not valid UTF-8: byte 0xf6 at position 55")

    assert desk.refusal(b"\xef\xbb\xbf nonsense") == ["1:2: not JSON: expecting value"]


def test_utf_16_that_breaks_off_is_refused(desk):
    (line,) = desk.refusal(TEXT.encode("utf-16-le")[:-1])

    assert "not valid UTF-16" in line


@pytest.mark.parametrize("content", [b"", b" \r\n\t"])
def test_an_empty_file_is_refused(desk, content):
    assert desk.refusal(content) == ["1:1: the file is empty"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"items": [\n  {"prompt": "a"},\n]}', "3:1: not JSON: expecting value"),
        ('{"items": [{"prompt": "a"} {"prompt": "b"}]}', "1:28: not JSON: expecting ',' delimiter"),
        ('{"items" [1]}', "1:10: not JSON: expecting ':' delimiter"),
        ("{'items': 1}", "1:2: not JSON: expecting property name enclosed in double quotes"),
        ('{"items": [1]} x', "1:16: not JSON: nothing may follow the end of the value"),
        ('{"items": ["a\nb"]}', "1:14: not JSON: invalid control character at"),
        ('{"items": [', "1:12: not JSON: expecting value"),
        ("nonsense", "1:1: not JSON: expecting value"),
    ],
)
def test_broken_json_is_refused_where_it_breaks(desk, text, line):
    assert desk.refusal(text) == [line]


@pytest.mark.parametrize("value", ["null", "true", "3", '"text"'])
def test_json_that_is_no_object_is_refused(desk, value):
    assert desk.refusal(value, explicit=True) == [f"1:1: an eval document is an object, not {value}"]


def test_duplicate_keys_are_refused_with_both_places_on_every_level(desk):
    text = """{"schemaVersion": "1.6.0",
 "items": [
  {"prompt": "a",
   "prompt": "b"},
  {"prompt": "c", "extensions": {"x": [{"y": 1}, {"y": 1, "\\u0079": 2}]}}],
 "schemaVersion": "1.7.0"}"""

    assert desk.refusal(text) == [
        '4:4: duplicate key "prompt": it is already on line 3',
        '5:59: duplicate key "y": it is already on line 5',
        '6:2: duplicate key "schemaVersion": it is already on line 1',
    ]


def test_what_is_no_strict_json_and_what_is_no_eval_document_are_told_together(desk):
    text = """{"schemaVersion": "1.6.0",
 "items": [
  {"prompt": "a", "prompt": 5},
  {"prompt": "b", "evaluators": {"Relevance": {"threshold": NaN}, "Coherence": {"threshold": 1e999}}},
  {"prompt": "c", "evaluators": {"Relevence": {"threshold": 9}}},
  {"prompt": "d", "expeceted_response": Infinity}]}"""

    assert desk.refusal(text) == [
        '3:19: duplicate key "prompt": it is already on line 3',
        "3:29: /items/0/prompt: must be a string, not 5",
        "4:61: NaN is no number that JSON can carry",
        "4:94: 1e999 is no number that JSON can carry",
        '5:34: /items/2/evaluators/Relevence: unknown evaluator "Relevence"; did you mean "Relevance"?',
        '6:19: /items/3/expeceted_response: unknown key "expeceted_response"; did you mean "expected_response"?',
        "6:41: Infinity is no number that JSON can carry",
    ]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_json_does_not_have_are_refused(desk, number):
    text = '{"schemaVersion": "1.6.0", "items": [{"prompt": "NaN", "extensions": {"x": [1, %s]}}]}'

    assert desk.refusal(text % number) == [f"1:80: {number} is no number that JSON can carry"]


def test_a_monstrous_integer_is_refused(desk):
    text = '{"schemaVersion": "1.6.0", "items": [{"prompt": "a", "extensions": {"x": %s}}]}'

    (line,) = desk.refusal(text % ("1" * 10_000))

    assert line.endswith("111 is no number that JSON can carry")
    assert len(line) < 120


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"x": ', "}"), ('[{"x": ', "}]")])
@pytest.mark.parametrize("levels", [102, 10_000, 100_000])
def test_too_deep_nesting_is_refused_where_it_gets_too_deep(desk, opening, closing, levels):
    deep = opening * levels + "1" + closing * levels

    for key in ("extensions", "items"):
        (line,) = desk.refusal(f'{{"schemaVersion": "1.6.0", "{key}": {deep}, "items": [1]}}')[:1]
        assert "nested too deeply: more than 100 levels" in line


def test_nesting_up_to_the_limit_is_fine(desk):
    deep = json.loads("[" * 98 + "]" * 98)

    assert desk.items({"prompt": "a", "extensions": {"x": deep}}).items[0].extensions == {"x": deep}


@pytest.mark.parametrize("text", [r"\ud800", r"x\uDC00", r"\ud83d\ud83d\ude00", r"\\\udfff", r"\ud800\n"])
def test_half_a_surrogate_pair_is_refused(desk, text):
    (line,) = desk.refusal(f'{{"schemaVersion": "1.6.0", "items": [{{"prompt": "{text}"}}]}}')

    assert "is half of a surrogate pair" in line


@pytest.mark.parametrize(("text", "prompt"), [(r"\ud83d\ude00", "😀"), (r"\\ud800", r"\ud800"), (r"\u00e9\\", "é\\")])
def test_whole_pairs_and_escaped_backslashes_are_fine(desk, text, prompt):
    document = desk.load(f'{{"schemaVersion": "1.6.0", "items": [{{"prompt": "{text}"}}]}}')

    assert document.items[0].turns[0].prompt == prompt


def test_what_cannot_be_read_is_refused_in_one_line(desk):
    folder = desk.folder / "x.json"
    folder.mkdir()
    broken = desk.folder / "memory.json"
    broken.symlink_to("/proc/self/mem")
    missing = desk.folder / "missing.json"

    for path in (folder, missing, *([broken] if broken.exists() else [])):
        with pytest.raises(DocumentError, match=r"^\S+\.json: cannot be read: [^\n]+$"):
            load(path, desk.catalog)


KEYS = st.sampled_from(
    [
        "schemaVersion",
        "items",
        "prompt",
        "turns",
        "evaluators",
        "default_evaluators",
        "evaluators_mode",
        "extensions",
        "id",
        "tags",
        "metadata",
        "scores",
        "relevance",
        "result",
        "error",
        "response",
        "citations",
        "index",
        "diagnostics",
        "retrieval_executions",
        "tool_calls",
        "ExactMatch",
        "Citations",
        "RetrievalQuery",
        "RetrievalResult",
        "threshold",
        "capability",
        "options",
        "expected_items",
        "prompts",
        "expected_responses",
        "name",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["1.6.0", "2.0.0", "extend", "replace", "error", "pass"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(), inner, max_size=5),
    max_leaves=25,
)
ITEMS = st.dictionaries(KEYS, VALUES, max_size=4).map(lambda item: {"prompt": "a", **item})
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=3).flatmap(
    lambda top: st.lists(ITEMS, max_size=3).map(lambda items: {"schemaVersion": "1.6.0", "items": items, **top})
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(value=VALUES | DOCUMENTS, ascii_only=st.booleans())
def test_loading_any_json_gives_a_document_or_a_refusal_without_control_characters(desk, value, ascii_only):
    path = desk.write(json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))

    try:
        document = load(path, desk.catalog, explicit=True)
    except DocumentError as error:
        lines = str(error).splitlines()
        assert lines
        assert all(line.isprintable() for line in lines)
    else:
        assert document.items


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.binary() | st.text('{}[]",:\\ua0 \n', max_size=40).map(str.encode))
def test_loading_any_bytes_gives_a_document_or_a_refusal(desk, data):
    with pytest.raises(DocumentError):
        load(desk.write(data), desk.catalog, explicit=True)
