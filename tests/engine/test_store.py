"""Answers in a file, used by several processes."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import textwrap

import pytest

from pytest_agentevals.engine.store import Store
from pytest_agentevals.errors import ConfigurationError


@pytest.fixture
def open_store(tmp_path):
    stores = []

    def open_store(owner="", name="answers.sqlite"):
        stores.append(Store(tmp_path / name, owner))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def test_an_answer_is_there_for_others_and_for_later(open_store):
    answer = {"text": "äöü \ud83d", "list": [1, None]}
    open_store().put("key", answer)
    assert open_store().look(["key", "other"]) == {"key": answer}
    assert len(open_store()) == 1


def test_only_one_owner_has_a_claim(open_store):
    one, two = open_store("one"), open_store("two")
    assert one.claim("key")
    assert not two.claim("key")
    assert two.look(["key"]) == {"key": None}
    two.release("key")
    assert not two.claim("key")
    one.release("key")
    assert two.claim("key")


def test_what_is_answered_cannot_be_claimed(open_store):
    open_store("one").put("key", 1)
    assert not open_store("two").claim("key")


def test_claims_of_a_dead_owner_are_given_up_and_its_answers_stay(open_store):
    dead, alive = open_store("dead"), open_store("alive")
    dead.claim("asking")
    dead.put("answered", 1)
    alive.claim("mine")
    alive.release_all("dead")
    assert alive.look(["asking", "answered", "mine"]) == {"answered": 1, "mine": None}


def _claim_all(path, owner, start, claimed):
    store = Store(path, owner)
    start.wait()
    claimed.put([key for key in map(str, range(100)) if store.claim(key)])


def test_processes_that_claim_at_once_share_the_keys_between_them(tmp_path):
    Store(tmp_path / "answers.sqlite").close()
    context = multiprocessing.get_context("spawn")
    start, claimed = context.Event(), context.Queue()
    processes = [
        context.Process(target=_claim_all, args=(tmp_path / "answers.sqlite", str(owner), start, claimed))
        for owner in range(3)
    ]
    for process in processes:
        process.start()
    start.set()
    keys = [key for _ in processes for key in claimed.get(timeout=60)]
    for process in processes:
        process.join()
    assert sorted(keys, key=int) == [str(number) for number in range(100)]


def test_a_killed_process_leaves_a_file_with_all_that_it_wrote(tmp_path):
    code = """
        import os, pathlib, sys
        from pytest_agentevals.engine.store import Store
        store = Store(pathlib.Path(sys.argv[1]), "killed")
        for number in range(50):
            store.put(str(number), number)
        store.claim("asking")
        os.kill(os.getpid(), 9)
    """
    path = tmp_path / "answers.sqlite"
    process = subprocess.run([sys.executable, "-c", textwrap.dedent(code), path], check=False)
    assert process.returncode == -signal.SIGKILL
    store = Store(path)
    assert len(store) == 50
    store.put("next", 1)
    store.close()


@pytest.mark.parametrize("content", [b"no database at all, but text of some length " * 50, None])
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path, content):
    path = tmp_path / "answers.sqlite"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"answers\.sqlite cannot be used to keep answers .*delete it"):
        Store(path)


def test_clearing_forgets_everything(open_store):
    store = open_store()
    store.put("key", 1)
    store.clear()
    assert len(open_store()) == 0
