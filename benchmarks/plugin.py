"""What the plugin costs, as ratios to plain pytest in one run: collection, deterministic evaluators, unrelated runs.

Run it with the Python of an environment that has the package: ``python benchmarks/plugin.py [--rounds N] [NAME…]``.
Every figure is the median of the rounds; the two sides of a ratio take turns, so that a busy machine meets both. There,
CPU time says more than wall time. The first run of each side, which compiles modules, does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PLUGINS = ("-p", "no:cacheprovider", "-p", "no:xdist", "-q")

#: Left out of the environment: pytest shows more where CI is set, and would compile the plugin in every single run.
UNUSUAL = {"CI", "PYTHONDONTWRITEBYTECODE"}

PLAIN = """
import pytest

@pytest.mark.parametrize("number", range({items}))
def test_item(number, subtests):
    response = expected = f"answer {{number}}"
    for evaluator in {evaluators!r}:
        with subtests.test(evaluator):
            assert response == expected
"""

FOUR = {"ExactMatch": {}, "PartialMatch": {}, "Contains": {"any": ["answer"]}, "Citations": {}}


class Cost(NamedTuple):
    """Wall seconds, CPU seconds (user and system) and peak memory in MiB of one run."""

    wall: float
    cpu: float
    memory: float


def plain(folder: Path, items: int, evaluators: list[str]) -> None:
    (folder / "test_plain.py").write_text(PLAIN.format(items=items, evaluators=evaluators))


def document(folder: Path, items: int, evaluators: dict[str, dict]) -> None:
    entries = [
        {"prompt": f"Question {n}?", "response": f"answer {n} [1]", "expected_response": f"answer {n} [1]"}
        for n in range(items)
    ]
    content = {"schemaVersion": "1.6.0", "default_evaluators": evaluators, "items": entries}
    (folder / "items.json").write_text(json.dumps(content))


def run(folder: Path, *arguments: str, target: str = ".") -> Cost:
    environment = {name: value for name, value in os.environ.items() if name not in UNUSUAL}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *PLUGINS, *arguments, target],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"pytest failed in {folder}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def ratio(name: str, rounds: int, ours: tuple[Path, tuple[str, ...]], theirs: tuple[Path, tuple[str, ...]]) -> None:
    sides = ours, theirs
    for folder, arguments in sides:
        run(folder, *arguments)
    costs = [[run(folder, *arguments) for folder, arguments in sides] for _ in range(rounds)]
    our, their = (Cost(*map(statistics.median, zip(*side, strict=True))) for side in zip(*costs, strict=True))
    figures = (
        f"{unit} {mine:6.2f} / {other:6.2f} = {mine / other:4.2f}"
        for unit, mine, other in zip(("wall s", "cpu s", "MiB"), our, their, strict=True)
    )
    print(f"{name:<34} {'   '.join(figures)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("names", nargs="*", help="only the figures whose name contains one of these")
    options = parser.parse_args()

    def wanted(name: str) -> bool:
        return not options.names or any(part in name for part in options.names)

    with tempfile.TemporaryDirectory() as name:
        root = Path(name)

        def pair(label: str, items: int, evaluators: dict[str, dict]) -> tuple[Path, Path]:
            folders = root / label / "ours", root / label / "plain"
            for folder in folders:
                folder.mkdir(parents=True)
                (folder / "pytest.ini").write_text("[pytest]\n")
            document(folders[0], items, evaluators)
            plain(folders[1], items, list(evaluators))
            return folders

        exact = {"ExactMatch": {}}
        for label, items, evaluators, arguments in (
            ("collect 10,000 items", 10_000, exact, ("--collect-only",)),
            ("collect 100,000 items", 100_000, exact, ("--collect-only",)),
            ("run 1,000 items x 1 evaluator", 1_000, exact, ()),
            ("run 1,000 items x 4 evaluators", 1_000, FOUR, ()),
        ):
            if wanted(label):
                ours, theirs = pair(label, items, evaluators)
                ratio(label, options.rounds, (ours, arguments), (theirs, ("-p", "no:agentevals", *arguments)))
        if wanted("unrelated tests"):
            folder = root / "unrelated"
            folder.mkdir()
            plain(folder, 200, [])
            ratio("unrelated tests, plugin on / off", options.rounds, (folder, ()), (folder, ("-p", "no:agentevals")))
        if wanted("foreign JSON"):
            folder = root / "foreign"
            folder.mkdir()
            plain(folder, 200, [])
            for number in range(1_000):
                (folder / f"{number}.json").write_text(json.dumps({"name": str(number), "items": list(range(200))}))
            ratio("1,000 foreign JSON files, on / off", options.rounds, (folder, ()), (folder, ("-p", "no:agentevals")))
        if wanted("foreign 200 MB"):
            folder = root / "large"
            folder.mkdir()
            plain(folder, 200, [])
            with (folder / "large.json").open("w") as file:
                file.write('{"rows": [')
                for _ in range(200):
                    file.write('"' + "x" * 1_000_000 + '", ')
                file.write("0]}")
            ratio("a foreign 200 MB file, on / off", options.rounds, (folder, ()), (folder, ("-p", "no:agentevals")))


if __name__ == "__main__":
    main()
