"""The dimensions of a rubric as a table for terminals of 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentevals.rubrics.scoring import DimensionScore

#: Columns of the table: what is left of 80 where a report indents it.
WIDTH = 76
#: Columns of the longest name shown whole; the results document has all of them whole.
LONGEST_NAME = 40


def table(scores: Sequence[DimensionScore], *, weighted: bool = True) -> Iterator[str]:
    """Write one line per dimension (name, score, bar, weight), and its reason below.

    ``n/a`` marks dimensions that do not apply.
    """
    names = [score.id if len(score.id) <= LONGEST_NAME else score.id[: LONGEST_NAME - 3] + "..." for score in scores]
    column = max(len(name) for name in ("dimension", *names))
    yield f"{'dimension':<{column}}  {'score':<9}{'  weight' if weighted else ''}".rstrip()
    for name, score in zip(names, scores, strict=True):
        weight = f"  {score.weight:>6g}" if weighted else ""
        yield f"{name:<{column}}  {mark(score)}{weight}".rstrip()
        yield from textwrap.wrap(score.reason, WIDTH, initial_indent="    ", subsequent_indent="    ")


def mark(score: DimensionScore) -> str:
    """Draw a score: ``3 ###..``, ``true``, ``false``, or ``n/a``, nine columns wide."""
    if score.score is None:
        return f"{'n/a':<9}"
    if isinstance(score.score, bool):
        return f"{str(score.score).lower():<9}"
    return f"{score.score} {'#' * score.score:.<5}  "
