"""What the user reads where a document is wrong."""

from __future__ import annotations

import json

import pytest

ITEM = {"prompt": "a"}


def test_all_problems_of_a_file_are_told_in_its_order_each_with_its_place(desk):
    text = """{
  "schemaVersion": "1.6.0",
  "default_evaluator": {},
  "items": [
    {
      "prompt": "a",
      "expeceted_response": "b"
    },
    { "prompt": 5, "evaluators": { "Relevence": {} } }
  ],
  "metadata": []
}"""

    assert desk.refusal(text) == [
        '3:3: /default_evaluator: unknown key "default_evaluator"; did you mean "default_evaluators"?',
        '7:7: /items/0/expeceted_response: unknown key "expeceted_response"; did you mean "expected_response"?',
        "9:17: /items/1/prompt: must be a string, not 5",
        '9:36: /items/1/evaluators/Relevence: unknown evaluator "Relevence"; did you mean "Relevance"?',
        "11:15: /metadata: must be an object, not []",
    ]


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({}, '/items/0: an item needs a "prompt", or "turns" for a thread'),
        ("text", '/items/0: must be an object, not "text"'),
        ({"prompt": ""}, '/items/0/prompt: must not be empty, not ""'),
        ({"prompts": "a"}, '/items/0/prompts: unknown key "prompts"; did you mean "prompt"?'),
        ({"turn": [ITEM]}, '/items/0/turn: unknown key "turn"; did you mean "turns"?'),
        ({"Prompt": "a"}, '/items/0/Prompt: unknown key "Prompt"; did you mean "prompt"?'),
        (ITEM | {"testId": 1}, '/items/0/testId: unknown key "testId"; fields of your own belong under "extensions"'),
        (
            ITEM | {"evaluators_mode": "merge"},
            '/items/0/evaluators_mode: must be "extend" or "replace", not "merge"',
        ),
        (ITEM | {"evaluators": []}, "/items/0/evaluators: must be an object, not []"),
        (ITEM | {"evaluators": {"ExactMatch": True}}, "/items/0/evaluators/ExactMatch: must be an object, not true"),
        (ITEM | {"turns": [ITEM]}, '/items/0/prompt: an item has either a "prompt" or "turns", not both'),
        ({"turns": []}, "/items/0/turns: must not be empty, not []"),
        ({"turns": [ITEM] * 21}, "/items/0/turns: must have at most 20 entries, not a list of 21"),
        ({"turns": [{}]}, '/items/0/turns/0: "prompt" is missing'),
        (
            {"turns": [ITEM], "evaluators": {}},
            '/items/0/evaluators: a thread has no "evaluators" of its own: write it in its turns',
        ),
        (ITEM | {"allowed_tools": [" "]}, '/items/0/allowed_tools/0: must not be empty, not " "'),
        (ITEM | {"error": {"code": "x"}}, '/items/0/error: "message" is missing'),
        (
            ITEM | {"scores": {"relevance": {"result": "error", "error": "x", "score": 1}}},
            '/items/0/scores/relevance/score: unknown key "score"; known are code, error, reason, result',
        ),
        (
            ITEM | {"diagnostics": {"retrieval_executions": {}}},
            "/items/0/diagnostics/retrieval_executions: must be a list, not {}",
        ),
    ],
)
def test_a_mistake_in_an_item_is_one_sentence_with_what_is_allowed(desk, item, problem):
    assert desk.problems(item) == [problem]


@pytest.mark.parametrize(
    ("evaluators", "problem"),
    [
        ({"Relevence": {}}, '/Relevence: unknown evaluator "Relevence"; did you mean "Relevance"?'),
        ({"exactmatch": {}}, '/exactmatch: unknown evaluator "exactmatch"; did you mean "ExactMatch"?'),
        ({"1bad": {}}, '/1bad: "1bad" is no evaluator name: a letter, then letters, digits or _'),
        ({"a/b~": {}}, '/a~1b~0: "a/b~" is no evaluator name: a letter, then letters, digits or _'),
        ({"Citations": {"threshold": "2"}}, '/Citations/threshold: must be a whole number, not "2"'),
        ({"Citations": {"treshold": 2}}, '/Citations/treshold: unknown key "treshold"; did you mean "threshold"?'),
        ({"RetrievalQuery": {"capability": "Mail"}}, '/RetrievalQuery: "selector" is missing'),
        (
            {"RetrievalQuery": {"options": {"capability": 5, "selector": "q"}}},
            "/RetrievalQuery/options/capability: must be a string, not 5",
        ),
    ],
)
def test_a_mistake_in_evaluators_is_told_wherever_they_stand(desk, evaluators, problem):
    turn = ITEM | {"evaluators": evaluators}

    assert desk.problems(turn) == [f"/items/0/evaluators{problem}"]
    assert desk.problems({"turns": [ITEM, turn]}) == [f"/items/0/turns/1/evaluators{problem}"]
    assert desk.problems(ITEM, default_evaluators=evaluators) == [f"/default_evaluators{problem}"]


