"""A judgment is the first usable answer of two, or an error that keeps what was said."""

from __future__ import annotations

import json

import pytest

from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import UnusableAnswer
from pytest_agentevals.judge.live import LiveJudge
from pytest_agentevals.testing import Reply, scripted_judge

GOOD = Reply(content='{"score": 4}', prompt_tokens=10, completion_tokens=2)


def read(text):
    try:
        return json.loads(text)["score"]
    except ValueError:
        raise UnusableAnswer("it is no JSON") from None


UNUSABLE = {
    "prose": (Reply(content="Four."), "it is no JSON", "Four."),
    "null": (Reply(content=None), "the answer is empty", None),
    "blank": (Reply(content=" \n"), "the answer is empty", " \n"),
    "refusal": (
        Reply(refusal="I cannot judge this."),
        "the judge refused: I cannot judge this.",
        "I cannot judge this.",
    ),
    "cut off": (Reply(content='{"score": 4}', finish_reason="length"), "cut off", '{"score": 4}'),
    "filtered": (Reply(content="", finish_reason="content_filter"), "content filter", None),
    "tool call": (Reply(finish_reason="tool_calls", tool_calls=({"id": "1"},)), "called a tool", None),
}


@pytest.mark.parametrize("kind", UNUSABLE)
@pytest.mark.parametrize("over_http", [False, True], ids=["in process", "over HTTP"])
def test_an_unusable_answer_is_asked_for_once_more(kind, over_http, serve, connect, question):
    script = {"": [UNUSABLE[kind][0], GOOD]}
    judge = LiveJudge(connect(serve(script).config)) if over_http else scripted_judge(script)

    judgment = loop.run(judge.ask(question(), read))

    assert (judgment.answer, judgment.raw, judgment.usage.requests) == (4, '{"score": 4}', 2)
    assert (judgment.usage.prompt_tokens, judgment.usage.completion_tokens) == (110, 22)


@pytest.mark.parametrize("kind", UNUSABLE)
def test_two_unusable_answers_are_an_error_with_the_text(kind, question):
    reply, problem, raw = UNUSABLE[kind]
    judge = scripted_judge({"": reply})

    with pytest.raises(EvaluationError, match="no usable answer, asked twice") as caught:
        loop.run(judge.ask(question(), read))

    assert problem in str(caught.value)
    assert (caught.value.code, caught.value.raw) == ("judgeOutputUnparseable", raw or None)
    assert len(judge.model.requests) == 2


def test_a_usable_answer_is_not_asked_for_again(question):
    judge = scripted_judge({"": GOOD})

    assert loop.run(judge.ask(question(), read)).usage.requests == 1
    assert len(judge.model.requests) == 1


def test_both_requests_share_one_deadline(serve, connect, question):
    server = serve({"": Reply(content="Four.", delay=3.6)})
    judge = LiveJudge(connect(server.config), timeout=6)

    with pytest.raises(EvaluationError) as caught:
        loop.run(judge.ask(question(), read))

    assert caught.value.code == "judgeTimeout"
    assert "its first answer could not be used: it is no JSON" in str(caught.value)
    assert caught.value.raw == "Four."


def test_unknown_token_counts_stay_unknown(question):
    judge = scripted_judge({"": [Reply(content="Four.", prompt_tokens=None), GOOD]})

    usage = loop.run(judge.ask(question(), read)).usage

    assert (usage.prompt_tokens, usage.completion_tokens, usage.cost) == (None, 22, None)
