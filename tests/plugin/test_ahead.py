"""Items are evaluated ahead of their turn, and nothing of it shows but the time."""

from __future__ import annotations

import textwrap

import pytest
from sample_items import item

#: A client that tells of everything; ``{kind}`` is ``async def`` or ``def``.
CLIENT = """
    import asyncio, pytest, threading, time

    class Log:
        lines, now, most = [], 0, 0
        lock = threading.Lock()

        @classmethod
        def say(cls, line, step=0):
            with cls.lock:
                cls.now += step
                cls.most = max(cls.most, cls.now)
                cls.lines.append(line)

    class Sync:
        made = 0

        def __init__(self):
            Sync.made += 1
            self.number = Sync.made

        def __call__(self, prompt):
            Log.say(f"asked {prompt} by {self.number}", +1)
            time.sleep(0.05)
            Log.say(f"answered {prompt}", -1)
            return prompt

    class Async(Sync):
        async def __call__(self, prompt):
            Log.say(f"asked {prompt} by {self.number}", +1)
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                Log.say(f"cancelled {prompt}", -1)
                raise
            Log.say(f"answered {prompt}", -1)
            return prompt

    def pytest_unconfigure():
        open("log.txt", "w").write("\\n".join([f"most {Log.most}", *Log.lines]))
"""


@pytest.fixture
def logged(pytester):
    """Run with a client and return its log: each line as a list of words."""

    def logged(*arguments, scope="session", kind="Async", more=""):
        fixture = f"@pytest.fixture(scope={scope!r})\ndef agent_client():\n    return {kind}()\n"
        pytester.makeconftest(textwrap.dedent(CLIENT) + fixture + textwrap.dedent(more))
        logged.result = pytester.runpytest("-p", "no:xdist", *arguments)
        return [line.split() for line in (pytester.path / "log.txt").read_text().splitlines()]

    return logged


def items(count, **fields):
    evaluators = {"Contains": {"any": ["p"]}}
    return [
        {"prompt": f"p{number}", "extensions": {"id": f"p{number}"}, "evaluators": evaluators, **fields}
        for number in range(count)
    ]


def asked(log):
    return [words[1] for words in log if words[0] == "asked"]


def most(log):
    return int(log[0][1])


@pytest.mark.parametrize("kind", ["Sync", "Async"])
def test_as_many_prompts_as_allowed_are_under_way_at_once(logged, write, kind):
    write(*items(12), default_evaluators={})
    log = logged("--evals-agent-concurrency=3", kind=kind)
    assert most(log) == 3
    assert sorted(asked(log)) == sorted(f"p{number}" for number in range(12))
    logged.result.assert_outcomes(passed=12)


def test_an_agent_that_is_asked_one_at_a_time_is_asked_when_its_turn_comes(logged, write):
    write(*items(5), default_evaluators={})
    log = logged(
        "--evals-agent-concurrency=1",
        more="@pytest.fixture(autouse=True)\ndef turn(request):\n    Log.say(f'turn {request.node.name}')",
    )
    told = [words[:2] for words in log[1:]]
    assert told == [[what, f"p{number}"] for number in range(5) for what in ("turn", "asked", "answered")]


def test_fixtures_of_an_item_run_when_its_turn_comes(logged, write):
    write(*items(8), default_evaluators={})
    log = logged(more="@pytest.fixture(autouse=True)\ndef turn(request):\n    Log.say(f'turn {request.node.name}')")
    assert [words[1] for words in log if words[0] == "turn"] == [f"p{number}" for number in range(8)]
    assert log.index(["asked", "p3", "by", "1"]) < log.index(["turn", "p3"])


def test_items_that_run_in_another_process_do_not_stop_the_work_ahead(logged, write):
    """Under pytest-xdist, a process runs some of the items that it sees, and never learns which beforehand."""
    write(*items(200), default_evaluators={})
    log = logged(
        "--evals-agent-concurrency=2",
        "--evals-judge-concurrency=1",
        more="""
            @pytest.fixture(autouse=True)
            def turn(request):
                Log.say(f"turn {request.node.name}")

            def pytest_runtest_protocol(item):
                return int(item.name[1:]) % 4 > 1 or None
        """,
    )
    turns = [position for position, words in enumerate(log) if words[0] == "turn"]
    assert len(turns) == 100
    for position in turns[4:]:
        # All that come before the last two, which did not run here, were asked.
        assert len(asked(log[:position])) >= int(log[position][1][1:]) - 2


@pytest.mark.parametrize("scope", ["function", "class"])
@pytest.mark.parametrize("kind", ["Sync", "Async"])
def test_a_client_of_one_item_answers_that_item_alone(logged, write, scope, kind):
    write(*items(4), default_evaluators={})
    log = logged(scope=scope, kind=kind)
    assert [words for words in log if words[0] == "asked"] == [
        ["asked", f"p{number}", "by", str(number + 1)] for number in range(4)
    ]
    assert most(log) == 1


