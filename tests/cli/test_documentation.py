"""docs/command-line.md shows what the commands print, if one does what it says in an empty folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/command-line.md"
#: A file to be saved, with its name in the text before; or a session of a shell.
STEP = re.compile(
    r"Save this as\s+`(?P<name>[^`]+)`:\n\n```json\n(?P<content>.*?)```|```console\n(?P<session>.*?)```", re.S
)
TIME = re.compile(r"\d{14}")


def test_the_page_shows_what_is_printed(run, tmp_path, monkeypatch):
    place = tmp_path
    for step in STEP.finditer(PAGE.read_text("utf-8")):
        if step["name"]:
            (place / step["name"]).write_text(step["content"], "utf-8")
            continue
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", step["session"], re.M):
            name, *arguments = shlex.split(command)
            if name == "cd":
                place = place / arguments[0]
                monkeypatch.chdir(place)
            else:
                ran = run(*arguments)
                assert TIME.sub("", ran.err + ran.out) == TIME.sub("", shown), command


def test_the_page_shows_the_estimate_where_a_judge_would_be_asked(run, tmp_path):
    shown = re.search(r"Without that line:\n\n```\n(.*?)```", PAGE.read_text("utf-8"), re.S)[1]
    run("init")
    settings = (tmp_path / "pytest.ini").read_text("utf-8")
    (tmp_path / "pytest.ini").write_text(settings.replace("evals_judge = replay", ""), "utf-8")

    prices = ["--prompt-price", "2.5", "--completion-price", "10"]
    assert run("list", "evals", "--judge-model", "gpt-4o", *prices).out.endswith(shown)


def test_every_command_of_the_page_is_there():
    names = re.findall(r"^\| \[`([a-z-]+)`\]", PAGE.read_text("utf-8"), re.M)

    assert names == ["init", "validate", "list", "upgrade", "convert", "schema"]
