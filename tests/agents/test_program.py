"""An agent that is a program, with real processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_agentevals import loop
from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.errors import AgentError

ONCE = """
import json, os, sys
request = json.load(sys.stdin)
history = [message["content"] for message in request["conversation"]["messages"]]
print(json.dumps({"text": f"{request['prompt']} {history} {sys.argv[1:]} {os.path.basename(os.getcwd())}"}))
"""
KEPT = """
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["prompt"] == "crash":
        sys.exit("Traceback\\nValueError: bad prompt")
    if request["prompt"] == "chat":
        print("starting up")
    if request["prompt"] == "hang":
        import time; time.sleep(60)
    print(json.dumps(f"{os.getpid()} {request['prompt']}"), flush=True)
"""


@pytest.fixture
def program(tmp_path):
    """Write a program and make the client that starts it."""

    def made(source, arguments="", **settings):
        (tmp_path / "agent.py").write_text(source)
        return make_client(f"exec:{sys.executable} agent.py {arguments}", root=tmp_path, settings=settings)

    return made


def test_a_program_reads_a_request_and_writes_a_response(program, ask, tmp_path):
    thread = Conversation("c1", [{"role": "user", "content": "Hi"}])
    assert ask(program(ONCE), "Ü", thread).text == f"Ü ['Hi'] [] {tmp_path.name}"


def test_the_command_is_split_into_words_and_no_shell_sees_it(program, ask):
    assert "['a b', '$HOME', '*', ';', 'ls']" in ask(program(ONCE, "'a b' $HOME * ; ls")).text


def test_programs_that_are_kept_alive_answer_many_prompts(program, ask):
    client = program(KEPT, keep_alive=True)
    first, second = (ask(client, prompt).text.split() for prompt in "AB")
    assert first[0] == second[0]
    assert [first[1], second[1]] == ["A", "B"]


def test_as_many_programs_are_kept_as_prompts_are_asked_at_once(program):
    caller = Caller(program(KEPT, keep_alive=True))

    async def ask_all():
        return await asyncio.gather(*(caller.ask(str(number), Conversation()) for number in range(3)))

    answers = [response.text.split() for response in loop.run(ask_all())]
    assert [answer[1] for answer in answers] == ["0", "1", "2"]
    assert len({answer[0] for answer in answers}) == 3


def test_a_program_that_ends_is_named_with_its_last_words_and_started_anew(program, ask):
    client = program(KEPT, keep_alive=True)
    before = ask(client, "A").text
    with pytest.raises(AgentError, match=r"ended with status 1: ValueError: bad prompt$") as caught:
        ask(client, "crash")
    assert caught.value.code == "agentRequestFailed"
    assert ask(client, "A").text != before


def test_a_program_that_died_between_two_prompts_is_started_anew(program, ask):
    client = program(KEPT, keep_alive=True)
    identifier = int(ask(client, "A").text.split()[0])
    os.kill(identifier, 9)
    time.sleep(0.3)
    assert ask(client, "A").text.split()[1] == "A"


def test_other_text_on_standard_output_is_unparseable_and_does_not_shift_the_answers(program, ask):
    client = program(KEPT, keep_alive=True)
    with pytest.raises(AgentError, match=r"the agent wrote 'starting up' \(str\) to standard output") as caught:
        ask(client, "chat")
    assert caught.value.code == "agentResponseUnparseable"
    assert ask(client, "A").text.split()[1] == "A"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys; sys.exit(3)", "ended with status 3 without a word on standard error"),
        ("raise SystemExit('no key')", "ended with status 1: no key"),
        ("import os; os.kill(os.getpid(), 15)", "was ended by signal 15"),
        ("", "the agent wrote '' (str) to standard output"),
        ("print('Hello')", "the agent wrote 'Hello' (str) to standard output; allowed is one JSON value"),
        ("print('[1]')", "the agent client returned [1] (list)"),
    ],
)
def test_a_program_that_gives_no_response_says_why(program, ask, source, said):
    with pytest.raises(AgentError) as caught:
        ask(program(source))
    assert said in str(caught.value)


def test_a_line_that_never_ends_is_refused(program, ask, monkeypatch):
    monkeypatch.setattr("pytest_agentevals.agents.process.LONGEST_ANSWER", 2**20)
    source = "import sys\nfor line in sys.stdin:\n    while True: sys.stdout.write('x' * 2**16)"
    with pytest.raises(AgentError, match="wrote a line of more than 1 MiB") as caught:
        ask(program(source, keep_alive=True))
    assert caught.value.code == "agentResponseUnparseable"


def test_a_lot_on_standard_error_and_output_does_not_block(program, ask):
    source = "import json, sys; sys.stderr.write('x' * 10**6); print(json.dumps('y' * 10**6))"
    assert len(ask(program(source)).text) == 10**6


def test_an_answer_of_megabytes_in_one_line_is_read(program, ask):
    source = "import json, sys\nfor line in sys.stdin: print(json.dumps('y' * 10**6), flush=True)"
    assert len(ask(program(source, keep_alive=True)).text) == 10**6


def test_a_program_that_does_not_exist_is_named(tmp_path, ask):
    with pytest.raises(AgentError, match=r'^the agent "./no-such-agent" cannot be started: No such file or directory$'):
        ask(make_client("exec:./no-such-agent --fast", root=tmp_path))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("keep_alive", [False, True])
def test_a_program_that_is_interrupted_is_ended_with_all_that_it_started(program, tmp_path, keep_alive):
    source = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("started.tmp", "w").write(f"{os.getpid()} {child.pid}")
os.rename("started.tmp", "started")
time.sleep(60)
"""
    running = loop.submit(Caller(program(source, keep_alive=keep_alive)).ask("Q", Conversation()))
    started = tmp_path / "started"
    wait_until(started.exists)
    running.cancel()
    identifiers = [int(word) for word in started.read_text().split()]
    wait_until(lambda: not any(alive(each) for each in identifiers))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
def test_programs_that_are_kept_alive_end_with_the_run(program, tmp_path):
    program(f"{KEPT}\nimport time; time.sleep(60)", keep_alive=True)
    run = f"""
from pathlib import Path
from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.agents.spec import make_client
client = make_client("exec:{sys.executable} agent.py", root=Path("."), settings={{"keep_alive": True}})
print(Caller(client).ask_sync("A", Conversation()).text.split()[0])
"""
    done = subprocess.run([sys.executable, "-c", run], cwd=tmp_path, timeout=50, check=True, capture_output=True)
    assert done.stderr == b""
    assert not alive(int(done.stdout))


def test_a_program_that_takes_too_long_is_given_up(program, ask):
    with pytest.raises(AgentError, match=r"did not answer within 0\.2 s") as caught:
        ask(program("import time; time.sleep(60)", timeout=0.2))
    assert caught.value.code == "agentTimeout"


def wait_until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def alive(identifier):
    """Whether a process runs; one that only waits to be collected by whoever adopted it does not."""
    try:
        return Path(f"/proc/{identifier}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
