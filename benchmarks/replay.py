"""What replaying costs: 200 recorded judgments beside as many deterministic ones, as a ratio in one run.

Run it with the Python of an environment that has the package: ``python benchmarks/replay.py [--rounds N]``. The two
sides take turns, so that a busy machine meets both; the first run of each does not count. The judge is recorded on
loopback and gone when the recording is replayed: a request would be an error.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from pytest_agentevals.testing import ScriptedServer

JUDGMENTS = 200
QUIET = ("-p", "no:cacheprovider", "-p", "no:xdist", "-q")
#: Fails the run where a client was imported.
CONFTEST = """
import sys

def pytest_sessionfinish(session):
    if "--evals-judge=replay" in session.config.invocation_params.args and "openai" in sys.modules:
        raise RuntimeError("openai is imported")
"""


def document(folder: Path, evaluator: str) -> Path:
    items = [
        {"prompt": f"Question {n}?", "response": f"answer {n} [1]", "expected_response": f"answer {n} [1]"}
        for n in range(JUDGMENTS)
    ]
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(CONFTEST)
    content = {"schemaVersion": "1.6.0", "default_evaluators": {evaluator: {}}, "items": items}
    (folder / "items.json").write_text(json.dumps(content))
    return folder


def run(folder: Path, *arguments: str, **variables: str) -> tuple[float, float]:
    """Return wall and CPU seconds of a run in which everything has to pass."""
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "PYTHONDONTWRITEBYTECODE"}}
    before, start = os.times(), os.times().elapsed
    process = subprocess.run(
        [sys.executable, "-m", "pytest", *QUIET, *arguments],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    if process.returncode != 0:
        raise SystemExit(process.stdout + process.stderr)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return after.elapsed - start, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        judged = document(Path(name, "judged"), "Relevance")
        deterministic = document(Path(name, "deterministic"), "ExactMatch")
        with ScriptedServer(lambda _: {"explanation": "Good.", "reason": "Good.", "score": 5}) as server:
            run(judged, "--evals-judge=record", OPENAI_BASE_URL=server.base_url, OPENAI_MODEL="m")
        run(judged, "--evals-judge=replay")
        run(deterministic)
        pairs = [(run(judged, "--evals-judge=replay"), run(deterministic)) for _ in range(rounds)]
    for index, unit in enumerate(("wall", "CPU")):
        ours, theirs = (statistics.median(pair[side][index] for pair in pairs) for side in (0, 1))
        print(f"{JUDGMENTS} replayed / deterministic  {ours:.2f} s / {theirs:.2f} s {unit} = {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
