"""A rubric that is generated again: what people did to it stays."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from rubrics.generated import answer

from pytest_agentevals.rubrics.definition import Definition
from pytest_agentevals.rubrics.generation import read_dimensions
from pytest_agentevals.rubrics.regeneration import changes, hand_edits, rubric_file, updated


def dimensions(**changed):
    return list(read_dimensions(json.dumps(answer(**changed))))


def ids(content):
    return [one["id"] for one in content["dimensions"]]


def by_id(content, name):
    return next(one for one in content["dimensions"] if one["id"] == name)


def test_a_new_file_has_no_hand_edits():
    content = rubric_file(dimensions(), "booking")

    assert content["name"] == "booking"
    assert hand_edits(content).told == ""
    assert updated(content, dimensions()) == content


def test_hand_edits_are_known_by_what_was_generated():
    content = rubric_file(dimensions(), "booking")
    by_id(content, "party_size")["weight"] = 2
    by_id(content, "intent_recognition")["rationale"] = "Another reason."
    content["dimensions"] = [one for one in content["dimensions"] if one["id"] != "confirmation"]
    content["dimensions"].append({"id": "tone", "description": "Addresses the guest by name.", "weight": 1})

    edits = hand_edits(content)
    assert edits.told == "edited by hand: party_size; added by hand: tone; removed by hand: confirmation"


def test_what_was_edited_added_and_removed_by_hand_stays_so_however_often_it_is_generated():
    content = rubric_file(dimensions(), "booking")
    content["threshold"] = 0.8
    by_id(content, "party_size")["weight"] = 2
    content["dimensions"] = [one for one in content["dimensions"] if one["id"] != "confirmation"]
    content["dimensions"].insert(0, {"id": "tone", "description": "Addresses the guest by name.", "weight": 1})

    for _ in range(3):
        content = updated(content, dimensions(most_important__description="Tells bookings from changes."))
        assert ids(content) == ["intent_recognition", "party_size", "tone", "general_quality"]
        assert by_id(content, "party_size")["weight"] == 2
        assert by_id(content, "intent_recognition")["description"] == "Tells bookings from changes."
        assert content["threshold"] == 0.8


def test_a_dimension_that_says_the_same_keeps_its_id():
    content = rubric_file(dimensions(), "booking")
    again = updated(content, dimensions(others__0__id="maximum_party", others__1__id="summary"))

    assert ids(again) == ids(content)


def test_ids_are_not_given_to_dimensions_that_say_something_else():
    content = rubric_file(dimensions(), "booking")
    other = {"others__0__id": "opening_hours", "others__0__description": "Books between 17:00 and 22:00 on open days."}

    assert ids(updated(content, dimensions(**other))) == [
        "intent_recognition",
        "opening_hours",
        "confirmation",
        "general_quality",
    ]


def test_a_file_that_was_never_generated_is_all_written_by_hand():
    content = {"dimensions": [{"id": "tone", "description": "Addresses the guest by name.", "weight": 9}]}
    again = updated(content, dimensions())

    assert ids(again) == ["intent_recognition", "party_size", "confirmation", "tone", "general_quality"]
    assert by_id(again, "tone") == content["dimensions"][0]


def test_every_change_is_told():
    content = rubric_file(dimensions(), "booking")
    other = {"others__0__id": "opening_hours", "others__0__description": "Books between 17:00 and 22:00 on open days."}
    again = updated(
        content, dimensions(**other, others__1__weight=5, most_important__description="Tells what is meant.")
    )

    assert list(changes(content["dimensions"], again["dimensions"])) == [
        "changed: intent_recognition, description",
        "new: opening_hours",
        "changed: confirmation, weight 3 to 5",
        "gone: party_size",
    ]


names = st.sampled_from(["intent_recognition", "party_size", "confirmation", "general_quality", "tone", "price"])


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(names, st.integers(1, 10), min_size=1))
def test_whatever_people_do_to_a_rubric_it_stays_one_and_theirs(edits):
    content = rubric_file(dimensions(), "booking")
    for name, weight in edits.items():
        if name in ids(content):
            by_id(content, name)["weight"] = weight
        else:
            content["dimensions"].append({"id": name, "description": f"What {name} means.", "weight": weight})
    edited = hand_edits(content)
    again = updated(json.loads(json.dumps(content)), dimensions(others__1__description="Asks for a telephone number."))

    assert Definition.model_validate_json(json.dumps(again))
    for name in (*edited.edited, *edited.added):
        assert by_id(again, name) == by_id(content, name)
    assert set(hand_edits(again).edited) <= set(edited.edited)
    assert hand_edits(again).added == edited.added
