"""Who judges in this run: a live judge, a recording, or nobody."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_agentevals.engine.answers import Answers
from pytest_agentevals.engine.combining import Rule
from pytest_agentevals.engine.panel import Panel
from pytest_agentevals.engine.shared_judge import SharedJudge
from pytest_agentevals.judge.recorded import RecordedJudge
from pytest_agentevals.judge.recording import Recording, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_agentevals.judge import Judge
    from pytest_agentevals.judge.config import ModelConfig


class Mode(StrEnum):
    """``--evals-judge``."""

    #: Replay what is recorded, ask for the rest, write nothing.
    AUTO = "auto"
    #: As auto, and write what was asked.
    RECORD = "record"
    #: Ask always, write nothing.
    LIVE = "live"
    #: Ask neither judge nor agent; what is not recorded is an error.
    REPLAY = "replay"
    #: Skip judged evaluators.
    NONE = "none"


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """Which turn of which item is judged."""

    document: Path
    item: str
    #: Counted from 1 in a thread; 0 for an item of its own.
    index: int


NOBODY = "no judge is configured, and this answer is not recorded"


@dataclass(frozen=True, slots=True)
class Seat:
    """One judge of this run."""

    #: None where nobody is there to ask.
    config: ModelConfig | None
    #: The model that recorded answers are looked up for; None: the one that the recording names.
    model: str | None = None


@dataclass(slots=True)
class Judging:
    """The judges and recordings of one process, made when they are first needed."""

    mode: Mode
    #: Folder of recordings, relative to a document's own.
    folder: str = "recordings"
    #: Seconds for one judgment, retries included.
    timeout: float = 120.0
    #: Highest number of requests in flight.
    concurrency: int = 16
    #: How often a judge answers every question, and how several judges make one verdict.
    repeats: int = 1
    rule: Rule = Rule.MEDIAN
    #: What was asked already in this session.
    answers: Answers = field(default_factory=Answers)
    _slots: asyncio.Semaphore = field(init=False)
    _live: dict[ModelConfig, Judge] = field(default_factory=dict)
    _recordings: dict[Path, Recording] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.concurrency)

    def recording_path(self, document: Path) -> Path:
        """Return where the recording of a document lies."""
        return document.parent / self.folder / f"{document.stem}.json"

    def recording(self, document: Path) -> Recording:
        """Return the recording of a document, read once. Raises `ConfigurationError` where it is broken."""
        path = self.recording_path(document)
        if path not in self._recordings:
            empty = self.mode in {Mode.LIVE, Mode.NONE}
            self._recordings[path] = Recording(path) if empty else Recording.load(path)
        return self._recordings[path]

    def panel(
        self, turn: JudgedTurn, seats: Mapping[str, Seat], used: set[str], *, attempt: int = 0, repeat: int = 0
    ) -> Panel:
        """Return who judges a turn: for each seat the recording of its document first, then the configured judge.

        ``used`` collects the keys of recorded answers; ``attempt`` counts from 0 how often the item has run, and
        ``repeat`` says which of its repeats this is.
        """
        samples = [Sample(repeat, number) for number in range(self.repeats)]
        recording = self.recording(turn.document)
        first = next(iter(seats.values()))
        if self.mode is Mode.RECORD and first.config is not None:
            recording.judge = first.config.model
        return Panel(
            {
                name: tuple(self._judge(turn, seat, recording, used, attempt, sample) for sample in samples)
                for name, seat in seats.items()
            },
            self.rule,
        )

    def _judge(
        self, turn: JudgedTurn, seat: Seat, recording: Recording, used: set[str], attempt: int, sample: Sample
    ) -> Judge:
        replays, config = self.mode is Mode.REPLAY, seat.config
        named = config.model if config is not None and not replays else recording.judge
        return RecordedJudge(
            recording,
            model=seat.model or named or "",
            live=None if replays or config is None else self._shared(config, turn, attempt, sample),
            missing=self.how_to_record(turn.document) if replays else NOBODY,
            writes=self.mode is Mode.RECORD,
            used=used,
            about={"item": turn.item, "turn": turn.index},
            sample=sample,
        )

    def _shared(self, config: ModelConfig, turn: JudgedTurn, attempt: int, sample: Sample) -> Judge:
        return SharedJudge(
            self.live(config),
            self.answers,
            self._slots,
            identity=f"{config.model} at {config.address} {config.api_version}",
            turn=str(turn),
            attempt=attempt,
            sample=sample,
        )

    def live(self, config: ModelConfig) -> Judge:
        """Return the judge of a configuration; there is one for each, with one pool of connections."""
        if config not in self._live:
            from pytest_agentevals.judge.client import OpenAIChatModel
            from pytest_agentevals.judge.live import LiveJudge

            model = OpenAIChatModel(config, concurrency=self.concurrency)
            self._live[config] = LiveJudge(model, timeout=self.timeout)
        return self._live[config]

    def how_to_record(self, document: Path) -> str:
        """Say that something is not recorded, and how to record it."""
        path = os.path.relpath(self.recording_path(document))
        return f"not recorded in {path}, or recorded for other inputs: record it with --evals-judge=record"
