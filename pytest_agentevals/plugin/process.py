"""What the eval items of one process share: settings, judges and recordings, and the agents they ask."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals import loop
from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.agents.identity import identity
from pytest_agentevals.engine.askers import Agent, ClientAsker, RecordedAsker
from pytest_agentevals.engine.combining import Rule
from pytest_agentevals.engine.judging import Judging, Mode, Seat
from pytest_agentevals.errors import AgentEvalsWarning, ConfigurationError
from pytest_agentevals.plugin import sharing
from pytest_agentevals.plugin.ahead import Ahead
from pytest_agentevals.plugin.kept import kept_store
from pytest_agentevals.plugin.means import LASTING, Means, Scopes, shortest
from pytest_agentevals.plugin.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_agentevals.engine.askers import Tape
    from pytest_agentevals.engine.evaluate import Asker
    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.judge.config import ModelConfig
    from pytest_agentevals.judge.named import NamedJudge


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
            repeats=self.settings.judge_repeats,
            rule=self.settings.judges_rule,
        )
        self.scopes = Scopes()
        self.ahead = Ahead(self.settings)
        #: Clients and their agents, by the client's identity and where it may be asked.
        self._agents: dict[tuple[int, str], tuple[Any, Agent]] = {}
        #: Values of a session's `agent_client` by document.
        self._lasting: dict[pytest.Collector, Any] = {}
        self._named: Any = None
        #: The judges of ``evals_judges``, by the one that is configured otherwise.
        self._seats: dict[ModelConfig | None, Mapping[str, Seat]] = {}
        self._opened = False
        #: Warnings that were given.
        self._doubts: set[str] = set()
        #: The list of the session's items, and the position of each.
        self._order: tuple[list[pytest.Item], dict[pytest.Item, int]] = [], {}

    @classmethod
    def of(cls, config: pytest.Config) -> Process:
        """Return the one of this process."""
        if PROCESS not in config.stash:
            config.stash[PROCESS] = cls(config)
        return config.stash[PROCESS]

    def means(self, request: pytest.FixtureRequest, judge: tuple[ModelConfig | None, str]) -> Means:
        """Return whom an item asks, with its judge and the scope of that. Raises `ConfigurationError`."""
        self._open()
        config, scope = judge
        if self.settings.agent is not None:
            client = self._named_client(self.settings.agent)
            return Means(None if client is None else self._agent(client, ""), config, scope)
        if self.judging.mode is Mode.REPLAY:
            return Means(None, config, scope)
        client, own = self._client(request)
        asked = None if client is None else self._agent(client, self._where(request.node, own))
        return Means(asked, config, shortest(scope, own))

    def end(self, *, stopped: bool) -> None:
        """End what is under way for items that do not run here.

        Unless the run was ``stopped``, the answers that were asked for already are awaited: another process may be the
        one where their item runs.
        """
        self.ahead.cancel()
        answers = self.judging.answers
        if answers:
            now = stopped or sharing.stopped(self._workerinput)
            loop.run(answers.stop() if now else answers.finish())
        for store in filter(None, (answers.shared, answers.kept)):
            store.close()

    def asker(self, means: Means, document: Path, tape: Tape, *, attempt: int, repeat: int) -> Asker:
        """Return who answers the prompts of one repeat of an item."""
        if means.agent is not None:
            return ClientAsker(means.agent, tape, self.judging.answers, attempt=attempt, repeat=repeat)
        if self.judging.mode is Mode.REPLAY:
            missing = f'the item has no "response", and the agent\'s is {self.judging.how_to_record(document)}'
            return RecordedAsker(tape, missing=missing, repeat=repeat)
        return RecordedAsker(tape, repeat=repeat)

    def seats(self, judge: ModelConfig | None) -> Mapping[str, Seat]:
        """Return the judges of the run by name; ``judge`` is the one that is configured where they are not named."""
        if not self.settings.judges:
            return {"": Seat(judge)}
        if judge not in self._seats:
            self._seats[judge] = {named.name: self._seat(named, judge) for named in self.settings.judges}
        return self._seats[judge]

    def doubt(self, evaluators: Iterable[Evaluator], judge: ModelConfig | None) -> None:
        """Warn, once for each, of models that should not judge for these evaluators and are about to be asked."""
        if self.judging.mode is Mode.REPLAY:
            return
        seats = self.seats(judge)
        usual = list(seats.values())[: 1 if self.settings.judges_rule is Rule.FIRST else None]
        for evaluator in evaluators:
            name = getattr(evaluator, "model", None)
            for seat in usual if name is None else [seats[name]]:
                told = evaluator.doubts(seat.config.model) if seat.config is not None else None
                if told is not None and told not in self._doubts:
                    self._doubts.add(told)
                    warnings.warn(AgentEvalsWarning(told), stacklevel=1)

    def _seat(self, named: NamedJudge, judge: ModelConfig | None) -> Seat:
        from pytest_agentevals.plugin.configuration import overridden

        try:
            found = overridden(None if named.url else judge, named.model, named.url, self._config)
        except ConfigurationError:
            # Nothing says where its model is: there may be recorded answers.
            found = None
        return Seat(found, named.model)

    def judge_config(self, request: pytest.FixtureRequest) -> tuple[ModelConfig | None, str]:
        """Return the judge's configuration, None where there is none, and the scope of what gave it.

        Raises `ConfigurationError` for half of one.
        """
        from pytest_agentevals.judge.config import as_model_config
        from pytest_agentevals.plugin.configuration import overridden

        if self.settings.judges and all(judge.url for judge in self.settings.judges):
            return None, "session"
        model, url = self.settings.judge_model, self.settings.judge_url
        if model and url:
            return overridden(None, model, url, self._config), "session"
        found = request.getfixturevalue("model_config")
        config = overridden(None if found is None else as_model_config(found), model, url, self._config)
        return config, self.scopes.of(found)

    def following(self, item: pytest.Item, count: int) -> Iterator[pytest.Item]:
        """Yield the next items of the session."""
        items = item.session.items
        if self._order[0] is not items or item not in self._order[1]:
            self._order = items, {each: position for position, each in enumerate(items)}
        start = self._order[1][item] + 1
        yield from items[start : start + count]

    @property
    def _workerinput(self) -> dict[str, Any]:
        return getattr(self._config, "workerinput", {})

    def _open(self) -> None:
        """Open the stores, when the first item runs: the controlling process has made its folder by then."""
        if self._opened:
            return
        self._opened = True
        answers = self.judging.answers
        answers.kept = kept_store(self._config, self.settings)
        if self._workerinput:
            answers.shared = sharing.shared_store(self._workerinput)
            # Without it, nobody knows where the coming items run.
            self.ahead.allowed = self.ahead.allowed and answers.shared is not None

    def _client(self, request: pytest.FixtureRequest) -> tuple[Any, str]:
        """Return what the fixture gives and its scope; once per document where it lives as long as the session."""
        document = request.node.parent
        if document not in self._lasting:
            client = request.getfixturevalue("agent_client")
            scope = self.scopes.of(client)
            if scope != "session":
                return client, scope
            self._lasting[document] = client
        return self._lasting[document], "session"

    def _named_client(self, spec: str) -> Any:
        from pytest_agentevals.plugin.configuration import agent

        if self._named is None:
            self._named = agent(spec, self._config)
        return self._named

    def _where(self, item: pytest.Item, scope: str) -> str:
        """Name the items that share a client of a scope: those of the folder, those of the document, or one."""
        if scope == "session":
            return os.path.relpath(item.path.parent, self._config.rootpath)
        return item.nodeid.partition("::")[0] if scope in LASTING else item.nodeid

    def _agent(self, client: Any, where: str) -> Agent:
        key = id(client), where
        if key not in self._agents:
            try:
                caller = Caller(client, concurrency=self.settings.agent_concurrency)
            except ConfigurationError as error:
                raise ConfigurationError(f"fixture agent_client: {error}" if where else str(error)) from None
            agent = Agent.of(caller, f"{identity(client)} in {where}", shared="::" not in where)
            if not agent.shared:
                return agent
            self._agents[key] = client, agent
        return self._agents[key][1]


PROCESS = pytest.StashKey[Process]()
