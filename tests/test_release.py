"""What is released holds all that is needed, and says what to install for the rest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from email.parser import Parser
from fnmatch import fnmatch
from pathlib import Path
from shutil import copytree, ignore_patterns
from zipfile import ZipFile

import hatchling.build
import pytest

from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.errors import ConfigurationError

PROJECT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
#: What no import would miss: data, by what needs it.
DATA = {
    "type checkers": "pytest_agentevals/py.typed",
    "agentevals schema": "pytest_agentevals/documents/eval-document.schema.json",
    "agentevals init": "pytest_agentevals/cli/templates/evals/recordings/shop.json.template",
    "the workflow of agentevals init": "pytest_agentevals/cli/templates/github/workflows/evals.yml.template",
    "METEOR": "pytest_agentevals/evaluators/text_metrics/data/wordnet.gz",
    "ROUGE of sentences": "pytest_agentevals/evaluators/text_metrics/data/punkt-english.json.gz",
    "the HTML page": "pytest_agentevals/reports/html/page/page.html",
    "its style": "pytest_agentevals/reports/html/page/style.css",
    "its script": "pytest_agentevals/reports/html/page/script.js",
    "our licence": "pytest_agentevals-*.dist-info/licenses/LICENSE",
    "the licence of WordNet": "pytest_agentevals-*.dist-info/licenses/*/wordnet.LICENSE",
    "the licence of Punkt": "pytest_agentevals-*.dist-info/licenses/*/punkt-english.LICENSE",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)  # where a build backend is called
        return folder / hatchling.build.build_wheel(str(folder))


@pytest.fixture(scope="module")
def names(wheel):
    return ZipFile(wheel).namelist()


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Run Python away from the checkout, with the package as it is in the wheel, and no way to a network."""
    installed = tmp_path_factory.mktemp("installed")
    ZipFile(wheel).extractall(installed)
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "TMPDIR", "SYSTEMROOT"}}
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")

    def python(*arguments, folder):
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**kept, **nowhere, "PYTHONPATH": str(installed), "COLUMNS": "80"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    where = python("-c", "import pytest_agentevals; print(pytest_agentevals.__file__)", folder=installed.parent)
    assert Path(where.stdout.strip()).is_relative_to(installed)
    return python


def test_the_wheel_has_every_file_of_the_package_and_no_other(names):
    files = {path.relative_to(PROJECT) for path in PROJECT.glob("pytest_agentevals/**/*") if path.is_file()}

    assert {Path(name) for name in names if ".dist-info/" not in name} == {
        path for path in files if "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("need", DATA)
def test_the_wheel_has_what_is_needed_for(need, names):
    assert any(fnmatch(name, DATA[need]) for name in names)


def test_the_page_of_the_package_index_is_the_readme(wheel, names):
    metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
    described = Parser().parsestr(ZipFile(wheel).read(metadata).decode())

    assert described["Description-Content-Type"] == "text/markdown"
    assert described.get_payload().strip() == (PROJECT / "README.md").read_text("utf-8").strip()


def test_the_wheel_runs_examples_and_writes_all_reports(python, tmp_path):
    """The examples need the data of text metrics, and the prompts and recordings of judged evaluators."""
    copytree(PROJECT / "example_project", tmp_path / "example", ignore=ignore_patterns("failing", "__pycache__"))
    reports = [f"--evals-report=out/run.{kind}" for kind in ("json", "html", "md", "csv")]
    documents = [f"example/datasets/{name}.json" for name in ("wording", "quality")]
    ran = python("-m", "pytest", *documents, *reports, folder=tmp_path)

    assert ran.returncode == 0, ran.stdout
    assert "evals: judge replay (scripted-sample), agent recorded" in ran.stdout
    assert len(list(tmp_path.rglob("out/run.*"))) == 4


def test_the_wheel_starts_a_project(python, tmp_path):
    assert python("-m", "pytest_agentevals", "init", folder=tmp_path).returncode == 0
    assert python("-m", "pytest_agentevals", "validate", ".", folder=tmp_path).returncode == 0


def test_an_a2a_agent_without_its_package_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "pytest_agentevals.agents.agent2agent", raising=False)
    monkeypatch.setitem(sys.modules, "a2a", None)
    monkeypatch.setitem(sys.modules, "a2a.client", None)

    with pytest.raises(ConfigurationError, match=r'^an A2A agent needs .*: pip install "pytest-agentevals\[a2a\]"$'):
        make_client("a2a:https://bot.example.com", root=tmp_path)


@pytest.mark.parametrize("folder", ["pytest_agentevals", "docs"])
def test_extras_that_are_named_exist(folder):
    texts = [path.read_text("utf-8") for path in (PROJECT / folder).rglob("*") if path.suffix in {".py", ".md"}]
    named = {name for text in texts for name in re.findall(r"pytest-agentevals\[([\w,-]+)\]", text)}

    assert named == {"a2a", "azure", "pdf"}
    assert named <= EXTRAS.keys()
