"""A judge that asks another no question twice."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import Answer, Judgment, UnusableAnswer
from pytest_agentevals.judge.recording import FIRST, judgment_key
from pytest_agentevals.results import JudgeUsage

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from pytest_agentevals.engine.answers import Answers
    from pytest_agentevals.judge import Judge, JudgeRequest
    from pytest_agentevals.judge.recording import Sample


class SharedJudge:
    """Judges one turn of one item, by asking ``live`` what nobody has asked in this session.

    ``identity`` tells one judge from another, ``turn`` one turn from another, ``attempt`` counts from 0 how often the
    item has run, and ``sample`` says which of several answers is wanted.
    """

    def __init__(
        self,
        live: Judge,
        answers: Answers,
        slots: asyncio.Semaphore,
        *,
        identity: str,
        turn: str,
        attempt: int,
        sample: Sample = FIRST,
    ) -> None:
        self._live = live
        self._answers = answers
        self._slots = slots
        #: With its attempt: an item that runs again asks anew.
        self._identity = f"{identity} {attempt}"
        self._turn = turn
        self._sample = sample

    async def ask(self, request: JudgeRequest, read: Callable[[str], Answer]) -> Judgment[Answer]:
        """Return the answer, ``replayed`` where another turn asked for it; see `pytest_agentevals.judge.Judge`."""

        async def ask() -> dict[str, Any]:
            try:
                judgment = await self._live.ask(request, read)
            except EvaluationError as error:
                return {"error": str(error), "code": error.code, "raw": error.raw}
            return {"raw": judgment.raw, "usage": asdict(judgment.usage), "turn": self._turn}

        found = await self._answers.get(judgment_key(request, self._identity, self._sample), ask, self._slots)
        value = found.value
        if "error" in value:
            raise EvaluationError(value["error"], code=value["code"], raw=value["raw"])
        usage = replace(JudgeUsage(**value["usage"]), replayed=value["turn"] != self._turn)
        try:
            return Judgment(read(value["raw"]), value["raw"], usage)
        except UnusableAnswer as unusable:
            raise EvaluationError(str(unusable), code="judgeOutputUnparseable", raw=value["raw"]) from None
