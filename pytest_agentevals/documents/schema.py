"""The JSON Schema of eval documents, for editors: generated from the models, and shipped as a file of this package."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from pytest_agentevals.documents.models import EvalDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

#: The file of this package that holds the schema.
FILE = "eval-document.schema.json"

_REFERENCE = "#/$defs/{model}"
_CUSTOM = {
    "description": "An evaluator of the project's own.",
    "type": "object",
    "properties": {
        "threshold": {"description": "The score needed to pass.", "type": "number"},
        "options": {"description": "Handed to the evaluator.", "type": "object"},
    },
    "additionalProperties": False,
}


class _Untitled(GenerateJsonSchema):
    """Leaves out the titles of fields, which editors would show instead of the descriptions."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's signature
        return False


def generate(evaluators: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """Generate the schema; ``evaluators`` has the classes of the built-in evaluators, whose fields are options."""
    schema = EvalDocument.model_json_schema(schema_generator=_Untitled)
    definitions = schema["$defs"]
    for name, evaluator in evaluators.items():
        definitions |= _options(name, evaluator)
    definitions["Evaluators"] = {
        "description": "Evaluators by name, each with its options; {} for the defaults.",
        "type": "object",
        "properties": {name: {"$ref": _REFERENCE.format(model=name)} for name in evaluators},
        "propertyNames": {"pattern": "^[a-zA-Z][a-zA-Z0-9_]*$"},
        "additionalProperties": _CUSTOM,
    }
    reference = {"$ref": _REFERENCE.format(model="Evaluators")}
    for part, key in (
        (schema, "default_evaluators"),
        (definitions["Item"], "evaluators"),
        (definitions["Turn"], "evaluators"),
    ):
        part["properties"][key]["anyOf"][0] = reference
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}


def _options(name: str, evaluator: type[BaseModel]) -> dict[str, Any]:
    """Return the definitions for one evaluator, whose options may stand one level deeper, under ``options``."""
    schema = evaluator.model_json_schema(
        schema_generator=_Untitled, ref_template=_REFERENCE.format(model=f"{name}.{{model}}")
    )
    inner = {f"{name}.{key}": definition for key, definition in schema.pop("$defs", {}).items()}
    direct = f"{name}.options"
    return {
        name: {
            "description": schema.get("description", ""),
            "type": "object",
            "if": {"required": ["options"]},
            "then": {"properties": {"options": {"type": "object"}}},
            "else": {"$ref": _REFERENCE.format(model=direct)},
        },
        direct: schema,
        **inner,
    }


def published() -> str:
    """Return the text of the published schema."""
    return (files(__package__) / FILE).read_text(encoding="utf-8")
