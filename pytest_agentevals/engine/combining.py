"""Several verdicts of one evaluator made one: answers of a judge, judges of a panel, repeats of an item.

Pure functions. The verdicts given say by ``part`` which they are, and become the parts of the one. In all of them an
error in the place of another verdict never makes a pass of what was none.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from pytest_agentevals.results import JudgeUsage, Outcome, Verdict, number
from pytest_agentevals.statistics import mean, standard_deviation, wilson

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


class Rule(StrEnum):
    """``evals_judges_verdict``: how the verdicts of several judges make one."""

    #: The verdict in the middle.
    MEDIAN = "median"
    #: What more than half of the judges say.
    MAJORITY = "majority"
    #: The first judge alone is asked.
    FIRST = "first"


#: From worst to best.
ORDER = (Outcome.ERROR, Outcome.FAIL, Outcome.PASS)


def of_answers(answers: Sequence[Verdict]) -> Verdict:
    """Sum up several answers of one judge: the one in the middle, see `middle`."""
    return _summing_up(middle(answers), answers, _notes("the judge disagrees with itself", answers))


def of_judges(verdicts: Sequence[Verdict], rule: Rule) -> Verdict:
    """Sum up what several judges say, by the median of their scores or by the majority of their outcomes."""
    deciding = majority(verdicts) if rule is Rule.MAJORITY else middle(verdicts)
    return _summing_up(deciding, verdicts, _notes("the judges disagree", verdicts))


def of_repeats(repeats: Sequence[Verdict], needed: int) -> Verdict:
    """Sum up repeats, of which at least ``needed`` have to pass, or all that apply where those are fewer.

    Where the errors could still make up for the passes that are missing, it is an error. The score is the mean.
    """
    applicable = _applicable(repeats)
    if not applicable:
        return _summing_up(repeats[0], repeats)
    needed = min(needed, len(applicable))
    counts = Counter(verdict.outcome for verdict in applicable)
    passes, errors = counts[Outcome.PASS], counts[Outcome.ERROR]
    outcome = Outcome.PASS if passes >= needed else Outcome.FAIL if passes + errors < needed else Outcome.ERROR
    deciding = _middle_of(verdict for verdict in applicable if verdict.outcome is outcome)
    counted = f"{passes} of {len(applicable)} repeats pass, {needed} needed"
    if errors:
        counted += f", {errors} could not be evaluated"
    measure = f" ({deciding.measure})" if outcome is not Outcome.ERROR else ""
    told = f". {deciding.part.capitalize()}{measure}: {deciding.reason}" if deciding.reason else ""
    scores = [verdict.score for verdict in applicable if verdict.score is not None]
    figures = _figures(scores, passes, passes + counts[Outcome.FAIL])
    return replace(
        _summing_up(deciding, repeats, _figures_note(figures)),
        score=_mean(scores) if outcome is not Outcome.ERROR else None,
        reason=counted + told,
        details={**deciding.details, "repeats": {"count": len(repeats), "passed": passes, "needed": needed, **figures}},
    )


def middle(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the low median, ordered from worst to best: errors, then fails by score, then passes by score.

    Of an even number it is the lower of the two in the middle. So it is an error where half or more are errors, and
    nowhere else unless some are not_applicable: those have no place in the order, and where fewer than half of all have
    a score, it is one of the errors if there are any, else not_applicable.
    """
    return _unscored(verdicts) or _middle_of(_applicable(verdicts))


def majority(verdicts: Sequence[Verdict]) -> Verdict:
    """Return a verdict with the outcome that the majority has, the middle one of those.

    A pass needs more than half of the verdicts that apply, a tie is a fail. It is an error where half or more are
    errors, and where those that are would have made the difference. Where fewer than half of all have a score, it is
    one of the errors if there are any, else not_applicable.
    """
    if unscored := _unscored(verdicts):
        return unscored
    applicable = _applicable(verdicts)
    counts = Counter(verdict.outcome for verdict in applicable)
    passes, errors, half = counts[Outcome.PASS], counts[Outcome.ERROR], len(applicable) / 2
    outcome = Outcome.FAIL
    if passes > half:
        outcome = Outcome.PASS
    elif errors >= half or passes + errors > half:
        outcome = Outcome.ERROR
    return _middle_of(verdict for verdict in applicable if verdict.outcome is outcome)


