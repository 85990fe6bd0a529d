"""A judge that replays what is recorded and asks another for the rest."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import Answer, Judgment, UnusableAnswer
from pytest_agentevals.judge.recording import FIRST, as_lines, as_text, judgment_key
from pytest_agentevals.results import JudgeUsage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentevals.judge import Judge, JudgeRequest
    from pytest_agentevals.judge.recording import Entry, Recording, Sample


class RecordedJudge:
    """Judges one turn of one item.

    ``live`` is asked for what is not recorded; where it is None, that is an error whose text is ``missing``.
    ``writes`` says whether new answers are recorded, and ``sample`` which of several answers is wanted. ``used``
    collects the keys of all entries that were needed.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        model: str,
        live: Judge | None,
        missing: str,
        writes: bool,
        used: set[str],
        about: dict[str, str | int],
        sample: Sample = FIRST,
    ) -> None:
        self._recording = recording
        self._model = model
        self._live = live
        self._missing = missing
        self._writes = writes
        self._used = used
        self._about = about
        self._sample = sample

    async def ask(self, request: JudgeRequest, read: Callable[[str], Answer]) -> Judgment[Answer]:
        """Replay the answer, or ask for it; see `pytest_agentevals.judge.Judge`."""
        key = judgment_key(request, self._model, self._sample)
        self._used.add(key)
        entry = self._recording.judgments.get(key)
        if entry is not None:
            return replayed(entry, read, self._recording)
        if self._live is None:
            raise EvaluationError(self._missing, code="evaluatorConfigurationError")
        judgment = await self._live.ask(request, read)
        if self._writes and key not in self._recording.judgments:
            self._recording.append("judgments", self._entry(key, request, judgment.raw, judgment.usage))
        return judgment

    def _entry(self, key: str, request: JudgeRequest, raw: str, usage: JudgeUsage) -> Entry:
        # More digits than milliseconds would be noise in a recording.
        rounded = replace(usage, seconds=round(usage.seconds, 3))
        spent = {name: value for name, value in asdict(rounded).items() if name not in {"model", "replayed"}}
        return {
            "key": key,
            **self._about,
            "evaluator": request.evaluator,
            "prompt_version": request.prompt_version,
            "model": self._model,
            **self._sample.named,
            "answer": as_lines(raw),
            "usage": spent,
        }


def replayed(entry: Entry, read: Callable[[str], Answer], recording: Recording) -> Judgment[Answer]:
    """Read a recorded answer as if the judge had just given it."""
    raw = as_text(entry["answer"])
    usage = replace(JudgeUsage(model=entry["model"], **entry.get("usage", {})), replayed=True)
    try:
        return Judgment(read(raw), raw, usage)
    except UnusableAnswer as unusable:
        raise EvaluationError(
            f"the answer recorded in {recording.path.name} is not usable: {unusable}",
            code="judgeOutputUnparseable",
            raw=raw,
        ) from None
