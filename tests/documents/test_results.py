"""Results documents read as datasets."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sample_runs import evaluated, run_of, sample_run, turn, verdict

from pytest_agentevals.documents.identifiers import LONGEST
from pytest_agentevals.documents.load import load
from pytest_agentevals.documents.results import sources
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.reports.document import render


def loaded(path):
    return load(path, Catalog(Place(path.parent, path.parent)), explicit=True)


@pytest.fixture
def write(tmp_path):
    """Write the results document of some items, after a change if one is given."""

    def write(*items, change=None):
        document = json.loads(render(run_of(*items)))
        if change:
            change(document)
        path = tmp_path / "out.json"
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return path

    return write


def test_items_are_located_where_they_stand_in_the_results(write):
    path = write(evaluated("one", turn("One?")), evaluated("two", turn("Two?")))

    (one, two) = loaded(path).items

    lines = path.read_text(encoding="utf-8").splitlines()
    assert '"prompt": "One?"' in lines[one.line]
    assert '"prompt": "Two?"' in lines[two.line]


@pytest.mark.parametrize("length", [LONGEST, LONGEST + 1, 3 * LONGEST])
def test_long_ids_stay_the_same_when_results_are_fed_back(write, tmp_path, length):
    dataset = tmp_path / "data.json"
    item = {"prompt": "Q?", "extensions": {"id": "a b" * length}}
    dataset.write_text(json.dumps({"schemaVersion": "1.6.0", "items": [item]}))
    (name,) = (item.id for item in loaded(dataset).items)

    (again,) = loaded(write(evaluated(name, turn("Q?"), content=item))).items

    assert again.id == name


def test_an_evaluator_of_the_whole_conversation_may_stand_in_every_turn(write):
    whole = {"dimensions": [{"id": "kind", "description": "Is kind.", "weight": 1}], "level": "conversation"}
    rubric = verdict("Rubric", 1, threshold=0.5, scale=(0, 1), level="conversation")
    item = evaluated("it", turn("One?", index=1), turn("Two?", rubric, index=2))
    item = replace(item, evaluators=({"Rubric": whole},) * 2)

    (thread,) = loaded(write(item)).items

    assert [turn.options for turn in thread.turns] == [{"Rubric": whole}] * 2


@pytest.mark.parametrize(
    "change",
    [
        lambda ours: ours.update(fields=5),
        lambda ours: ours.update(moved=["Relevance"]),
        lambda ours: ours.update(options={"Coherence": None}),
        lambda ours: ours.update(id=[]),
    ],
)
def test_results_that_were_changed_by_hand_are_refused_with_a_place(write, change):
    path = write(
        evaluated("it", turn("Q?", verdict("Relevance", 4))),
        change=lambda document: change(document["items"][0]["extensions"]["pytest-agentevals"]),
    )

    with pytest.raises(DocumentError, match=r"out\.json:\d+:\d+: /items: cannot be read as results: pytest-agentevals"):
        loaded(path)


def test_results_say_of_which_documents_they_are(tmp_path):
    path = tmp_path / "out.json"
    path.write_text(render(sample_run()), encoding="utf-8")

    assert sources(path) == ("datasets/hr.json", "datasets/it.json")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"a": "pytest-agentevals", "b": "results"}', '{"pytest-agentevals": "results"']
)
def test_other_files_are_of_no_documents(tmp_path, text):
    path = tmp_path / "out.json"
    path.write_text(text, encoding="utf-8")

    assert sources(path) == ()
    assert sources(tmp_path) == ()


def test_results_name_no_place_outside_the_project(tmp_path):
    run = run_of(evaluated("it", turn("Q?")))
    told = {"../outside/d.json": {}, "/d.json": {}, "evals/link/d.json": {}, "evals/d.json": {}}
    root = tmp_path / "project"
    (root / "evals").mkdir(parents=True)
    (root / "evals/link").symlink_to(tmp_path)
    path = root / "out.json"
    path.write_text(render(replace(run, about=replace(run.about, documents=told))), encoding="utf-8")

    assert Place.of(path, root).folders == (root / "evals", root)
