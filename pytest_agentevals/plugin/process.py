"""What the eval items of one process share: settings, judges and recordings, and the agent they ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.engine.askers import ClientAsker, RecordedAsker, Tape
from pytest_agentevals.engine.judging import Judging, Mode
from pytest_agentevals.plugin.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentevals.judge.config import ModelConfig


class Process:
    """One for each process that runs eval items; made with the first document."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.settings = Settings.of(config)
        self.judging = Judging(
            Mode(self.settings.judge_mode),
            folder=self.settings.recordings,
            timeout=self.settings.judge_timeout,
            concurrency=self.settings.judge_concurrency,
        )
        self._client: Any = None
        self._caller: Caller | None = None

    @classmethod
    def of(cls, config: pytest.Config) -> Process:
        """Return the one of this process."""
        if PROCESS not in config.stash:
            config.stash[PROCESS] = cls(config)
        return config.stash[PROCESS]

    def asker(self, request: pytest.FixtureRequest, document: Path, tape: Tape) -> RecordedAsker | ClientAsker:
        """Return who answers the prompts of an item. Raises `ConfigurationError`."""
        replays = self.judging.mode is Mode.REPLAY
        if self.settings.agent is not None:
            client = self._named_client(self.settings.agent)
        else:
            client = None if replays else request.getfixturevalue("agent_client")
        if client is not None:
            return ClientAsker(self._caller_of(client), tape)
        if replays:
            missing = f'the item has no "response", and the agent\'s is {self.judging.how_to_record(document)}'
            return RecordedAsker(tape, missing=missing)
        return RecordedAsker(tape)

    def judge_config(self, request: pytest.FixtureRequest) -> ModelConfig | None:
        """Return the judge's configuration, None where there is none. Raises `ConfigurationError` for half of one."""
        from pytest_agentevals.judge.config import as_model_config
        from pytest_agentevals.plugin.configuration import overridden

        model, url = self.settings.judge_model, self.settings.judge_url
        if model and url:
            return overridden(None, model, url, self._config)
        found = request.getfixturevalue("model_config")
        return overridden(None if found is None else as_model_config(found), model, url, self._config)

    def _named_client(self, spec: str) -> Any:
        from pytest_agentevals.plugin.configuration import agent

        if self._caller is None:
            self._client = agent(spec, self._config)
        return self._client

    def _caller_of(self, client: Any) -> Caller:
        """Return the caller of a client; consecutive items with the same client share it and its threads."""
        if self._caller is None or self._client is not client:
            self._client, self._caller = client, Caller(client, concurrency=self.settings.agent_concurrency)
        return self._caller


PROCESS = pytest.StashKey[Process]()
