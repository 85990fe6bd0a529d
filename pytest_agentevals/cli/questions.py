"""What a run would ask: its evaluators are run with a judge that notes the questions and asks nobody."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentevals.engine.askers import RecordedAsker, Tape
from pytest_agentevals.engine.combining import Rule
from pytest_agentevals.engine.evaluate import evaluate, of_conversation
from pytest_agentevals.engine.panel import Panel
from pytest_agentevals.errors import AgentError, EvaluationError
from pytest_agentevals.evaluators.custom.evaluators import PromptyEvaluator
from pytest_agentevals.evaluators.retrieval_result import RetrievalResult
from pytest_agentevals.judge import Answer, Judgment, UnusableAnswer
from pytest_agentevals.judge.recorded import replayed
from pytest_agentevals.judge.recording import Recording, Sample, judgment_key
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.results import JudgeUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_agentevals.documents.load import LoadedItem, LoadedTurn
    from pytest_agentevals.evaluators.base import Evaluator, Message
    from pytest_agentevals.judge import JudgeRequest

#: Bytes of UTF-8 that make a token, roughly, of any text in any script.
BYTES_PER_TOKEN = 4
#: Tokens that a chat adds to each message.
MESSAGE_TOKENS = 4
#: Tokens of an answer, for each score that it gives: a number, and a reason of one or two sentences.
SCORE_TOKENS = 80
#: Stands for a response that nobody has given yet: 200 tokens.
PLACEHOLDER = "word " * (200 * BYTES_PER_TOKEN // 5)
#: Lets an evaluator that asks several questions go on to the next.
YES = json.dumps({"supported": True, "reason": "not asked"})


class Tokens(NamedTuple):
    """Tokens of one question and of its answer."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a judge; ``tokens`` is None where it cannot be told before it is asked."""

    evaluator: str
    model: str
    #: Questions with the same key are asked once in a run; None is like no other.
    key: str | None = None
    tokens: Tokens | None = None
    recorded: bool = False


@dataclass(slots=True)
class Asked:
    """What one turn would ask."""

    questions: list[Question] = field(default_factory=list)
    #: Whether the response is not known yet.
    guessed: bool = False


class NotingJudge:
    """Notes the questions of one turn; see `pytest_agentevals.judge.Judge`."""

    def __init__(self, recording: Recording, model: str, sample: Sample, asked: Asked) -> None:
        self._recording = recording
        self._model = model
        self._sample = sample
        self._asked = asked

    async def ask(self, request: JudgeRequest, read: Callable[[str], Answer]) -> Judgment[Answer]:
        """Note a question. Raises `EvaluationError` where no answer is known."""
        key = judgment_key(request, self._model, self._sample)
        entry = self._recording.judgments.get(key)
        tokens = estimated(request) if entry is None else _spent(entry) or estimated(request)
        self._asked.questions.append(Question(request.evaluator, self._model, key, tokens, entry is not None))
        if entry is not None:
            return replayed(entry, read, self._recording)
        try:
            return Judgment(read(YES), YES, JudgeUsage(model=self._model))
        except UnusableAnswer:
            raise EvaluationError("nobody was asked") from None


class GuessingAsker(RecordedAsker):
    """Answers with what is recorded, else with a placeholder."""

    def __init__(self, tape: Tape, asked: Sequence[Asked], repeat: int) -> None:
        super().__init__(tape, repeat=repeat)
        self._asked = asked

    async def ask(self, turn: LoadedTurn, history: Sequence[Message]) -> tuple[AgentResponse, str]:
        """Return a response to a turn."""
        try:
            return await super().ask(turn, history)
        except AgentError:
            self._asked[len(history) // 2].guessed = True
            return AgentResponse(text=PLACEHOLDER), "recorded"


@dataclass(frozen=True, slots=True)
class Judges:
    """Who is asked: the models of all judges by their names, how they decide, and how often each answers."""

    models: Mapping[str, str]
    rule: Rule = Rule.MEDIAN
    repeats: int = 1

    def panel(self, recording: Recording, asked: Asked, repeat: int) -> Panel:
        """Return judges that note what they are asked, and ask nobody."""
        samples = [Sample(repeat, number) for number in range(self.repeats)]
        return Panel(
            {
                name: tuple(NotingJudge(recording, model, sample, asked) for sample in samples)
                for name, model in self.models.items()
            },
            self.rule,
        )


async def questions(
    item: LoadedItem,
    evaluators: Sequence[Mapping[str, Evaluator]],
    recording: Recording,
    judges: Judges,
    *,
    repeat: int = 0,
) -> list[Question]:
    """Return what the judges of one item would be asked; ``evaluators`` has the judged ones of each turn.

    Custom evaluators are not run: what they ask is not known.
    """
    asked = [Asked() for _ in item.turns]
    panels = [judges.panel(recording, each, repeat) for each in asked]
    ours = [
        {name: each for name, each in chosen.items() if not isinstance(each, PromptyEvaluator)} for chosen in evaluators
    ]
    asker = GuessingAsker(Tape(recording, set(), item), asked, repeat)
    await evaluate(item, ours, asker, lambda turn: panels[max(turn.index - 1, 0)])
    for position, chosen in enumerate(evaluators):
        later = position < len(asked) - 1
        left = {name: each for name, each in chosen.items() if not (later and of_conversation(each, item))}
        asked[position].questions += _unknown(left, asked[position], panels[position], judges)
    return [question for turn in asked for question in turn.questions]


def _unknown(chosen: Mapping[str, Evaluator], asked: Asked, panel: Panel, judges: Judges) -> Iterator[Question]:
    """Yield questions that depend on a response which is not known, or on code of the project: at least so many."""
    told = {question.evaluator for question in asked.questions}
    for name, evaluator in chosen.items():
        if not isinstance(evaluator, PromptyEvaluator) and (name in told or not asked.guessed):
            continue
        number = len(evaluator.expected_items or ()) if isinstance(evaluator, RetrievalResult) else 1
        for judge, answering in panel.asked_by(evaluator).items():
            yield from [Question(name, judges.models[judge])] * (number * len(answering))


def estimated(request: JudgeRequest) -> Tokens:
    """Estimate the tokens of a question from the length of its texts, and those of an answer from its scores."""
    contents = [message["content"] for message in request.messages]
    texts = [content if isinstance(content, str) else json.dumps(content) for content in contents]
    schema = request.parameters.get("response_format", {}).get("json_schema", {}).get("schema", {})
    length = sum(len(text.encode()) for text in (*texts, json.dumps(schema) if schema else ""))
    scores = len(schema.get("properties", {}).get("dimensions", {}).get("properties", {})) or 1
    return Tokens(-(-length // BYTES_PER_TOKEN) + MESSAGE_TOKENS * len(texts), SCORE_TOKENS * scores)


def _spent(entry: Mapping[str, Any]) -> Tokens | None:
    """Return what a recorded answer took, as far as its server told."""
    usage = entry.get("usage", {})
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return None if prompt is None or completion is None else Tokens(prompt, completion)
