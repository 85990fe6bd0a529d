"""Whom an item asks: the `agent_client` fixture of its directory, or the recorded response."""

from __future__ import annotations

import textwrap

import pytest
from sample_items import item

ASKED = item("asked", response=None, expected="Is asked right?")


def client(pytester, source, scope="session", folder="."):
    path = pytester.path / folder / "conftest.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"import pytest\n\n@pytest.fixture(scope={scope!r})\ndef agent_client():\n"
        + textwrap.indent(textwrap.dedent(source), "    ")
    )


@pytest.mark.parametrize(
    "source",
    [
        "return lambda prompt: prompt",
        "return lambda prompt, conversation: prompt",
        "return lambda prompt: {'text': prompt}",
        "from pytest_agentevals import AgentResponse\nreturn lambda prompt: AgentResponse(text=prompt)",
        "async def ask(prompt):\n    return prompt\nreturn ask",
        "class Agent:\n    async def __call__(self, prompt, conversation):\n        return prompt\nreturn Agent()",
    ],
    ids=["function", "with-conversation", "dict", "response", "async", "async-object"],
)
def test_a_client_is_any_callable(run, write, pytester, source):
    client(pytester, source)
    write(ASKED)
    run().assert_outcomes(passed=1)


def test_a_client_is_asked_even_where_a_response_is_recorded(run, write, pytester):
    client(pytester, "return lambda prompt: 'no'")
    write(item("recorded", response="yes"))
    run().assert_outcomes(failed=2)


def test_directories_have_clients_of_their_own(run_in_process, write, pytester):
    for folder in ("one", "two"):
        client(pytester, f"return lambda prompt: {folder!r}", folder=folder)
        write(item(folder, response=None, expected=folder), name=f"{folder}/faq.json")
    run_in_process().assert_outcomes(passed=2)


def test_a_client_may_build_on_the_one_above(run, write, pytester):
    client(pytester, "return str.upper")
    pytester.path.joinpath("sub").mkdir()
    pytester.path.joinpath("sub/conftest.py").write_text(
        "import pytest\n@pytest.fixture(scope='session')\ndef agent_client(agent_client):\n"
        "    return lambda p: agent_client(p) + '!'"
    )
    write(item("chained", response=None, expected="IS CHAINED RIGHT?!"), name="sub/faq.json")
    run().assert_outcomes(passed=1)


def test_what_the_agent_raises_is_an_error_with_its_place_in_the_users_code(run, write, pytester):
    client(pytester, "def ask(prompt):\n    raise ValueError('no index')\nreturn ask")
    write(ASKED)
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["ERROR faq.json::asked - agentRequestFailed: *ValueError: no index*"])
    assert "conftest.py:6" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def test_an_answer_that_is_no_response_is_an_error(run, write, pytester):
    client(pytester, "return lambda prompt: 42")
    write(ASKED)
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the agent client returned 42 (int); allowed are str, AgentResponse*"])


def test_a_fixture_that_fails_is_an_error_shown_with_the_users_traceback(run_everywhere, write, pytester):
    client(pytester, "raise ConnectionError('agent is down')")
    write(ASKED)
    result = run_everywhere()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*raise ConnectionError*", "ERROR *asked - ConnectionError: agent is down"])


def test_a_fixture_that_returns_no_callable_is_an_error_in_one_sentence(run, write, pytester):
    client(pytester, "return 'https://example'")
    write(ASKED)
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture agent_client: the agent client is a str, which cannot be called*"])


def test_a_fixture_may_skip_the_item(run, write, pytester):
    client(pytester, "pytest.skip('no agent here')")
    write(ASKED)
    result = run("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*no agent here"])


def test_a_function_scoped_client_is_made_for_each_item(run_in_process, write, pytester):
    client(pytester, "print('new client')\nreturn lambda prompt: prompt", scope="function")
    write(ASKED, item("two", response=None, expected="Is two right?"))
    result = run_in_process("-s")
    result.assert_outcomes(passed=2)
    if run_in_process.mode != "n2":  # workers of pytest-xdist do not show what tests print
        assert result.stdout.str().count("new client") == 2


THREAD = {
    "name": "talk",
    "turns": [
        {"prompt": text, "evaluators": {"Contains": {"any": [text]}}, "evaluators_mode": "replace"}
        for text in ("alpha", "beta", "gamma")
    ],
}


def test_turns_run_in_order_with_the_conversation_so_far(run, write, pytester):
    client(
        pytester,
        "return lambda prompt, conversation: ' '.join([m['content'] for m in conversation.messages] + [prompt])",
    )
    thread = {"name": "talk", "turns": [dict(turn) for turn in THREAD["turns"]]}
    thread["turns"][2] = {
        "prompt": "gamma",
        "expected_response": "alpha alpha beta alpha alpha beta gamma",
        "evaluators": {"ExactMatch": {}},
        "evaluators_mode": "replace",
    }
    write(thread)
    result = run("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*::talk SUBPASSED?turn 1: Contains?*", "*::talk SUBPASSED?turn 3: ExactMatch?*"])


def test_after_a_failed_request_later_turns_are_not_attempted(run_in_process, write, pytester):
    client(
        pytester,
        "def ask(prompt):\n    assert prompt != 'gamma', 'asked'\n"
        "    if prompt == 'beta':\n        raise OSError('down')\n    return prompt\nreturn ask",
    )
    write(THREAD)
    result = run_in_process()
    result.stdout.fnmatch_lines(["ERROR *talk - turn 2: agentRequestFailed: OSError: down (*"])
    assert "OSError: down (conftest.py:8); 1 later turn not attempted" in " ".join(result.stdout.str().split())
    assert result.stdout.lines[-1] == "evals: 2 could not be evaluated, 1 passed"


def test_a_failed_verdict_does_not_stop_a_thread(run, write, pytester):
    client(pytester, "return lambda prompt: 'gamma'")
    write(THREAD)
    result = run()
    assert result.stdout.lines[-1] == "evals: 2 failed, 1 passed"
