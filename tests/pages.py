"""Pages of the documentation, and following what they say as a new user would."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parents[1]
LOCAL_SERVER = "http://localhost:11434/v1"
#: Variables that a user's commands see.
KEPT = {"PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "PYTEST_ADDOPTS"}
#: Lines that differ from machine to machine.
MACHINE = ("platform ", "rootdir: ", "configfile: ", "plugins: ")


class Block(NamedTuple):
    """A code block, and the paragraph before it."""

    language: str
    text: str
    before: str


def blocks(page):
    """Return the code blocks of a page."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [Block(match[1], match[2], page[: match.start()].rstrip().rpartition("\n\n")[2]) for match in found]


def prose(page):
    """Return a page without its code."""
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL))


def walk_through(page, folder, judge):
    """Write a page's files and run its commands, in the order in which they stand there."""
    for block in blocks(page):
        if block.language == "console":
            follow(block, folder, judge)
        elif block.language in {"json", "python"}:
            path = folder / re.findall(r"`([\w/]+\.(?:json|py))`", block.before)[-1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")


def follow(block, folder, judge):
    """Run the command of a block; its output has the lines shown, without others between them but for "..."."""
    command, *shown = block.text.splitlines()
    output = run(command.removeprefix("$ ").replace(LOCAL_SERVER, judge), folder)
    printed = [comparable(line) for line in output.splitlines() if not line.startswith(MACHINE)]
    expected = "\n".join(comparable(line) for line in shown)
    at = 0
    for part in expected.split("\n...\n") if not expected.startswith("...\n") else expected[4:].split("\n...\n"):
        lines = part.removesuffix("\n...").split("\n")
        places = [index for index in range(at, len(printed)) if printed[index : index + len(lines)] == lines]
        assert places, f"{command}\nhas not printed\n{part}\nbut\n{output}"
        at = places[0] + len(lines)


def comparable(line):
    """Leave out how long something took and how wide a rule is."""
    return re.sub(r"([=_])\1{2,}", r"\1\1\1", re.sub(r"\d+\.\d+s", "0s", line)).rstrip()


def run(command, folder):
    """Run a command of a page, in the checkout where it is about the example and else in a user's project."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    words = shlex.split(command)
    variables = dict(word.split("=", 1) for word in words[: words.index("pytest")])
    checkout = "example_project" in command
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest"),
            *(("-p", "no:cacheprovider") if checkout else ()),
            *words[words.index("pytest") + 1 :],
        ],
        cwd=PROJECT if checkout else folder,
        env={**kept, "COLUMNS": "80", **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    ).stdout
