from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "content",
    [
        [{"prompt": "a", "expected_response": "b"}],
        {"prompts": ["a"], "expected_responses": ["b"]},
        {"items": [{"prompt": "a", "expected_response": "b"}]},
    ],
)
def test_legacy_forms_load_only_when_named_and_say_how_to_upgrade(desk, content):
    document = desk.load(content, explicit=True)

    (turn,) = document.items[0].turns
    assert (turn.prompt, turn.expected_response) == ("a", "b")
    (warning,) = document.warnings
    assert f"agentevals upgrade {document.path}" in warning
    (line,) = desk.refusal(content)
    assert line == '1:1: no "schemaVersion": such a document is used only where it is named explicitly'


def test_prompts_may_stand_without_expected_responses_and_beside_other_members(desk):
    content = {"prompts": ["a", "b"], "default_evaluators": {"ExactMatch": {}}}

    document = desk.load(content, explicit=True)

    assert [item.turns[0].expected_response for item in document.items] == [None, None]
    assert list(document.items[0].turns[0].options) == ["ExactMatch"]


@pytest.mark.parametrize("responses", [["a"], ["a", "b", "c"]])
def test_prompts_and_responses_must_be_as_many(desk, responses):
    content = {"prompts": ["a", "b"], "expected_responses": responses}

    assert desk.refusal(content, explicit=True) == [
        f'1:1: "prompts" has 2 entries, but "expected_responses" has {len(responses)}'
    ]


def test_problems_are_located_in_the_form_that_the_file_has(desk):
    assert desk.refusal('{"prompts": [1,\n "b"], "expected_responses": ["x",\n 2]}', explicit=True) == [
        "1:14: /prompts/0: must be a string, not 1",
        "3:2: /expected_responses/1: must be a string, not 2",
    ]
    assert desk.refusal('[{"prompt": "a"},\n {"promt": "b"}]', explicit=True) == [
        '2:3: /1/promt: unknown key "promt"; did you mean "prompt"?'
    ]


def test_items_have_the_lines_of_their_prompts(desk):
    for text in ('[{"prompt": "a"},\n {"prompt": "b"}]', '{"expected_responses": [], "prompts": ["a",\n "b"]}'):
        assert [item.line for item in desk.load(text, explicit=True).items] == [1, 2]


def test_a_misspelt_version_is_told_and_not_taken_for_a_legacy_form(desk):
    content = {"schemaVerison": "1.6.0", "items": [{"prompt": "a"}]}

    assert desk.refusal(content, explicit=True) == [
        '1:2: /schemaVerison: unknown key "schemaVerison"; did you mean "schemaVersion"?'
    ]
