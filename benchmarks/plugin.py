"""What the plugin costs, as ratios to plain pytest in one run: collection, deterministic evaluators, unrelated runs.

Run it with the Python of an environment that has the package: ``python benchmarks/plugin.py [--rounds N] [NAME…]``.
Every figure is the median of the rounds; the two sides of a ratio take turns, so that a busy machine meets both.
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
    """Wall seconds and peak memory in MiB of one run."""

    seconds: float
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
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *PLUGINS, *arguments, target],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"pytest failed in {folder}")
    return Cost(seconds, usage.ru_maxrss / 1024)


def ratio(name: str, rounds: int, ours: tuple[Path, tuple[str, ...]], theirs: tuple[Path, tuple[str, ...]]) -> None:
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for _ in range(rounds):
        for side, (folder, arguments) in enumerate((ours, theirs)):
            costs[side].append(run(folder, *arguments))
    (our_time, our_memory), (their_time, their_memory) = (
        (statistics.median(cost.seconds for cost in side), statistics.median(cost.memory for cost in side))
        for side in costs
    )
    print(
        f"{name:<48} {our_time:7.2f} s / {their_time:6.2f} s = {our_time / their_time:5.2f}   "
        f"{our_memory:5.0f} MiB / {their_memory:4.0f} MiB = {our_memory / their_memory:5.2f}",
        flush=True,
    )


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