def _unscored(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return what it is where fewer than half have a score, else None."""
    unscored = [verdict for verdict in verdicts if verdict.outcome in {Outcome.ERROR, Outcome.NOT_APPLICABLE}]
    if 2 * len(unscored) <= len(verdicts):
        return None
    return min(unscored, key=lambda verdict: verdict.outcome is not Outcome.ERROR)


def _applicable(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.outcome is not Outcome.NOT_APPLICABLE]


def _middle_of(verdicts: Iterable[Verdict]) -> Verdict:
    ordered = sorted(verdicts, key=lambda verdict: (ORDER.index(verdict.outcome), verdict.score or 0))
    return ordered[(len(ordered) - 1) // 2]


def _summing_up(deciding: Verdict, parts: Sequence[Verdict], notes: Iterable[str] = ()) -> Verdict:
    """Return the deciding verdict with its parts and what they took, all of them at the same time."""
    return replace(
        deciding,
        part="",
        parts=tuple(parts),
        usage=_usage([verdict.usage for verdict in parts if verdict.usage is not None]),
        seconds=max(verdict.seconds for verdict in parts),
        notes=(*deciding.notes, *notes),
    )


def _usage(usages: Collection[JudgeUsage]) -> JudgeUsage | None:
    if not usages:
        return None
    models = dict.fromkeys(usage.model for usage in usages)
    return replace(reduce(add, usages), model=", ".join(models))


def _mean(scores: Sequence[float]) -> bool | int | float:
    """Return the mean; scores that are all the same stay what they are, matches and whole numbers."""
    return scores[0] if len(set(scores)) == 1 else mean(scores)


def _figures(scores: Sequence[float], passes: int, decided: int) -> dict[str, Any]:
    """Return what a results document says of repeats, without what nothing is known of."""
    figures: dict[str, Any] = {}
    if scores:
        # Matches as 1 and 0.
        figures |= {"mean": mean(scores), "lowest": +min(scores), "highest": +max(scores)}
    if len(scores) > 1:
        figures["standard_deviation"] = standard_deviation(scores)
    if decided:
        figures |= {"pass_rate": passes / decided, "pass_rate_interval": list(wilson(passes, decided))}
    return figures


def _figures_note(figures: dict[str, Any]) -> list[str]:
    """Tell mean, spread and pass rate on one line."""
    said = []
    if "mean" in figures:
        said.append(f"mean {number(figures['mean'])}")
        said.append(f"from {number(figures['lowest'])} to {number(figures['highest'])}")
    if "standard_deviation" in figures:
        said.append(f"standard deviation {number(figures['standard_deviation'])}")
    if "pass_rate" in figures:
        low, high = figures["pass_rate_interval"]
        said.append(f"pass rate {figures['pass_rate']:.0%} (95% interval {low:.0%} to {high:.0%})")
    return [", ".join(said)] if said else []


def _notes(disagreement: str, verdicts: Sequence[Verdict]) -> list[str]:
    """Say where outcomes differ, and which verdicts are errors."""
    notes = []
    counts: Counter[Outcome] = Counter(verdict.outcome for verdict in verdicts if verdict.outcome is not Outcome.ERROR)
    if len(counts) > 1:
        told = (f"{counts[outcome]} {outcome.replace('_', ' ')}" for outcome in Outcome if counts[outcome])
        notes.append(f"{disagreement}: {', '.join(told)}")
    errors = (verdict for verdict in verdicts if verdict.outcome is Outcome.ERROR)
    return notes + [f"{verdict.part} gave no verdict: {verdict.code}: {verdict.reason}" for verdict in errors]
