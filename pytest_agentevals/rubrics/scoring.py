"""What a rubric's scores add up to, in exact arithmetic, and the sentence that says which of them decided."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Scores from here down are called very low.
VERY_LOW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionScore:
    """What the judge said about one dimension: 1 to 5, a bool under boolean scoring, None where it does not apply."""

    id: str
    score: int | bool | None
    weight: float
    reason: str

    @property
    def applicable(self) -> bool:
        """Whether the dimension counts."""
        return self.score is not None

    def as_json(self) -> dict[str, Any]:
        """Return the entry of ``dimension_scores`` in the results document."""
        return {
            "id": self.id,
            "score": self.score,
            "applicable": self.applicable,
            "weight": int(self.weight) if self.weight == int(self.weight) else self.weight,
            "reason": self.reason,
        }


def exact(value: float) -> Fraction:
    """Return a number as it was written: 0.6 is 3/5, not the binary fraction next to it."""
    return Fraction(str(value))


def weighted_mean(scores: Sequence[DimensionScore]) -> Fraction | None:
    """Return ``sum(w * s) / sum(w) / 5`` over the applicable dimensions, 0.2 to 1; None if none applies.

    The formula reproduces the examples published for Microsoft Foundry's rubric evaluators: 146/155 and 55/155.
    """
    counted = [(exact(score.weight), score.score) for score in scores if score.score is not None]
    if not counted:
        return None
    return sum((weight * score for weight, score in counted), Fraction()) / sum(weight for weight, _ in counted) / 5


def share_of_true(scores: Sequence[DimensionScore]) -> Fraction | None:
    """Return the share of applicable dimensions that are true, 0 to 1; None if none applies."""
    counted = [bool(score.score) for score in scores if score.applicable]
    return Fraction(sum(counted), len(counted)) if counted else None


def drivers(scores: Sequence[DimensionScore], *, passed: bool) -> str:
    """Name the three dimensions that moved a 1-5 verdict most: by ``w * s`` if it passed, else by ``w * (5 - s)``.

    Ties stand in the order of the rubric.
    """

    def share(score: DimensionScore) -> Fraction:
        points = score.score or 0
        return exact(score.weight) * (points if passed else 5 - points)

    top = sorted((score for score in scores if score.applicable), key=share, reverse=True)[:3]
    very_low = not passed and all((score.score or 0) <= VERY_LOW for score in top)
    names = enumeration([f"{score.id} ({score.score})" for score in top])
    return f"The verdict is driven {'by very low' if very_low else 'most by'} {names}."


def untrue(scores: Sequence[DimensionScore]) -> str:
    """Say which of the applicable true-or-false dimensions are false."""
    applicable = [score for score in scores if score.applicable]
    false = [score.id for score in applicable if not score.score]
    if not false:
        return f"All {len(applicable)} applicable dimensions are true."
    return f"{len(false)} of {len(applicable)} applicable dimensions are false: {enumeration(false)}."


def enumeration(names: Sequence[str]) -> str:
    """Join names as a sentence does: ``a``, ``a and b``, ``a, b, and c``."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
