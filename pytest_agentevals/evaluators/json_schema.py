"""Whether a response is JSON that a schema accepts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from pydantic import Field, ValidationInfo, field_validator

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.wording import counted, quoted

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

    from pytest_agentevals.evaluators.place import Place
    from pytest_agentevals.results import Verdict

#: How many of a response's mistakes are listed.
_LISTED = 10
_FENCE = re.compile(r"\s*```[^\n`]*\n(?P<inside>.*?)\s*```\s*", re.DOTALL)


class JsonSchema(Evaluator):
    """Whether the response is JSON and a JSON Schema accepts it. Score 1.0 or 0.0.

    One Markdown code fence around the whole response is stripped. The schema is checked against its draft (2020-12
    where it names none) when the document is collected. References within the schema work; others are never fetched:
    where one is needed, the verdict is an error. ``format`` is an annotation, as the drafts have it by default.
    """

    result_key: ClassVar[str] = "jsonSchema"

    definition: dict[str, Any] | bool = Field(
        alias="schema", description="A JSON Schema, or the name of a file with one, relative to the document."
    )

    @field_validator("definition", mode="before", json_schema_input_type=dict[str, Any] | bool | str)
    @classmethod
    def _from_file(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            value = _read(value, (info.context or {}).get("place"))
        if not isinstance(value, dict | bool):
            raise ValueError("a JSON Schema is an object, true or false")  # noqa: TRY004 - pydantic reports ValueError
        return value

    @field_validator("definition")
    @classmethod
    def _is_a_schema(cls, value: dict[str, Any] | bool) -> dict[str, Any] | bool:
        from jsonschema import SchemaError

        try:
            _draft(value).check_schema(value)  # type: ignore[arg-type] # the stubs leave out boolean schemas
        except SchemaError as error:
            raise ValueError(f"no valid JSON Schema: {error.json_path}: {_shortened(error.message)}") from error
        except RecursionError as error:
            raise ValueError("the JSON Schema is nested too deeply") from error
        return value

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Parse and validate the response; raises `EvaluationError` where the schema cannot be followed."""
        text = exchange.response.text
        fenced = _FENCE.fullmatch(text)
        try:
            value = _parse(fenced["inside"] if fenced else text)
        except ValueError as error:
            return decide(0.0, reason=f"the response is not JSON: {error}", errors=[])
        mistakes = self._mistakes(value)
        return decide(
            0.0 if mistakes else 1.0,
            reason=(
                f"the response breaks the schema in {counted(len(mistakes), 'place')}, first {mistakes[0]}"
                if mistakes
                else "the schema accepts the response"
            ),
            notes=tuple(mistakes[:_LISTED]),
            errors=mistakes[:_LISTED],
        )

    def _mistakes(self, value: Any) -> list[str]:
        """Return what the schema does not accept: a JSON path and a sentence each."""
        from referencing.exceptions import Unresolvable
        from referencing.jsonschema import EMPTY_REGISTRY

        # The default registry would fetch what it does not know.
        validator = _draft(self.definition)(self.definition, registry=EMPTY_REGISTRY)
        try:
            errors = sorted(validator.iter_errors(value), key=lambda error: error.json_path)
        except Unresolvable as error:
            raise EvaluationError(
                f"the schema refers to {quoted(error.ref)}, which is not in it, and references are not fetched",
                code="evaluatorConfigurationError",
            ) from error
        except RecursionError as error:
            raise EvaluationError("the schema or the response is nested too deeply to be compared") from error
        return [f"{error.json_path}: {_shortened(error.message)}" for error in errors]


def _read(name: str, place: Place | None) -> Any:
    """Return the content of a JSON file; raises `ValueError` where there is none."""
    if place is None:
        raise ValueError(f"the file {quoted(name)} cannot be found without a document beside it")
    content = place.find(name).read_bytes()
    try:
        return _parse(content.decode("utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"the file {quoted(name)} is not JSON: {error}") from error


def _draft(schema: dict[str, Any] | bool) -> type[Validator]:
    """Return the validator of the draft that a schema names; raises `ValueError` for one that is not known."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(declared, str):
        return Draft202012Validator
    draft: type[Validator] | None = validator_for(
        {"$schema": declared},
        default=None,  # type: ignore[arg-type] # any default is returned as it is
    )
    if draft is None:
        raise ValueError(f'"$schema" names {quoted(declared)}, which is no draft of JSON Schema that is known')
    return draft


def _parse(text: str) -> Any:
    """Parse JSON strictly; raises `ValueError` for everything else."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _shortened(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
