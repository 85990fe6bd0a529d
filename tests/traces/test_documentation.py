"""The workflow of the documentation is run: its commands do what the page says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from traces import otlp_files
from traces.otlp_files import chat, export

WORKFLOW = Path(__file__).parents[2] / "docs" / "examples" / "nightly-evals.yml"
RUBRIC = [{"id": "tone", "description": "Addresses the guest by name.", "weight": 9}]


@pytest.fixture
def step(tmp_path, monkeypatch):
    """Run a step of the workflow as GitHub runs it; returns its exit code and what it wrote to GITHUB_OUTPUT."""
    workflow = YAML(typ="safe").load(WORKFLOW)
    steps = {one.get("name"): one for one in workflow["jobs"]["traffic"]["steps"]}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GITHUB_RUN_NUMBER", "7")
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))

    def run(name):
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", steps[name]["run"]], check=False, capture_output=True)
        return done.returncode, Path("output").read_text() if Path("output").exists() else ""

    return run


@pytest.fixture
def traffic(tmp_path, monkeypatch):
    """Write a conversation of so many days ago."""
    tmp_path.joinpath("rubrics").mkdir()
    tmp_path.joinpath("traces").mkdir()
    tmp_path.joinpath("rubrics/booking.json").write_text(json.dumps(RUBRIC))

    def write(days):
        noon = datetime.now(UTC).replace(hour=12) - timedelta(days=days)
        monkeypatch.setattr(otlp_files, "START", int(noon.timestamp()) * 10**9)
        tmp_path.joinpath(f"traces/{days}.jsonl").write_text(json.dumps(export(chat("m", f"{days} days ago", "Hi"))))

    return write


def test_the_nightly_workflow_imports_what_was_said_yesterday(step, traffic):
    traffic(1)
    traffic(2)

    assert step("Import") == (0, "traffic=0\n")
    document = json.loads(Path("traffic.json").read_text())
    assert [item["prompt"] for item in document["items"]] == ["1 days ago"]
    assert document["default_evaluators"] == {"Rubric": {"rubric": "rubrics/booking.json"}}


def test_the_nightly_workflow_is_content_with_a_day_without_traffic(step, traffic):
    traffic(2)

    assert step("Import") == (0, "traffic=1\n")


def test_the_nightly_workflow_fails_where_its_command_does(step, traffic):
    Path("traces/1.jsonl").write_text('{"neither": 1}')

    assert step("Import")[0] == 1