def test_a_function_scoped_client_may_be_the_same_object_and_is_not_used_ahead(logged, write):
    write(*items(4), default_evaluators={})
    log = logged(
        more="""
        client = Async()

        @pytest.fixture
        def agent_client():
            Log.say("made")
            return client
        """
    )
    assert [words[0] for words in log[1:]] == ["made", "asked", "answered"] * 4


@pytest.mark.parametrize(("scope", "clients"), [("module", 3), ("package", 1), ("session", 1)])
def test_documents_get_the_clients_of_their_scope(logged, write, scope, clients):
    prompts = items(12)
    for number in range(3):
        write(*prompts[number * 4 : number * 4 + 4], name=f"{number}.json", default_evaluators={})
    log = logged(scope=scope)
    asked_by = {words[1]: int(words[3]) for words in log if words[0] == "asked"}
    assert asked_by == {f"p{number}": number // 4 + 1 if clients == 3 else 1 for number in range(12)}
    assert most(log) > 1


def test_folders_with_a_client_of_their_own_do_not_borrow(logged, write, pytester):
    prompts = items(9)
    for number, folder in enumerate("abc"):
        write(*prompts[number * 3 : number * 3 + 3], name=f"{folder}/faq.json", default_evaluators={})
    (pytester.path / "b/conftest.py").write_text(
        "import pytest\n@pytest.fixture(scope='session')\ndef agent_client():\n    return lambda prompt: 'p of b'"
    )
    log = logged("-vv", "-rA")
    assert sorted(asked(log)) == ["p0", "p1", "p2", "p6", "p7", "p8"]


def test_a_run_that_stops_early_cancels_what_is_under_way(logged, write):
    prompts = items(60)
    prompts[2] = {**prompts[2], "evaluators": {"Contains": {"any": ["nothing of this"]}}}
    write(*prompts, default_evaluators={})
    log = logged("-x", "--evals-agent-concurrency=4")
    assert 3 <= len(asked(log)) <= 12
    answered = [words[1] for words in log if words[0] in {"answered", "cancelled"}]
    assert sorted(answered) == sorted(asked(log))
    assert any(words[0] == "cancelled" for words in log)


def test_items_that_are_not_selected_or_skipped_are_not_asked(logged, write):
    write(*items(12), default_evaluators={})
    log = logged(
        "-k",
        "not p7",
        more="""
        def pytest_collection_modifyitems(items):
            items[5].add_marker(pytest.mark.skip)
        """,
    )
    assert sorted(asked(log)) == sorted(f"p{number}" for number in range(12) if number not in {5, 7})


def test_who_debugs_gets_one_thing_at_a_time(logged, write):
    write(*items(6), default_evaluators={})
    assert most(logged("--pdb")) == 1


def test_an_item_that_runs_again_asks_anew(logged, write):
    write(*items(6), default_evaluators={})
    log = logged(
        more="""
        def pytest_runtest_protocol(item, nextitem):
            from _pytest.runner import runtestprotocol

            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for again in range(2 if item.name == "p4" else 1):
                runtestprotocol(item, nextitem=nextitem)
            return True
        """
    )
    assert sorted(asked(log)) == sorted([*(f"p{number}" for number in range(6)), "p4"])


def test_the_same_prompt_is_asked_once_in_a_session(logged, write):
    twins = [{**each, "prompt": "p0"} for each in items(6)]
    write(*twins, default_evaluators={})
    assert asked(logged()) == ["p0"]
    logged.result.assert_outcomes(passed=6)


def test_threads_with_the_same_beginning_have_conversations_of_their_own(pytester, write):
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def agent_client():
            heard = {}

            async def ask(prompt, conversation):
                heard.setdefault(conversation.id, []).append(prompt)
                return " ".join(heard[conversation.id])

            return ask
        """
    )
    threads = []
    for end in ("one", "two", "three", "four"):
        whole = {"ExactMatch": {}}
        turns = [{"prompt": "hello"}, {"prompt": end, "expected_response": f"hello {end}", "evaluators": whole}]
        threads.append({"name": end, "turns": turns})
    write(*threads, default_evaluators={})
    pytester.runpytest("-p", "no:xdist").assert_outcomes(passed=4)


def test_a_client_that_skips_skips_the_item_that_asked(pytester, write):
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def agent_client():
            async def ask(prompt):
                if prompt == "p3":
                    pytest.skip("not today")
                return prompt

            return ask
        """
    )
    write(*items(6), default_evaluators={})
    pytester.runpytest("-p", "no:xdist", "-rs").assert_outcomes(passed=5, skipped=1)


def test_what_the_recording_needs_is_known_of_items_evaluated_ahead(pytester, write):
    pytester.makeconftest("import pytest\n@pytest.fixture(scope='session')\ndef agent_client():\n    return str.upper")
    write(*(item(f"n{number}", response=None, expected=f"IS N{number} RIGHT?") for number in range(6)))
    pytester.runpytest("-p", "no:xdist", "--evals-judge=record").assert_outcomes(passed=6)
    result = pytester.runpytest("-p", "no:xdist", "--evals-judge=replay")
    result.assert_outcomes(passed=6)
    result.stdout.no_fnmatch_line("*stale*")
