"""Where evaluators are found, and which names are taken."""

from __future__ import annotations

import json
from importlib.metadata import distributions

import pytest

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators import installed
from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.catalog import BUILT_IN, REPLACEABLE, Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.evaluators.rubric import Rubric
from pytest_agentevals.responses import AgentResponse

RUBRIC = json.dumps([{"id": "tone", "description": "Is courteous.", "weight": 1}])
CHECK = """
class Check:
    def __init__(self, **_): ...
    def __call__(self, **_):
        return {{"score": {score}}}
"""
EXCHANGE = Exchange(prompt="Hi", response=AgentResponse(text="Hello"))


@pytest.fixture
def nested(tmp_path):
    """The catalog of a document two folders below the root."""
    (tmp_path / "evals" / "hr").mkdir(parents=True)
    return Catalog(Place(folder=tmp_path / "evals" / "hr", root=tmp_path))


def test_evaluators_are_found_from_the_document_up_to_the_root_the_nearest_first(custom, write, nested):
    custom("check", CHECK.format(score=1))
    custom("check", CHECK.format(score=2), folder="evals")
    custom("sibling", CHECK.format(score=3), folder="evals/other")
    write("rubrics/tone.json", RUBRIC)

    assert nested.make("check", {}).evaluate(EXCHANGE).score == 2
    assert issubclass(nested.kind("tone"), Rubric)
    assert "sibling" not in nested.names


def test_in_one_folder_a_custom_evaluator_comes_before_a_rubric(custom, write, nested):
    custom("tone", CHECK.format(score=1))
    write("rubrics/tone.json", RUBRIC)

    assert nested.make("tone", {}).evaluate(EXCHANGE).score == 1


def test_nothing_above_the_root_is_looked_at(custom, tmp_path):
    custom("check", CHECK.format(score=1))
    (tmp_path / "project").mkdir()

    assert "check" not in Catalog(Place(folder=tmp_path / "project", root=tmp_path / "project")).names


def test_links_that_lead_out_of_the_project_are_not_followed(custom, write, tmp_path):
    custom("check", CHECK.format(score=1), folder="elsewhere")
    rubric = write("elsewhere/tone.json", RUBRIC)
    project = tmp_path / "project"
    for folder in ("rubrics", "custom-evaluators"):
        (project / folder).mkdir(parents=True)
    (project / "rubrics" / "tone.json").symlink_to(rubric)
    (project / "custom-evaluators" / "check").symlink_to(tmp_path / "elsewhere" / "custom-evaluators" / "check")

    catalog = Catalog(Place(folder=project, root=project))

    assert catalog.names == BUILT_IN.keys() | installed.installed().keys()


@pytest.mark.parametrize("name", ["1check", "my-check", "my check", "_check", "chéck", "__pycache__"])
def test_folders_whose_name_is_no_evaluators_name_are_left_alone(custom, catalog, name):
    custom(name, CHECK.format(score=1))

    assert name not in catalog.names
    with pytest.raises(KeyError):
        catalog.make(name, {})


@pytest.mark.parametrize("name", sorted(REPLACEABLE))
def test_names_that_only_this_package_defines_may_be_taken_with_a_note(custom, catalog, name):
    custom(name, CHECK.format(score=1))

    assert catalog.make(name, {}).evaluate(EXCHANGE).score == 1
    assert catalog.warnings == (f"{name}: custom-evaluators/{name} stands in for the built-in evaluator",)


@pytest.mark.parametrize("name", sorted(BUILT_IN.keys() - REPLACEABLE))
def test_names_of_the_format_cannot_be_taken_silently(custom, catalog, name):
    custom(name, CHECK.format(score=1))

    with pytest.raises(EvaluationError, match=f"custom-evaluators/{name} has the name of a built-in") as caught:
        catalog.make(name, {"threshold": 4}).evaluate(EXCHANGE)

    assert caught.value.code == "evaluatorLoadError"


def test_names_of_the_format_cannot_be_taken_in_another_case(custom, write, catalog):
    custom("relevance", CHECK.format(score=1))
    write("rubrics/exactmatch.json", RUBRIC)

    assert not {"relevance", "exactmatch"} & set(catalog.names)


def test_an_unknown_name_is_explained_with_the_folders_that_were_searched(nested):
    with pytest.raises(KeyError):
        nested.make("check", {})

    assert nested.explain_unknown("check") == (
        "Unknown evaluator 'check': it is not built in, no installed package has it, and there is no "
        "custom-evaluators/check/ or rubrics/check.json in evals/hr or evals or the project's root"
    )


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with evaluators, as far as Python can tell."""
    site = tmp_path / "site"
    info = site / "extra_evaluators-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-evaluators\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[pytest_agentevals.evaluators]\n"
        "WordCount = extra_evaluators:WordCount\n"
        "Contains = extra_evaluators:WordCount\n"
        "Missing = extra_evaluators.missing:Missing\n"
        "Odd = extra_evaluators:LIMIT\n"
    )
    (site / "extra_evaluators.py").write_text(
        "from pytest_agentevals.evaluators.base import Evaluator, decide\n\n"
        "LIMIT = 10\n\n\n"
        "class WordCount(Evaluator):\n"
        "    result_key = 'wordCount'\n"
        "    most: int = LIMIT\n\n"
        "    def evaluate(self, exchange):\n"
        "        count = len(exchange.response.text.split())\n"
        "        return decide(float(count <= self.most), reason=f'{count} words')\n"
    )
    monkeypatch.syspath_prepend(site)
    installed.installed.cache_clear()
    yield
    installed.installed.cache_clear()


@pytest.mark.usefixtures("package")
def test_installed_packages_may_bring_evaluators(catalog):
    assert "extra-evaluators" in {distribution.name for distribution in distributions()}

    verdict = catalog.make("WordCount", {"most": 0}).evaluate(EXCHANGE)

    assert verdict.outcome == "fail"
    assert verdict.reason == "1 words"
    assert "WordCount" in catalog.names


@pytest.mark.usefixtures("package")
def test_installed_packages_cannot_replace_what_is_built_in(catalog):
    assert catalog.kind("Contains").__module__.startswith("pytest_agentevals.")


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "message"), [("Missing", "ModuleNotFoundError"), ("Odd", r"\(extra_evaluators:LIMIT\) is no Evaluator")]
)
def test_an_installed_evaluator_that_cannot_be_had_is_a_load_error(catalog, name, message):
    with pytest.raises(EvaluationError, match=message) as caught:
        catalog.make(name, {"any": "option"}).evaluate(EXCHANGE)

    assert caught.value.code == "evaluatorLoadError"
