from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.documents.identifiers import Named, identifiers, legal, slug


def ids(*prompts):
    return identifiers([Named(place, (prompt,)) for place, prompt in enumerate(prompts)])[0]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("What is our remote-work policy?", "what-is-our-remote-work-policy"),
        ("  Größe: 5 µm!  ", "größe-5-µm"),
        ("你好。世界", "你好-世界"),
        ("मुझे छुट्टी चाहिए", "मुझे-छुट्टी-चाहिए"),
        ("سياسة العمل", "سياسة-العمل"),
        ("e\u0301te\u0301", "été"),
        ("a::b[1]\n\x00c", "a-b-1-c"),
        ("🎉", "item"),
        ("?!", "item"),
        ("word " * 30, "word-word-word-word-word-word-word-word-word-word-word-word"),
        ("x" * 10_000, "x" * 60),
    ],
)
def test_a_slug_keeps_the_words_of_any_script(prompt, expected):
    assert slug(prompt) == expected


def test_a_cut_slug_does_not_part_a_letter_from_its_marks():
    cut = slug("\u0915\u093f" * 59 + "x")

    assert len(cut) <= 60
    assert slug("x" * 59 + "\u0915\u093f\u0902" * 5) == "x" * 59


def test_items_that_share_a_slug_but_not_the_prompt_all_get_a_hash():
    first, second, third = ids("Why?", "why!", "Other")

    assert third == "other"
    assert first != second
    assert {len(first), len(second)} == {len("why-123456")}
    assert ids("why!", "Why?")[1] == first


def test_only_identical_prompts_are_numbered_in_the_order_of_the_file():
    assert ids("Why?", "Why?", "Other", "Why?") == ["why", "why-2", "other", "why-3"]
    first, second, third = ids("Why?", "Why!", "Why?")
    assert third == f"{first}-2"
    assert second != first


def test_a_number_never_takes_the_id_of_another_item():
    assert ids("a", "a", "a 2", "a") == ["a", "a-3", "a-2", "a-4"]


def test_explicit_ids_are_kept_and_never_yield():
    named = [Named(0, ("b",)), Named(1, ("x",), "b"), Named(2, ("y",), "B 2"), Named(3, ("z",), "")]

    found, duplicates = identifiers(named)

    assert (found[1:], duplicates) == (["b", "B 2", "z"], [])
    assert found[0].startswith("b-")


def test_threads_go_by_their_name_and_differ_by_their_turns():
    named = [Named(0, ("a", "b"), None, "Trip"), Named(1, ("a", "c"), None, "Trip"), Named(2, ("x",), None, "Once")]

    found, _ = identifiers(named)

    assert found[2] == "Once"
    assert found[0] != found[1]
    assert all(name.startswith("Trip-") for name in found[:2])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("refund policy / 2", "refund policy / 2"),
        ("a::b", "a:b"),
        ("::a:::", "a"),
        ("a[1]", "a(1)"),
        ("a\nb\x00\x7f\u2028c", "a b c"),
        ("\ud800", ""),
        ("क\u200dष", "क\u200dष"),
        ("\u202egnp", "gnp"),
    ],
)
def test_an_explicit_id_changes_only_where_it_must(text, expected):
    assert legal(text) == expected


def test_long_explicit_ids_that_differ_at_the_end_stay_different():
    first, second = legal("x" * 10_000 + "1"), legal("x" * 10_000 + "2")

    assert first != second
    assert len(first) < 120


PROMPTS = st.text(st.characters(codec=None), min_size=1) | st.sampled_from(
    ["a", "A", "a!", "a 2", "a-2", "a-3", "item"]
)
NAMED = st.builds(
    lambda prompt, explicit, name: (prompt, explicit, name),
    PROMPTS,
    st.none() | PROMPTS,
    st.none() | PROMPTS,
)


@given(offered=st.lists(NAMED, max_size=12))
def test_ids_are_unique_and_legal_whatever_the_document_says(offered):
    named = [Named(place, (prompt,), explicit, name) for place, (prompt, explicit, name) in enumerate(offered)]

    found, duplicates = identifiers(named)

    if not duplicates:
        assert len(set(found)) == len(found)
    for name in found:
        assert name
        assert not {"::", "[", "]"} & {name[at : at + size] for size in (1, 2) for at in range(len(name))}
        assert all(unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"} for character in name)
        name.encode()


def test_many_identical_prompts_take_linear_time():
    assert ids(*["same"] * 50_000)[-1] == "same-50000"
