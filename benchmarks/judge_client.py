"""What a judge call costs: CPU per call and connections against an instant server, elapsed time against a slow one.

Run ``python benchmarks/judge_client.py``. The server is a process of its own, so that its CPU time does not count.
Targets: at most 5 ms of CPU per call; 200 calls at 200 ms, 16 at once, in at most 1.3 times 200/16 * 0.2 s.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time

from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.judge.client import OpenAIChatModel
from pytest_agentevals.judge.config import ModelConfig

CALLS, CONCURRENCY, LATENCY = 200, 16, 0.2

REQUEST = JudgeRequest(
    evaluator="Relevance",
    prompt_version="benchmark",
    messages=({"role": "system", "content": "Judge. " * 300}, {"role": "user", "content": "An answer. " * 700}),
    parameters={"temperature": 0.0, "max_tokens": 800, "response_format": {"type": "json_object"}},
)


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, latency: float) -> None:
    """Serve one connection: read requests, wait, answer; a line on stderr counts it."""
    content = json.dumps({"explanation": "It is to the point.", "score": 4})
    message = {"role": "assistant", "content": content}
    usage = {"prompt_tokens": 3000, "completion_tokens": 20, "total_tokens": 3020}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()
    print("connection", file=sys.stderr, flush=True)
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
            await asyncio.sleep(latency)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
            writer.write(body)
    except asyncio.IncompleteReadError:
        writer.close()


async def serve(latency: float) -> None:
    server = await asyncio.start_server(lambda reader, writer: answer(reader, writer, latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def measure(port: int, calls: int) -> tuple[float, float]:
    """Return the CPU seconds and the elapsed seconds of ``calls`` calls, after one that makes the client."""
    config = ModelConfig(model="benchmark", base_url=f"http://127.0.0.1:{port}/v1")
    model = OpenAIChatModel(config, concurrency=CONCURRENCY)
    await model.complete(REQUEST, timeout=30)
    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.gather(*(model.complete(REQUEST, timeout=30) for _ in range(calls)))
    spent = time.process_time() - cpu, time.perf_counter() - start
    await model.close()
    return spent


def run(latency: float) -> tuple[float, float, int]:
    """Measure against a server with a latency in seconds; also the number of connections it got."""
    command = [sys.executable, __file__, "serve", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        port = int(server.stdout.readline())
        cpu, elapsed = asyncio.run(measure(port, CALLS))
        server.terminate()
        connections = server.stderr.read().count("connection\n")
    return cpu, elapsed, connections


def main() -> None:
    cpu, _, connections = run(0.0)
    print(f"instant server: {cpu / CALLS * 1000:.2f} ms CPU per call, {connections} connections for {CALLS + 1} calls")
    _, elapsed, _ = run(LATENCY)
    ideal = CALLS / CONCURRENCY * LATENCY
    print(f"{LATENCY * 1000:.0f} ms server: {elapsed:.2f} s, {elapsed / ideal:.2f} times the ideal {ideal:.2f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(float(sys.argv[2])))
    else:
        main()
