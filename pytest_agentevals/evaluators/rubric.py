"""An answer scored on the weighted criteria of a rubric."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ConfigDict, Field, ValidationInfo, model_validator

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator
from pytest_agentevals.evaluators.material import material
from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.rubrics import files, prompt
from pytest_agentevals.rubrics.answer import read_answer
from pytest_agentevals.rubrics.definition import Definition
from pytest_agentevals.rubrics.validation import checked
from pytest_agentevals.rubrics.verdict import decide

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange
    from pytest_agentevals.results import Verdict

#: The one model of the published table of rubric judges that is not recommended.
UNRECOMMENDED = "gpt-4o-mini"

#: Tokens of the answer: the frame, and a reason of two sentences per dimension with room to spare.
FRAME_TOKENS = 400
DIMENSION_TOKENS = 250


def either_form(schema: dict[str, Any]) -> None:
    """Let editors accept a rubric file in the place of dimensions, and the threshold by its other name."""
    schema.pop("required")
    schema["anyOf"] = [{"required": ["dimensions"]}, {"required": ["rubric"]}]
    schema["properties"]["pass_threshold"] = schema["properties"]["threshold"]


class Rubric(Definition, Evaluator):
    """A judge scores each dimension of a rubric from 1 to 5; the score is their weighted mean, divided by 5."""

    model_config = ConfigDict(json_schema_extra=either_form)

    result_key = "rubric"
    #: The rubric file that the evaluator is named after, if it is.
    file: ClassVar[Path | None] = None

    rubric: str | None = Field(
        default=None, description="Rubric file, relative to the eval document; options beside it win over the file's."
    )

    @model_validator(mode="before")
    @classmethod
    def _read_file(cls, options: Any, info: ValidationInfo) -> Any:
        """Put the options of the document over those of the rubric file."""
        if not isinstance(options, dict):
            return options
        options = files.renamed(options)
        path, name = cls.file, options.get("rubric")
        if isinstance(name, str):
            if info.context is None:
                raise ValueError("a rubric cannot name another rubric file")
            path = info.context["place"].find(name)
        return {**checked(path), **options} if path else options

    @property
    def judged(self) -> bool:
        """Always."""
        return True

    def doubts(self, model: str) -> str | None:
        """Say of the one model that its vendor's service does not recommend that it is asked."""
        if UNRECOMMENDED not in model.casefold():
            return None
        return f"{model} judges rubrics, for which it is not recommended: name a stronger model"

    async def evaluate(self, exchange: Exchange) -> Verdict:
        """Ask the judge for all dimensions at once and add up what it says.

        Raises `EvaluationError`: ``emptyAgentResponse`` for a response without text, ``evaluatorConfigurationError``
        without a judge, `MissingInput` where ``include_expected`` finds nothing, and whatever the judge raises.
        """
        if not exchange.response.text.strip():
            raise EvaluationError("the agent's response is empty: there is nothing to judge", code="emptyAgentResponse")
        request = self.request(exchange)
        if exchange.judge is None:
            raise EvaluationError(
                f"{request.evaluator} asks a judge, and no judge is configured", code="evaluatorConfigurationError"
            )
        judgment = await exchange.judge.ask(request, partial(read_answer, rubric=self))
        return decide(judgment.answer, self, usage=judgment.usage)

    def request(self, exchange: Exchange) -> JudgeRequest:
        """Write the question to the judge, with the one answer that counts as its JSON Schema."""
        schema = {"name": "rubric_scores", "strict": True, "schema": prompt.answer_schema(self)}
        return JudgeRequest(
            evaluator=type(self).__name__,
            prompt_version=f"{prompt.VERSION}@sha256:{self.content_hash[:16]}",
            messages=prompt.messages(
                self,
                list(material(exchange, include_expected=self.include_expected)),
                # A single item, or a first turn, is all of its conversation.
                conversation=self.level == "conversation" and bool(exchange.history),
            ),
            parameters={
                "temperature": 0.0,
                "max_tokens": FRAME_TOKENS + DIMENSION_TOKENS * len(self.dimensions),
                "response_format": {"type": "json_schema", "json_schema": schema},
            },
        )


def named_after(file: Path) -> type[Rubric]:
    """Make the evaluator that is named after a rubric file."""
    return type(file.stem, (Rubric,), {"__module__": __name__, "file": file, "result_key": file.stem})
