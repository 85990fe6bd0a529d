from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.documents.positions import parse
from pytest_agentevals.documents.problems import pointer

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
INDENTS = st.none() | st.sampled_from([0, 2, "\t"])


def values_of(value, path=()):
    """Yield every path and value in document order."""
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from values_of(part, (*path, key))


@given(value=VALUES, indent=INDENTS, ascii_only=st.booleans())
def test_every_value_is_found_where_it_stands(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = parse(text)

    assert parsed.value == value
    offsets = [parsed.locate(path) for path, _ in values_of(value)]
    for offset, (path, part) in zip(offsets, values_of(value), strict=True):
        assert json.JSONDecoder().raw_decode(text, offset)[0] == part
        if path and isinstance(path[-1], str):
            assert json.JSONDecoder().raw_decode(text, parsed.locate(path, key=True))[0] == path[-1]
    assert offsets == sorted(set(offsets))


@given(value=VALUES, indent=INDENTS)
def test_lines_and_columns_count_from_one(value, indent):
    text = "\n " + json.dumps(value, indent=indent)
    parsed = parse(text)

    for path, _ in values_of(value):
        offset = parsed.locate(path)
        line, column = parsed.place(offset)
        assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == offset


@given(items=st.lists(VALUES), before=VALUES, indent=INDENTS)
def test_the_lines_of_items_are_those_of_their_offsets(items, before, indent):
    parsed = parse(json.dumps({"before": before, "items": items}, indent=indent))

    expected = [parsed.place(parsed.locate(("items", index)))[0] for index in range(len(items))]
    assert parsed.lines(("items",)) == expected


def test_what_does_not_exist_is_at_the_innermost_value_around_it():
    parsed = parse('{"items": [ {"a": [1]} ]}')

    assert parsed.locate(("items", 0, "b")) == 12
    assert parsed.locate(("items", 0, "a", 5)) == 18
    assert parsed.locate(("items", 3)) == 10
    assert parsed.locate(("other", "x")) == 0


@pytest.mark.parametrize(
    ("path", "written"), [((), ""), (("a/b", 0, "~"), "/a~1b/0/~0"), (("",), "/"), (("a\nb",), "/a\\nb")]
)
def test_pointers_are_json_pointers_on_one_line(path, written):
    assert pointer(path) == written


@given(text=st.text('{}[]",: 1a', max_size=12))
def test_what_the_standard_decoder_refuses_is_a_fault(text):
    try:
        json.loads(text)
    except ValueError:
        assert parse(text).faults
    else:
        assert all("duplicate key" in fault.message for fault in parse(text).faults)
