"""How many requests run at once."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.judge.limits import PROBES, Limiter
from pytest_agentevals.testing import Reply


def run_all(limiter, outcomes):
    """Run one request per outcome ("answered", "refused" or None) and return the most that ran at once."""
    running = most = 0

    async def request(outcome):
        nonlocal running, most
        async with limiter:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            if outcome:
                getattr(limiter, outcome)()

    async def main():
        await asyncio.gather(*map(request, outcomes))

    asyncio.run(main())
    return most


def test_only_a_few_requests_probe_a_server_that_never_answered():
    assert run_all(Limiter(16), [None] * 20) == PROBES


def test_after_the_first_answer_all_turns_are_taken():
    assert run_all(Limiter(16), ["answered"] * 60) == 16


def test_a_burst_of_refusals_halves_the_limit_once_and_answers_raise_it_again():
    limiter = Limiter(16)
    run_all(limiter, ["answered"] * 20)

    async def burst():
        async with asyncio.TaskGroup() as group:
            for _ in range(16):
                group.create_task(refuse())

    async def refuse():
        async with limiter:
            await asyncio.sleep(0)
            limiter.refused()

    asyncio.run(burst())
    assert limiter.limit == 8

    for _ in range(200):
        limiter.answered()
    assert limiter.limit == 16


@given(st.lists(st.sampled_from(["answered", "refused", None]), max_size=60), st.integers(1, 16))
def test_every_request_gets_its_turn_and_the_limit_stays_in_its_bounds(outcomes, maximum):
    limiter = Limiter(maximum)

    assert run_all(limiter, outcomes) <= maximum
    assert 1 <= limiter.limit <= maximum


def test_a_cancelled_request_gives_its_turn_back():
    async def main():
        limiter = Limiter(1)
        async with limiter:
            waiting = asyncio.create_task(limiter.__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
        async with asyncio.timeout(1), limiter:
            return True

    assert asyncio.run(main())


@pytest.mark.parametrize("maximum", [1, 8])
def test_a_server_that_takes_few_requests_at_once_gets_few(maximum, serve, connect, question):
    """A server that refuses what exceeds two at once serves 40 requests without an error."""
    import threading

    from pytest_agentevals import loop

    running, lock = 0, threading.Lock()

    def script(_):
        nonlocal running
        with lock:
            if running >= 2:
                return Reply(status=429, headers={"retry-after-ms": "50"})
            running += 1
        threading.Timer(0.03, leave).start()
        return Reply(content="{}", delay=0.03)

    def leave():
        nonlocal running
        with lock:
            running -= 1

    server = serve(script)
    model = connect(server.config, concurrency=maximum)

    replies = loop.run(loop.gather(model.complete(question(), timeout=20) for _ in range(40)))

    assert [reply.content for reply in replies] == ["{}"] * 40
