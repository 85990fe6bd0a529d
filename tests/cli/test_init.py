from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from pytest_agentevals.cli.init import FILES, template
from pytest_agentevals.documents.versions import newest

SCRIPTS = Path(__file__).parents[2] / "scripts"
#: A judge that would be asked, and that nobody can reach.
KEYS = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_MODEL": "gpt-4o", "OPENAI_API_KEY": "sk-not-a-key"}


def test_the_example_passes_at_once_and_asks_nobody(run, tmp_path):
    """Written into an empty folder and run as it is, where keys for a judge are at hand that cannot be reached."""
    assert run("init").code == 0
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "AZURE_"))}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest"],
        cwd=tmp_path,
        env={**kept, **KEYS, "COLUMNS": "80"},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )

    assert ran.returncode == 0, ran.stdout
    assert "evals: judge replay (scripted-sample), agent recorded" in ran.stdout
    assert "evals: 5 replayed" in ran.stdout
    assert "evals: 9 passed" in ran.stdout
    assert ran.stderr == ""


def test_the_recording_is_what_its_agent_and_the_scripted_judge_say_today(tmp_path):
    recorded = json.loads(runpy.run_path(str(SCRIPTS / "record-template"))["record"](tmp_path))

    assert untimed(recorded) == untimed(json.loads(template("evals/recordings/shop.json")))


def untimed(value):
    """Leave out of a recording how long something took."""
    if isinstance(value, dict):
        return {key: untimed(inside) for key, inside in value.items() if key not in {"latency_ms", "seconds"}}
    return [untimed(inside) for inside in value] if isinstance(value, list) else value


def test_what_is_written_is_told_with_what_to_do_next(run, tmp_path):
    ran = run("init", "shop")

    written = {path.relative_to(tmp_path / "shop").as_posix() for path in (tmp_path / "shop").rglob("*.*")}
    assert set(FILES) <= written
    assert [line.split()[0] for line in ran.out.splitlines()[: len(FILES)]] == [f"shop/{name}" for name in FILES]
    assert "  cd shop\n  pytest  " in ran.out
    assert "cd " not in run("init", ".").out.partition("Next:")[2].replace("conftest", "")


def test_files_that_exist_are_left_as_they_are(run, write, tmp_path):
    mine = write("conftest.py", "# mine")

    assert "conftest.py exists, and is left as it is" in run("init").out
    assert mine.read_text() == "# mine"
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    again = run("init")
    assert again.code == 0
    assert again.out.count("exists, and is left as it is") == len(FILES)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "content", "put_out_of_use"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\n", True),
        ("pyproject.toml", "[project]\n", False),
        ("tox.ini", "[pytest]\n", True),
        ("tox.ini", "[tox]\n", False),
        ("setup.cfg", "[tool:pytest]\n", True),
        ("pytest.toml", "", True),
    ],
)
def test_settings_of_the_project_are_not_put_out_of_use(run, write, tmp_path, name, content, put_out_of_use):
    write(name, content)

    ran = run("init")

    assert (tmp_path / "pytest.ini").exists() is not put_out_of_use
    told = f"pytest.ini is not written: {name} has the settings; add evals_judge = replay there"
    assert (told in ran.out) is put_out_of_use


def test_a_file_in_the_place_of_the_folder_is_wrong_usage(run, write):
    write("shop", "a file")

    assert run("init", "shop").code == 2


def test_the_document_is_valid_and_of_the_newest_version(run):
    run("init")

    assert run("validate", "evals").out.startswith("1 eval document, 3 items; no mistakes")
    assert json.loads(template("evals/shop.json"))["schemaVersion"] == newest()


def test_the_workflow_runs_commands_that_there_are(run):
    workflow = YAML(typ="safe", pure=True).load(template(".github/workflows/evals.yml").decode())
    commands = [step["run"] for step in workflow["jobs"]["evals"]["steps"] if "run" in step]

    assert commands == [
        "pip install -r requirements.txt",
        "agentevals validate --format github evals",
        "pytest evals --junitxml=evals.xml",
    ]
    run("init")
    assert run(*commands[1].split()[1:]) == (0, "", "")
