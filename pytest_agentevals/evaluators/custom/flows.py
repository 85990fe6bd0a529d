"""What ``promptflow.client.load_flow`` returns to a custom evaluator here: its prompt file, run by our own judge.

That gives it the judge's deadline, connections, recording and checks, and needs no promptflow.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.custom.prompty import Prompty
from pytest_agentevals.judge import UnusableAnswer
from pytest_agentevals.judge.answers import read_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_agentevals.judge import Judge
    from pytest_agentevals.results import JudgeUsage


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a custom evaluator, and what its prompts took."""

    evaluator: str
    judge: Judge
    loop: asyncio.AbstractEventLoop
    usages: list[JudgeUsage] = field(default_factory=list)
    #: Counts equal requests: asked twice on purpose, a question has two answers, in recordings too.
    _repeats: defaultdict[str, Iterator[int]] = field(default_factory=lambda: defaultdict(lambda: count(1)))

    def ask(self, prompty: Prompty, inputs: Mapping[str, Any], parameters: Mapping[str, Any]) -> str | dict[str, Any]:
        """Run a prompt in the judge's loop and wait for the answer, in the evaluator's thread."""
        request = prompty.request(self.evaluator, inputs, parameters)
        number = next(self._repeats[json.dumps([request.messages, request.parameters], sort_keys=True, default=str)])
        if number > 1:
            request = replace(request, prompt_version=f"{request.prompt_version}#{number}")
        structured = (request.parameters.get("response_format") or {}).get("type", "text") != "text"
        read: Callable[[str], str | dict[str, Any]] = read_object if structured else read_text
        question = self.judge.ask(request, read)
        judgment = asyncio.run_coroutine_threadsafe(question, self.loop).result()
        self.usages.append(judgment.usage)
        return judgment.answer


#: The run that the code at hand belongs to.
current: ContextVar[Run] = ContextVar("current")


class Flow:
    """A loaded prompt file; called with its inputs, it returns the judge's answer."""

    def __init__(self, prompty: Prompty, parameters: Mapping[str, Any]) -> None:
        self._prompty = prompty
        self._parameters = parameters
        # Threads that an evaluator starts do not know the run; they use that in which the flow was loaded.
        self._run = current.get(None)

    def __call__(self, **inputs: Any) -> str | dict[str, Any]:
        """Ask the judge: an object if the prompt's ``response_format`` is JSON, else text."""
        run = current.get(self._run)
        if run is None:
            raise EvaluationError(
                f"{self._prompty.name} can only run while its evaluator is called", code="evaluatorConfigurationError"
            )
        return run.ask(self._prompty, inputs, self._parameters)


def load_flow(source: str | Path, *, model: Mapping[str, Any] | None = None, **_: Any) -> Flow:
    """Load a prompt file. Of ``model`` only its ``parameters`` count: the judge is the one that is configured."""
    return Flow(Prompty.read(Path(source)), (model or {}).get("parameters") or {})


def read_text(text: str) -> str:
    """Return the text of an answer; raises `UnusableAnswer` for an empty one."""
    if not text.strip():
        raise UnusableAnswer("the judge's answer is empty")
    return text
