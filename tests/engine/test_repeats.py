"""Repeats of an item made one result."""

from __future__ import annotations

import asyncio

import pytest

from pytest_agentevals.engine.combining import of_repeats
from pytest_agentevals.engine.driving import run
from pytest_agentevals.engine.repeats import repeated, summed_up
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import ItemResult, JudgeUsage, Outcome, TurnError, TurnResult, Verdict, packed, unpacked

PASS, FAIL, ERROR, NOT_APPLICABLE = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_APPLICABLE


def verdict(score, **rest):
    """A verdict on a 1 to 5 scale; None is an error, "-" is not applicable."""
    if score is None:
        return Verdict(outcome=ERROR, evaluator="Relevance", code="judgeTimeout", reason="no answer", **rest)
    if score == "-":
        return Verdict(outcome=NOT_APPLICABLE, evaluator="Relevance", threshold=3, scale=(1, 5), **rest)
    outcome = PASS if score >= 3 else FAIL
    reason = f"It is a {score}."
    return Verdict(
        outcome=outcome, evaluator="Relevance", score=score, threshold=3, scale=(1, 5), reason=reason, **rest
    )


def repeats(*scores):
    return [verdict(score, part=f"repeat {number}") for number, score in enumerate(scores, 1)]


def turn(*verdicts, text="An answer.", index=0, error=None):
    response = None if error else AgentResponse(text=text)
    names = tuple(dict.fromkeys(each.evaluator for each in verdicts if each.level == "turn")) or ("Relevance",)
    return TurnResult(
        prompt="Why?",
        index=index,
        evaluators=names,
        response=response,
        error=error,
        source="asked",
        verdicts=[*verdicts],
    )


def item(*turns):
    return ItemResult(turns=list(turns))


UNREACHABLE = TurnError(code="agentTimeout", message="no answer within 300 s")


@pytest.mark.parametrize(
    ("scores", "needed", "outcome"),
    [
        ([5, 5, 5], 3, PASS),
        ([5, 5, 2], 3, FAIL),
        ([5, 5, 2], 2, PASS),
        ([5, 2, 2], 2, FAIL),
        ([5, 5, None], 2, PASS),
        # One more pass would have been enough, or not.
        ([5, 2, None], 2, ERROR),
        ([2, 2, None], 2, FAIL),
        ([None, None, None], 1, ERROR),
        # What does not apply is left out, and no more can pass than apply.
        ([5, 5, "-"], 3, PASS),
        ([5, "-", "-"], 3, PASS),
        ([2, "-", "-"], 1, FAIL),
        (["-", "-", "-"], 1, NOT_APPLICABLE),
    ],
)
def test_at_least_k_of_n_repeats_have_to_pass(scores, needed, outcome):
    assert of_repeats(repeats(*scores), needed).outcome is outcome


