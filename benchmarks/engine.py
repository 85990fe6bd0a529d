"""How long runs take that wait for agents and judges, against the ideal schedule, and whether anything is asked twice.

Run it with the Python of an environment that has the package: ``python benchmarks/engine.py [NAME…]``. Agent and judge
are one server in a process of its own, which answers after a fixed time and keeps all requests.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

AGENT_SECONDS, JUDGE_SECONDS = 0.3, 0.2
JUDGES, AGENTS = 16, 4

#: Evaluators with a judge; the prompts differ, so that each is a judgment of its own.
THREE = {"Relevance": {}, "Coherence": {}, "Fluency": {}}

KILLER = """
import os, pathlib, pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    # Only once: with loadfile, xdist runs the item again.
    killed = pathlib.Path(__file__).with_name("killed")
    if item.name == "item-60" and not killed.exists():
        killed.touch()
        os.kill(os.getpid(), 9)
"""


async def serve() -> None:
    """Answer agent and judge requests, and tell on GET how often each was asked."""
    asked: Counter[str] = Counter()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Clients break connections, those that are killed at any point.
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await answer(reader, writer)
        writer.close()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            size = next((int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length")), 0)
            body = await reader.readexactly(size)
            reply: object
            if lines[0].startswith("GET"):
                reply = dict(asked)
                asked.clear()
            elif "/agent" in lines[0]:
                prompt = json.loads(body)["prompt"]
                asked[f"agent {prompt}"] += 1
                await asyncio.sleep(AGENT_SECONDS)
                reply = {"text": f"An answer to {prompt}"}
            else:
                messages = json.loads(body)["messages"]
                asked[f"judge {json.dumps(messages)}"] += 1
                await asyncio.sleep(JUDGE_SECONDS)
                reply = completion({"reason": "Good.", "explanation": "Good.", "score": 5})
            payload = json.dumps(reply).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(payload), payload))
            await writer.drain()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def completion(answer: dict[str, object]) -> dict[str, object]:
    message = {"role": "assistant", "content": json.dumps(answer)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


class Project:
    """A folder with a document, and the server that its agent and judge are."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self.seconds = 0.0
        self.memory = 0.0

    def write(self, items: int, evaluators: dict[str, dict], *, documents: int = 1, recorded: bool = False) -> None:
        """Write items that the evaluators are to judge."""
        for old in self.folder.glob("*.json"):
            old.unlink()
        for document in range(documents):
            numbers = range(document * items // documents, (document + 1) * items // documents)
            entries = [
                {"prompt": f"Question {number}?", "extensions": {"id": f"item-{number}"}}
                | ({"response": f"Answer {number}."} if recorded else {})
                for number in numbers
            ]
            content = {"schemaVersion": "1.6.0", "default_evaluators": evaluators, "items": entries}
            (self.folder / f"items{document}.json").write_text(json.dumps(content))

    def run(self, *arguments: str, agent: bool = True) -> Counter[str]:
        """Run pytest; return how often each request was made."""
        settings = [f"evals_judge_url = {self.url}/v1", "evals_judge_model = m"]
        settings += [f"evals_agent = {self.url}/agent"] if agent else []
        (self.folder / "pytest.ini").write_text("\n".join(["[pytest]", *settings]))
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", *arguments],
            cwd=self.folder,
            env=environment | {"OPENAI_API_KEY": "none"},
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        output = process.stdout.read().decode()
        _, _, usage = os.wait4(process.pid, 0)
        self.seconds = time.perf_counter() - start
        self.memory = usage.ru_maxrss / 1024
        self.last_line = output.strip().splitlines()[-1]
        with urllib.request.urlopen(self.url) as reply:
            return Counter(json.loads(reply.read()))


def show(name: str, project: Project, ideal: float, start: float, asked: Counter[str]) -> None:
    twice = sum(count - 1 for count in asked.values())
    took = project.seconds - start
    print(
        f"{name:<44} {project.seconds:6.2f} s - {start:5.2f} s start-up = {took:6.2f} s, ideal {ideal:5.2f} s: "
        f"{took / ideal:4.2f}   {sum(asked.values()):5} requests, {twice} twice   {project.last_line}",
        flush=True,
    )


def measure(project: Project, wanted: list[str]) -> None:
    def take(name: str) -> bool:
        return not wanted or any(part in name for part in wanted)

    def start_up(*arguments: str) -> float:
        """Time a run that asks for one judgment and one response, less the time of these."""
        project.write(1, {"Relevance": {}})
        project.run(*arguments)
        return project.seconds - AGENT_SECONDS - JUDGE_SECONDS

    if take("judgments"):
        start = start_up("-p", "no:xdist")
        project.write(200, {"Relevance": {}}, recorded=True)
        asked = project.run("-p", "no:xdist", agent=False)
        show("200 judgments, one process", project, 200 / JUDGES * JUDGE_SECONDS, start, asked)
    if take("chains"):
        # The agents' slots are what is scarce: 100 / 4 rounds, and the judges of the last.
        ideal = 100 / AGENTS * AGENT_SECONDS + JUDGE_SECONDS
        for name, arguments in (("one process", ("-p", "no:xdist")), ("-n 2", ("-n2",))):
            start = start_up(*arguments)
            project.write(100, THREE)
            show(f"100 chains, {name}", project, ideal, start, project.run(*arguments))
    for dist in ("load", "loadfile", "worksteal"):
        if take(dist):
            start = start_up("-n4")
            project.write(300, THREE, documents=6)
            ideal = 300 / AGENTS / 4 * AGENT_SECONDS + JUDGE_SECONDS
            show(f"300 chains, -n 4 --dist {dist}", project, ideal, start, project.run("-n4", f"--dist={dist}"))
            (project.folder / "conftest.py").write_text(KILLER)
            show(f"the same, a worker killed ({dist})", project, ideal, start, project.run("-n4", f"--dist={dist}"))
            for name in ("conftest.py", "killed"):
                (project.folder / name).unlink()
    for items in (1_000, 10_000):
        if take("recorded"):
            for mode in ("record", "replay"):
                project.write(items, {"Relevance": {}}, recorded=True)
                project.run("-p", "no:xdist", f"--evals-judge={mode}", "--evals-judge-concurrency=64", agent=False)
                per_item = project.seconds / items * 1000
                print(
                    f"{items:6} items, {mode:<8} {project.seconds:6.1f} s, {per_item:5.2f} ms each, "
                    f"{project.memory:4.0f} MiB",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help="only these: judgments, chains, load, loadfile, worksteal, recorded")
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        with tempfile.TemporaryDirectory() as folder:
            measure(Project(Path(folder), int(server.stdout.readline())), options.names)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
