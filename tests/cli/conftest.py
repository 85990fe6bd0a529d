from __future__ import annotations

import json
import sys
from typing import NamedTuple

import pytest

from pytest_agentevals.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder, in this process; returns exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["agentevals", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ran(ended.value.code, *capsys.readouterr())

    return call


@pytest.fixture
def write(tmp_path):
    """Write a file in the folder where the command runs; a value that is no text is written as JSON."""

    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
        path.write_bytes(text.encode())
        return path

    return written