def test_the_same_mistake_in_several_items_is_told_for_each(desk):
    item = ITEM | {"evaluators": {"Relevence": {}}}

    assert len(desk.problems(item, item)) == 2


@pytest.mark.parametrize(
    ("top", "problem"),
    [
        ({"schemaVersion": 1}, "/schemaVersion: must be a string, not 1"),
        ({"schemaVersion": "1.6"}, '/schemaVersion: must be a version such as "1.6.0", not "1.6"'),
        ({"metadata": {"tags": "smoke"}}, '/metadata/tags: must be a list, not "smoke"'),
        ({"Metadata": {}}, '/Metadata: unknown key "Metadata"; did you mean "metadata"?'),
    ],
)
def test_a_mistake_at_the_top_is_one_sentence(desk, top, problem):
    assert desk.problems(ITEM, **top) == [problem]


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([], "/items: must be a list of one or more items, not []"),
        ({"prompt": "a"}, "/items: must be a list of one or more items, not an object"),
        (None, "/items: must be a list of one or more items, not null"),
    ],
)
def test_a_document_needs_a_list_of_items(desk, items, problem):
    assert desk.refusal({"schemaVersion": "1.6.0", "items": items}) == [f"1:37: {problem}"]
    assert desk.refusal({"schemaVersion": "1.6.0"}) == ['1:1: "items" is missing']


def test_a_flood_of_problems_is_cut_and_counted(desk):
    lines = desk.refusal({"schemaVersion": "1.6.0", "items": [{"prompt": index} for index in range(60)]})

    assert len(lines) == 51
    assert lines[-1].endswith(" and 10 more")


def test_nothing_of_the_file_reaches_the_terminal_unescaped(desk):
    (problem,) = desk.problems(ITEM | {"\x1b[31m\n": 1})

    assert problem.isprintable()
    assert "\\u001b" in problem


def test_a_duplicate_id_names_both_lines(desk):
    text = """{"schemaVersion": "1.6.0", "items": [
      {"prompt": "a", "extensions": {"id": "one"}},
      {"prompt": "b", "extensions": {"id": "one"}},
      {"prompt": "c", "extensions": {"id": "o::ne"}},
      {"prompt": "d", "extensions": {"id": "o:ne"}}
    ]}"""

    assert desk.refusal(text) == [
        '3:44: /items/1/extensions/id: "one" is already the id on line 2',
        '5:44: /items/3/extensions/id: as a test id, "o:ne" is the same as "o::ne" on line 4',
    ]


def test_the_path_is_shown_from_the_current_folder(desk, monkeypatch):
    monkeypatch.chdir(desk.folder)

    assert desk.refusal("") == ["d.json:1:1: the file is empty"]


CONVERSATION = {"level": "conversation", "dimensions": [{"id": "memory", "description": "Remembers.", "weight": 5}]}


def test_what_looks_at_the_whole_conversation_is_refused_in_an_earlier_turn(desk):
    (desk.folder / "rubrics").mkdir()
    (desk.folder / "rubrics/flow.json").write_text(json.dumps(CONVERSATION))
    turns = [ITEM | {"evaluators": {"flow": {}, "Rubric": CONVERSATION, "ExactMatch": {}}}, ITEM]
    where = 'looks at the whole conversation: write it in the last turn, or in "default_evaluators"'

    assert desk.problems({"turns": turns}) == [
        f'/items/0/turns/0/evaluators/flow: "flow" {where}',
        f'/items/0/turns/0/evaluators/Rubric: "Rubric" {where}',
    ]


def test_what_looks_at_the_whole_conversation_may_stand_in_the_last_turn_and_in_the_defaults(desk):
    (desk.folder / "rubrics").mkdir()
    (desk.folder / "rubrics/flow.json").write_text(json.dumps(CONVERSATION))
    chosen = ITEM | {"evaluators": {"flow": {}}}

    desk.items({"turns": [ITEM, chosen]}, {"turns": [chosen]}, chosen, default_evaluators={"flow": {}})


def test_an_earlier_turn_with_a_mistake_in_a_rubric_tells_the_mistake_once(desk):
    turns = [ITEM | {"evaluators": {"Rubric": {**CONVERSATION, "levle": 1}}}, ITEM]

    assert len(desk.problems({"turns": turns})) == 1
