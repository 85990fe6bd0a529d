"""What a rubric says: its dimensions, and how they are scored."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from pytest_agentevals.judge.named import JudgeName
from pytest_agentevals.rubrics.scoring import enumeration

if TYPE_CHECKING:
    from typing import Self


class Dimension(BaseModel):
    """One criterion: the judge reads its description and scores it on its own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    id: str = Field(
        min_length=1,
        pattern=r"\S",
        validation_alias=AliasChoices("id", "rubric_id", "dimension_id"),
        description="Name of the criterion, unique in its rubric, for example policy_enforcement.",
    )
    description: str = Field(
        min_length=1, pattern=r"\S", description="What the criterion measures; the judge reads it."
    )
    weight: float | None = Field(
        default=None,
        gt=0,
        description="Relative importance, 1 to 10. Every dimension has one, or none has and all count the same.",
    )
    always_applicable: bool = Field(
        default=False, description="Whether the judge has to score this criterion for every response."
    )
    min_score: int | None = Field(
        default=None, ge=1, le=5, description="Score below which the rubric fails whatever the other dimensions say."
    )
    # Not of what is scored: left out of the content hash and of what the judge reads.
    rationale: str | None = Field(
        default=None, exclude=True, description="Why the criterion is there, for people; the judge does not read it."
    )


class Definition(BaseModel):
    """A rubric, whether it stands in an eval document or in a file of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    name: str | None = Field(default=None, description="Name of the rubric, for the results.")
    version: str | None = Field(default=None, description="Version of the rubric, for the results.")
    description: str | None = Field(default=None, description="What the rubric is about; the judge reads it.")
    category: Literal["quality", "safety"] = Field(default="quality", description="What kind of criteria these are.")
    level: Literal["turn", "conversation"] = Field(
        default="turn", description="Whether every turn of a thread is scored, or the conversation once, at its end."
    )
    scoring: Literal["likert", "boolean"] = Field(
        default="likert",
        description="likert: 1 to 5, weighted; boolean: true or false, and all applicable dimensions must be true.",
    )
    model: JudgeName = None
    threshold: float | None = Field(
        default=None, ge=0, le=1, description="Score needed to pass, 0 to 1; 0.5 by default."
    )
    # Not strict about lists: that is what JSON has. Each dimension is strict itself.
    dimensions: Annotated[tuple[Dimension, ...], Field(strict=False)] = Field(
        description="The criteria, each with an id, a description and a weight.", json_schema_extra={"minItems": 1}
    )
    generated: dict[str, str] | None = Field(
        default=None,
        exclude=True,
        description="Written by agentevals rubric generate: digests of its dimensions, by which it knows hand edits.",
    )
    include_expected: bool = Field(default=False, description="Whether the judge sees expected_response.")
    fail_on_score_1: bool = Field(
        default=False, description="Whether a score of 1 on any dimension fails the whole rubric."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        # Not a limit of the field: of a list with one bad dimension it would say that it is empty.
        if not self.dimensions:
            raise ValueError("a rubric needs at least one dimension")
        counts = Counter(dimension.id for dimension in self.dimensions)
        if repeated := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"dimensions must have different ids; more than one is called {enumeration(repeated)}")
        unweighted = [dimension.id for dimension in self.dimensions if dimension.weight is None]
        if self.boolean:
            if len(unweighted) < len(self.dimensions) or any(dimension.min_score for dimension in self.dimensions):
                raise ValueError("dimensions of boolean scoring have neither weight nor min_score")
            if self.fail_on_score_1:
                raise ValueError("boolean scoring has no score of 1: leave out fail_on_score_1")
        elif 0 < len(unweighted) < len(self.dimensions):
            raise ValueError(f"all dimensions need a weight, or none; there is none on {enumeration(unweighted)}")
        return self

    @property
    def boolean(self) -> bool:
        """Whether dimensions are true or false instead of 1 to 5."""
        return self.scoring == "boolean"

    @property
    def cut(self) -> float:
        """The score needed to pass."""
        if self.boolean:
            return 1
        return 0.5 if self.threshold is None else self.threshold

    @property
    def content_hash(self) -> str:
        """SHA-256 of what is scored and how: dimensions, description, scoring and level, but no threshold."""
        content = self.model_dump(mode="json", include={"description", "scoring", "level", "dimensions"})
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Weights outside the published range, and a threshold that boolean scoring does not look at."""
        odd = [
            f"{dimension.id} ({dimension.weight:g})"
            for dimension in self.dimensions
            if dimension.weight is not None and dimension.weight not in range(1, 11)
        ]
        found = []
        if odd:
            found.append(f"weights should be whole numbers from 1 to 10; other ones: {enumeration(odd)}")
        if self.boolean and self.threshold not in {None, 1}:
            found.append(f"threshold {self.threshold:g} has no effect: boolean scoring needs all dimensions true")
        return tuple(found)
