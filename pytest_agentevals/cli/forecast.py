"""What a run of eval documents takes: requests to the agent, questions to the judge, tokens and cost."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pytest_agentevals.cli.questions import Judges, Question, questions
from pytest_agentevals.engine.askers import prompts
from pytest_agentevals.engine.combining import Rule
from pytest_agentevals.engine.judging import Judging, Mode
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.evaluators.base import Message
from pytest_agentevals.judge.environment import NotConfigured
from pytest_agentevals.judge.named import read_judges
from pytest_agentevals.judge.overriding import named_or_configured
from pytest_agentevals.judge.prices import read_prices
from pytest_agentevals.judge.recording import response_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_agentevals.cli.checking import Checked
    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.documents.load import LoadedItem
    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.judge.recording import Recording

Kind = TypeVar("Kind", Mode, Rule)
#: Prices of a million prompt tokens and of a million completion tokens.
Price = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run would be made: what the project's settings and the environment say, as far as no code has to run."""

    mode: Mode
    recordings: str
    repeats: int
    judge_repeats: int
    rule: Rule
    #: The models of the judges by their names; empty where the recording of a document names its judge.
    models: Mapping[str, str]
    prices: Mapping[str, Price]

    @classmethod
    def of(cls, project: Project, model: str | None) -> Plan:
        """Read the settings; raises `ConfigurationError` for one that cannot be used."""
        named = {judge.name: judge.model for judge in read_judges(project.lines("evals_judges"))}
        single = model or (None if named else _configured(project))
        return cls(
            mode=_choice(project, "evals_judge", Mode, Mode.AUTO),
            recordings=project.text("evals_recordings") or "recordings",
            repeats=_count(project, "evals_repeat"),
            judge_repeats=_count(project, "evals_judge_repeat"),
            rule=_choice(project, "evals_judges_verdict", Rule, Rule.MEDIAN),
            models={"judge": single} if single else named,
            prices=read_prices(project.lines("evals_judge_prices")),
        )


def _configured(project: Project) -> str | None:
    """Return the model of the judge that is configured; a configuration with mistakes is for the run to tell."""
    model, url = project.text("evals_judge_model") or None, project.text("evals_judge_url") or None
    try:
        found = named_or_configured(model, url, os.environ, project.root)
    except ConfigurationError:
        return model
    return None if isinstance(found, NotConfigured) else found.model


def _count(project: Project, name: str) -> int:
    text = project.text(name) or "1"
    if not text.isdecimal() or int(text) < 1:
        raise ConfigurationError(f"{name} = {text!r} is not valid; allowed is a whole number from 1 up")
    return int(text)


def _choice(project: Project, name: str, kinds: type[Kind], default: Kind) -> Kind:
    text = project.text(name) or default.value
    if text not in set(kinds):
        raise ConfigurationError(f"{name} = {text!r} is not valid; allowed are {', '.join(kinds)}")
    return kinds(text)


@dataclass(slots=True)
class Forecast:
    """What one item, or all items, would take."""

    #: Conversations up to a prompt that an agent would be asked, by their key, and whether the answer is recorded.
    requests: dict[str, bool] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)

    @property
    def distinct(self) -> list[Question]:
        """The questions, each once; those that are not known count all."""
        known = {question.key: question for question in self.questions if question.key is not None}
        return [*known.values(), *(question for question in self.questions if question.key is None)]

    def left(self, mode: Mode) -> list[Question]:
        """Return the questions that a judge would be asked."""
        if mode in {Mode.REPLAY, Mode.NONE}:
            return []
        return [question for question in self.distinct if mode is Mode.LIVE or not question.recorded]


def total(forecasts: Iterable[Forecast]) -> Forecast:
    """Add up what several items would take."""
    result = Forecast()
    for each in forecasts:
        result.requests |= each.requests
        result.questions += each.questions
    return result


def forecast(checked: Checked, plan: Plan) -> list[Forecast]:
    """Return what each item of a document would take; raises `ConfigurationError` for a broken recording."""
    recording = Judging(plan.mode, folder=plan.recordings).recording(checked.path)
    models = plan.models or {"judge": recording.judge or ""}
    judges = Judges(models, plan.rule, plan.judge_repeats)
    items = checked.document.items if checked.document else ()
    return asyncio.run(_forecasts(checked, items, recording, judges, plan.repeats))


async def _forecasts(
    checked: Checked, items: Sequence[LoadedItem], recording: Recording, judges: Judges, repeats: int
) -> list[Forecast]:
    found = []
    for item in items:
        evaluators = [judged(checked, turn.options) for turn in item.turns]
        made = Forecast()
        for repeat in range(repeats):
            made.requests |= _requests(item, recording, repeat)
            made.questions += await questions(item, evaluators, recording, judges, repeat=repeat)
        found.append(made)
    return found


def judged(checked: Checked, options: Mapping[str, Mapping[str, object]]) -> dict[str, Evaluator]:
    """Return the evaluators of a turn that ask a judge."""
    known = {name: checked.catalog.make(name, given) for name, given in options.items() if name in checked.catalog}
    return {name: evaluator for name, evaluator in known.items() if evaluator.judged}


def _requests(item: LoadedItem, recording: Recording, repeat: int) -> dict[str, bool]:
    """Return the requests of an item to an agent; without evaluators it is not asked."""
    requests: dict[str, bool] = {}
    history: list[Message] = []
    for turn in item.turns if any(turn.options for turn in item.turns) else ():
        key = response_key(prompts(turn, history), repeat)
        requests[key] = turn.response is not None or key in recording.responses
        history.append(Message("user", turn.prompt))
    return requests


def cost(asked: Sequence[Question], prices: Mapping[str, Price]) -> float | None:
    """Return what questions cost, those apart whose tokens are not known; None where a model has no price."""
    if any(question.model not in prices for question in asked):
        return None
    return sum(
        (question.tokens.prompt * prices[question.model][0] + question.tokens.completion * prices[question.model][1])
        / 1e6
        for question in asked
        if question.tokens
    )
