"""The root and the settings of a project are those that pytest finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_agentevals.cli.finding import find
from pytest_agentevals.cli.project import Project
from pytest_agentevals.errors import ConfigurationError

LAYOUTS = {
    "nothing": {},
    "pytest.ini": {"pytest.ini": ""},
    "pytest.ini and pyproject.toml": {"pytest.ini": "[pytest]\n", "pyproject.toml": "[tool.pytest.ini_options]\n"},
    "pyproject.toml without pytest": {"pyproject.toml": "[project]\nname = 'x'\n"},
    "pyproject.toml with pytest": {"pyproject.toml": "[tool.pytest.ini_options]\nminversion = '6'\n"},
    "pyproject.toml in toml mode": {"pyproject.toml": "[tool.pytest]\nminversion = '6'\n"},
    "pytest.toml": {"pytest.toml": "[pytest]\nminversion = '6'\n"},
    "tox.ini": {"tox.ini": "[pytest]\n"},
    "tox.ini of others": {"tox.ini": "[tox]\n"},
    "setup.cfg": {"setup.cfg": "[tool:pytest]\n"},
    "setup.py": {"setup.py": ""},
    "inner settings": {"pytest.ini": "", "evals/deep/pytest.ini": ""},
    "inner pyproject.toml": {"evals/pyproject.toml": "[project]\nname = 'x'\n"},
}
#: Layouts where it counts which places are named first.
INNER = [layout for layout in LAYOUTS if layout.startswith(("nothing", "inner"))]
CASES = [(layout, ["evals/deep/one.json"]) for layout in LAYOUTS]
CASES += [(layout, ["evals/deep", "other"]) for layout in INNER]


@pytest.mark.parametrize(("layout", "arguments"), CASES)
def test_the_root_is_that_of_pytest(pytester, layout, arguments):
    for folder in ("evals/deep", "other"):
        pytester.path.joinpath(folder).mkdir(parents=True)
    pytester.path.joinpath("evals/deep/one.json").write_text("{}")
    for name, content in LAYOUTS[layout].items():
        pytester.path.joinpath(name).write_text(content)

    expected = pytester.parseconfig("-p", "no:cacheprovider", *arguments).rootpath
    assert Project.of(list(map(Path, arguments))).root == expected


INI = "[pytest]\nevals_files = *.evals 'a b.json'\nevals_judges =\n  a = m\n\n  b = n\nevals_repeat = 3\n"
TOML = "evals_files = ['*.evals', 'a b.json']\nevals_judges = ['a = m', 'b = n']\nevals_repeat = 3\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pytest.ini", INI),
        ("tox.ini", INI),
        ("pyproject.toml", f"[tool.pytest.ini_options]\n{TOML}"),
        ("pytest.toml", f"[pytest]\n{TOML}"),
    ],
)
def test_settings_are_read_from_every_file_of_pytest(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    project = Project.of([tmp_path])

    assert project.words("evals_files") == ["*.evals", "a b.json"]
    assert project.lines("evals_judges") == ["a = m", "b = n"]
    assert project.text("evals_repeat") == "3"
    assert project.text("evals_judge") == ""


@pytest.mark.parametrize(("name", "content"), [("pytest.ini", "["), ("pyproject.toml", "["), ("tox.ini", "a\n")])
def test_settings_that_cannot_be_read_are_an_error_with_their_file(tmp_path, name, content):
    (tmp_path / name).write_text(content)

    with pytest.raises(ConfigurationError, match=name):
        Project.of([tmp_path])


def test_folders_that_lead_back_are_entered_once(tmp_path):
    (tmp_path / "one.json").write_text('{"schemaVersion": "1.0.0", "items": [{"prompt": "x"}]}')
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/up").symlink_to(tmp_path)

    found = list(find([tmp_path], Project.of([tmp_path])))

    assert [each.path for each in found if each.document] == [tmp_path / "one.json"]


def test_a_file_named_twice_is_found_once(tmp_path):
    path = tmp_path / "one.json"
    path.write_text('{"schemaVersion": "1.0.0", "items": [{"prompt": "x"}]}')

    assert [each.path for each in find([path, tmp_path, path], Project.of([path]))] == [path]


def test_a_file_that_is_named_beside_its_folder_may_have_a_legacy_form(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('[{"prompt": "x", "expected_response": "y"}]')

    assert [each.document for each in find([tmp_path], Project.of([tmp_path]))] == [False]
    assert [each.document for each in find([tmp_path, path], Project.of([tmp_path]))] == [True]
