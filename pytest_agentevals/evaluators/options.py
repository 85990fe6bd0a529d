"""Types of options that several evaluators take."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Part(BaseModel):
    """Base of options that are objects, validated as strictly as the evaluators themselves."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_tuple(value: Any) -> Any:
    """Accept one text where a list of texts is expected."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


#: A text to look for; white space alone would be found nearly everywhere.
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
#: Texts to look for, as a list or as one text.
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_tuple, json_schema_input_type=list[Text] | Text)]
#: Texts to look for, white space included.
RawTexts = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    BeforeValidator(
        _as_tuple,
        json_schema_input_type=list[Annotated[str, Field(min_length=1)]] | Annotated[str, Field(min_length=1)],
    ),
]
