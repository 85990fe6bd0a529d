"""Every question is asked once, whoever wants to know."""

from __future__ import annotations

import asyncio

import pytest

from pytest_agentevals.engine.answers import Answers
from pytest_agentevals.engine.store import Store


class Questions:
    """Counts what is asked; answers after a while."""

    def __init__(self, seconds=0.02):
        self.asked = []
        self.now = self.most = 0
        self._seconds = seconds

    def ask(self, key, value=None):
        async def ask():
            self.asked.append(key)
            self.now += 1
            self.most = max(self.most, self.now)
            try:
                await asyncio.sleep(self._seconds)
            finally:
                self.now -= 1
            if isinstance(value, Exception):
                raise value
            return value or {"text": key}

        return ask


@pytest.fixture
def questions():
    return Questions()


@pytest.fixture
def two_processes(tmp_path):
    """Answers as two processes have them that share a store."""
    stores = [Store(tmp_path / "answers.sqlite", owner) for owner in ("one", "two")]
    yield [Answers(shared=store) for store in stores]
    for store in stores:
        store.close()


def test_who_asks_the_same_waits_for_the_same_answer(questions):
    async def main():
        answers, slots = Answers(), asyncio.Semaphore(9)
        return await asyncio.gather(*(answers.get("key", questions.ask("key"), slots) for _ in range(5)))

    assert [answer.value for answer in asyncio.run(main())] == [{"text": "key"}] * 5
    assert questions.asked == ["key"]


def test_no_more_questions_are_under_way_than_there_are_slots(questions):
    async def main():
        answers, slots = Answers(), asyncio.Semaphore(3)
        await asyncio.gather(*(answers.get(str(key), questions.ask(key), slots) for key in range(20)))

    asyncio.run(main())
    assert (len(questions.asked), questions.most) == (20, 3)


def test_one_that_waits_no_longer_does_not_end_it_for_others(questions):
    async def main():
        answers, slots = Answers(), asyncio.Semaphore(1)
        first, second = (asyncio.create_task(answers.get("key", questions.ask("key"), slots)) for _ in range(2))
        await asyncio.sleep(0.005)
        first.cancel()
        return await second

    assert asyncio.run(main()).value == {"text": "key"}
    assert questions.asked == ["key"]


def test_processes_ask_once_between_them(questions, two_processes):
    async def main():
        slots = asyncio.Semaphore(4)
        return await asyncio.gather(
            *(answers.get(str(key), questions.ask(key), slots) for key in range(20) for answers in two_processes)
        )

    assert len(asyncio.run(main())) == 40
    assert sorted(questions.asked) == list(range(20))


def test_others_ask_what_a_process_gave_up(questions, two_processes):
    async def main():
        slots = asyncio.Semaphore(4)
        one, two = two_processes
        first = asyncio.create_task(one.get("key", questions.ask("given up"), slots))
        await asyncio.sleep(0.005)
        second = asyncio.create_task(two.get("key", questions.ask("asked again"), slots))
        await one.stop()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await second

    assert asyncio.run(main()).value == {"text": "asked again"}
    assert questions.asked == ["given up", "asked again"]


def test_what_is_asked_already_is_finished_and_the_rest_is_not_begun(questions, two_processes):
    async def main():
        one, two = two_processes
        slots = asyncio.Semaphore(1)
        tasks = [asyncio.create_task(one.get(key, questions.ask(key), slots)) for key in ("first", "second")]
        await asyncio.sleep(0.005)
        await one.finish()
        found = await two.get("first", questions.ask("asked twice"), asyncio.Semaphore(1))
        await asyncio.gather(*tasks, return_exceptions=True)
        return found

    assert asyncio.run(main()).value == {"text": "first"}
    assert questions.asked == ["first"]


def test_a_failure_is_raised_for_all_and_leaves_no_claim(questions, two_processes):
    async def main():
        one, two = two_processes
        slots = asyncio.Semaphore(4)
        asking = (one.get("key", questions.ask("key", ValueError("no")), slots) for _ in range(2))
        failures = await asyncio.gather(*asking, return_exceptions=True)
        return failures, await two.get("key", questions.ask("again"), slots)

    failures, answer = asyncio.run(main())
    assert [str(failure) for failure in failures] == ["no", "no"]
    assert answer.value == {"text": "again"}


def test_kept_answers_are_used_by_the_next_run_and_errors_are_not_kept(tmp_path, questions):
    async def main(kept):
        answers, slots = Answers(kept=kept), asyncio.Semaphore(4)
        good = await answers.get("good in this run", questions.ask("good", [{"response": 1}]), slots, keep="good")
        await answers.get("bad", questions.ask("bad", [{"error": "down"}]), slots, keep="bad")
        await answers.get("passing", questions.ask("passing"), slots)
        return good.kept

    store = Store(tmp_path / "kept.sqlite")
    assert [asyncio.run(main(store)) for _ in range(2)] == [False, True]
    store.close()
    assert questions.asked == ["good", "bad", "passing", "bad", "passing"]
