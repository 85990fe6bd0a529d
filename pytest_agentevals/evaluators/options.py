"""Types of options that several evaluators take."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Part(BaseModel):
    """Base of options that are objects, validated as strictly as the evaluators themselves."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_tuple(value: Any) -> Any:
    """Accept one text where a list of texts is expected."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must have more than white space, which would be found nearly everywhere")
    return text


#: A text to look for, white space included.
RawText = Annotated[str, Field(min_length=1)]
#: A text to look for that is more than white space.
Text = Annotated[RawText, Field(json_schema_extra={"pattern": r"\S"}), AfterValidator(_not_blank)]
#: Texts to look for, as a list or as one text.
RawTexts = Annotated[tuple[RawText, ...], BeforeValidator(_as_tuple, json_schema_input_type=list[RawText] | RawText)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_tuple, json_schema_input_type=list[Text] | Text)]