def test_the_score_is_the_mean_and_the_figures_are_told():
    """Mean and standard deviation of 2, 4, 5 and 5 by hand; Wilson's interval of 3 of 4 from its formula."""
    summed = of_repeats(repeats(2, 4, 5, 5), 4)

    assert summed.outcome is FAIL
    assert summed.score == 4
    assert summed.measure == "4/5, failed"
    assert summed.reason == "3 of 4 repeats pass, 4 needed. Repeat 1 (2/5 < 3): It is a 2."
    assert summed.notes == ("mean 4, from 2 to 5, standard deviation 1.41, pass rate 75% (95% interval 30% to 95%)",)
    figures = summed.details["repeats"]
    assert figures["count"] == 4
    assert figures["passed"] == 3
    assert figures["needed"] == 4
    assert figures["standard_deviation"] == pytest.approx(2**0.5)
    assert figures["pass_rate_interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)


def test_a_pass_whose_mean_is_below_the_threshold_says_so():
    summed = of_repeats(repeats(3, 3, 1), 2)

    assert summed.measure == "2.33/5, passed"
    assert summed.reason.startswith("2 of 3 repeats pass, 2 needed.")


def test_an_undecided_verdict_names_the_repeat_that_is_missing():
    summed = of_repeats(repeats(5, None, 2), 2)

    assert summed.code == "judgeTimeout"
    assert summed.score is None
    assert summed.reason == "1 of 3 repeats pass, 2 needed, 1 could not be evaluated. Repeat 2: no answer"


def test_equal_scores_stay_what_they_are():
    matches = [Verdict(outcome=PASS, score=True, part=f"repeat {number}") for number in (1, 2)]

    assert of_repeats(matches, 2).score is True
    assert repr(of_repeats(repeats(4, 4), 2).score) == "4"


def test_what_the_judge_took_is_summed_and_every_part_kept():
    usage = JudgeUsage(model="gpt-4o", prompt_tokens=100, completion_tokens=None, seconds=0.5, cost=0.01)
    parts = [verdict(score, usage=usage, seconds=score, part=f"repeat {score}") for score in (4, 5)]

    summed = of_repeats(parts, 2)

    assert summed.parts == tuple(parts)
    assert list(summed.leaves) == parts
    assert summed.usage == JudgeUsage(model="gpt-4o", prompt_tokens=200, requests=2, seconds=1.0, cost=0.02)
    # They are evaluated at the same time.
    assert summed.seconds == 5


def test_an_item_has_all_repeats_and_shows_the_first_that_ended_as_it_does():
    result = summed_up([item(turn(verdict(5), text="Good.")), item(turn(verdict(2), text="Bad."))], needed=2)

    assert result.status == "fail"
    assert result.turns[0].response.text == "Bad."
    assert [repeat.turns[0].response.text for repeat in result.repeats] == ["Good.", "Bad."]
    assert [part.part for part in result.verdicts[0].parts] == ["repeat 1", "repeat 2"]
    assert unpacked(packed(result)) == result


def test_a_repeat_without_a_response_is_an_error_of_its_evaluators():
    repeats = [item(turn(error=UNREACHABLE)), item(turn(verdict(5))), item(turn(verdict(4)))]

    (summed,) = summed_up(repeats, needed=2).verdicts
    assert summed.outcome is PASS
    assert [part.code for part in summed.parts] == ["agentTimeout", None, None]
    (strict,) = summed_up(repeats, needed=3).verdicts
    assert strict.outcome is ERROR
    assert strict.reason.endswith("Repeat 1: no answer within 300 s")


def test_an_agent_that_never_answers_leaves_the_item_without_a_response():
    result = summed_up([item(turn(error=UNREACHABLE))] * 2, needed=1)

    assert result.status == "error"
    assert result.turns[0].error == UNREACHABLE
    assert result.verdicts == []


def test_a_thread_sums_up_turn_by_turn_and_the_conversation_at_its_end():
    skipped = TurnError(code="turnSkipped", message="Turn not attempted: preceding turn failed")
    tone = Verdict(outcome=PASS, evaluator="Tone", level="conversation", score=1.0, threshold=0.5)
    whole = item(turn(verdict(5), index=1), turn(verdict(4), tone, index=2))
    broken = item(turn(verdict(4), index=1), turn(error=UNREACHABLE, index=2))
    silent = item(turn(error=UNREACHABLE, index=1), turn(error=skipped, index=2))

    result = summed_up([broken, whole, silent], needed=1)

    first, second = result.turns
    assert [part.code for part in first.verdicts[0].parts] == [None, None, "agentTimeout"]
    relevance, conversation = second.verdicts
    assert [part.code for part in relevance.parts] == ["agentTimeout", None, "turnSkipped"]
    assert (conversation.evaluator, conversation.level, conversation.outcome) == ("Tone", "conversation", PASS)
    assert [part.outcome for part in conversation.parts] == [ERROR, PASS, ERROR]
    assert result.status == "pass"


@pytest.mark.parametrize("drive", [asyncio.run, run], ids=["in an event loop", "without one"])
def test_every_repeat_is_evaluated_once(drive):
    asked = []

    async def once(number):
        asked.append(number)
        return item(turn(verdict(number + 2)))

    result = drive(repeated(once, 3, needed=2))

    assert asked == [0, 1, 2]
    assert result.verdicts[0].score == 3
