"""What all commands have in common."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from cli.commands import document, process

from pytest_agentevals import __version__
from pytest_agentevals.cli import COMMANDS, agentevals

MODULES = """
import json, sys
from pytest_agentevals.cli import main
for arguments in json.loads(sys.argv.pop()):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as ended:
        assert ended.code == 0, arguments
print(*sys.modules, file=sys.stderr)
"""


def modules(*runs, cwd):
    """Run commands in a new process, one after the other; returns the names of the packages it imported."""
    ran = subprocess.run(
        [sys.executable, "-c", MODULES, json.dumps(runs)], cwd=cwd, capture_output=True, check=True, encoding="utf-8"
    )
    return {name.split(".")[0] for name in ran.stderr.splitlines()[-1].split()}


def test_the_list_of_commands_imports_none_of_them(tmp_path):
    imported = modules(["--help"], cwd=tmp_path)

    assert "click" in imported
    assert not imported & {"pytest", "_pytest", "pydantic", "jsonschema", "openai", "ruamel", "jinja2"}


def test_no_command_imports_pytest(tmp_path):
    (tmp_path / "evals.json").write_text(json.dumps(document("Who?")))
    (tmp_path / "rows.csv").write_text("prompt\nWho?\n")
    runs = [["validate", "."], ["list", "."], ["upgrade", "evals.json"], ["schema"], ["init", "new"]]
    runs += [["convert", "rows.csv", "-o", "rows.json"], *([name, "--help"] for name in COMMANDS)]

    imported = modules(*(run for run in runs if run[0] in COMMANDS), cwd=tmp_path)

    assert "pydantic" in imported
    assert not imported & {"pytest", "_pytest", "openai"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_a_command_says_of_itself(name):
    command = agentevals.get_command(click.Context(agentevals), name)

    assert command.get_short_help_str(limit=200) == COMMANDS[name].help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(run, name):
    ran = run(name, "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: agentevals {name} ")


def test_the_version_is_that_of_the_package(run):
    assert run("--version") == (0, f"agentevals {__version__}\n", "")


def test_an_unknown_command_is_wrong_usage(run):
    ran = run("valdate")

    assert ran.code == 2
    assert "No such command 'valdate'" in ran.err


def test_what_cannot_be_written_is_one_sentence(run):
    assert run("schema", "-o", "no/such/folder/x") == (2, "", "Error: no/such/folder/x: No such file or directory\n")


def test_a_reader_that_is_gone_already_ends_the_command_quietly():
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest_agentevals", "schema"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)

    assert (ran.returncode, ran.stderr) == (141, b"")


def test_a_terminal_that_lacks_characters_shows_their_escapes(tmp_path):
    (tmp_path / "evals.json").write_text(json.dumps(document({"prompt": "Wo?", "extensions": {"id": "東京"}})), "utf-8")
    ran = process("list", "evals.json", cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "latin-1"})

    assert ran.returncode == 0, ran.stderr
    assert "\\u6771\\u4eac" in ran.stdout


def test_an_interrupted_command_ends_quietly(tmp_path):
    """The command waits for a named pipe that nobody writes to, and gets what Ctrl-C sends."""
    fifo = tmp_path / "rows.jsonl"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "pytest_agentevals", "convert", fifo, "-o", tmp_path / "x.json"]
    # What opens both ends never waits; the command waits for something to read.
    with (
        fifo.open("r+b", buffering=0),
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running,
    ):
        waits_for(running.pid, fifo)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()

    assert (running.returncode, out, err.strip()) == (130, b"", b"")


def waits_for(pid, path):
    """Wait until a process has opened a file."""
    folder = Path(f"/proc/{pid}/fd")
    if not folder.is_dir():
        pytest.skip("this system does not tell which files a process has opened")
    while not any(os.path.realpath(link) == str(path) for link in folder.iterdir()):
        time.sleep(0.01)


def test_shells_complete_commands_and_options():
    def completed(words):
        variables = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_AGENTEVALS_COMPLETE": "bash_complete"}
        return process(env={**os.environ, **variables}).stdout.split()

    assert "plain,validate" in completed("agentevals va")
    assert "plain,--format" in completed("agentevals validate --fo")
    assert "plain,sarif" in completed("agentevals validate --format s")


def test_a_misspelt_command_is_told_with_the_nearest_one(run):
    ran = run("validte", ".")

    assert ran.code == 2
    assert ran.err.endswith("Error: No such command 'validte'. Did you mean 'validate'?\n")
    assert "Did you mean" not in run("bananas").err
