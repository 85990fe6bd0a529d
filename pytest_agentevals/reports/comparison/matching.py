"""Which items and verdicts of two runs belong together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from pytest_agentevals.reports.run import EvaluatedItem, Run

#: Decimals of a difference that count: further ones come from binary fractions, and would break ties.
DECIMALS = 12


class Standing(NamedTuple):
    """What one evaluator found, on one of two sides."""

    evaluator: str
    outcome: Outcome
    #: Of passes and fails, matches as 1 and 0.
    score: float | None = None
    threshold: float | None = None
    #: The judge's model.
    model: str | None = None
    reason: str = ""


class Pair(NamedTuple):
    """The two standings of one evaluator on one item; ``name`` is the verdict's within the item."""

    item: EvaluatedItem
    name: str
    before: Standing
    after: Standing

    @property
    def evaluator(self) -> str:
        """The evaluator's name."""
        return self.after.evaluator or self.before.evaluator

    @property
    def decided(self) -> bool:
        """Whether both are a pass or a fail."""
        return {self.before.outcome, self.after.outcome} <= {Outcome.PASS, Outcome.FAIL}

    @property
    def step(self) -> int:
        """1 for what became a pass, -1 for what is none any more, else 0."""
        return (self.after.outcome is Outcome.PASS) - (self.before.outcome is Outcome.PASS)

    @property
    def difference(self) -> float | None:
        """How much the score went up; None where one of the two has none."""
        if self.before.score is None or self.after.score is None:
            return None
        return round(self.after.score - self.before.score, DECIMALS)


def matched(run: Run, baseline: Run) -> list[tuple[EvaluatedItem, EvaluatedItem]]:
    """Pair the items of a baseline with those of a run, in the order of the run.

    They match by document and id, else by id, else by their prompts, wherever that says which one it is.
    """
    earlier, later = list(baseline.items), list(run.items)
    found: dict[int, EvaluatedItem] = {}
    for key in (_address, _id, _prompts):
        known, wanted = _unique(earlier, key), _unique(later, key)
        for common in known.keys() & wanted.keys():
            found[id(wanted[common])] = known[common]
        taken = {*found, *map(id, found.values())}
        earlier = [item for item in earlier if id(item) not in taken]
        later = [item for item in later if id(item) not in taken]
    return [(found[id(item)], item) for item in run.items if id(item) in found]


def _address(item: EvaluatedItem) -> Hashable:
    return item.document, item.id


def _id(item: EvaluatedItem) -> Hashable:
    return item.id


def _prompts(item: EvaluatedItem) -> Hashable:
    turns = item.content.get("turns") or [item.content]
    return tuple(turn.get("prompt") for turn in turns)


def _unique(items: Sequence[EvaluatedItem], key: Callable[[EvaluatedItem], Hashable]) -> dict[Hashable, EvaluatedItem]:
    """Map keys to their items, those keys left out that several items have."""
    keys = [key(item) for item in items]
    counts = Counter(keys)
    return {each: item for each, item in zip(keys, items, strict=True) if counts[each] == 1}


def pairs(before: EvaluatedItem, after: EvaluatedItem) -> Iterator[Pair]:
    """Yield the verdicts of two items that belong together.

    Where one of the two ended without any verdict, all verdicts of the other stand beside an error.
    """
    first, second = standings(before), standings(after)
    for name in dict.fromkeys((*first, *second)):
        if name:
            known = first.get(name) or first.get("")
            found = second.get(name) or second.get("")
            if known is not None and found is not None:
                yield Pair(after, name, known, found)


def standings(item: EvaluatedItem) -> dict[str, Standing]:
    """Return what evaluators found, by name of the verdict; ``""`` is why there is no verdict at all."""
    found, lost = {}, {}
    for case in item.cases():
        verdict = case.verdict
        if case.outcome is None:
            if case.kind in {Kind.ERROR, Kind.FAILURE} or case.tolerated:
                lost[""] = Standing("", Outcome.ERROR, reason=case.message)
        elif verdict is None:
            found[case.name] = Standing(case.evaluator, case.outcome, reason=case.message)
        else:
            decided = case.outcome in {Outcome.PASS, Outcome.FAIL} and verdict.score is not None
            found[case.name] = Standing(
                case.evaluator,
                case.outcome,
                float(verdict.score) if decided and verdict.score is not None else None,
                verdict.threshold,
                verdict.usage.model if verdict.usage else None,
                verdict.reason,
            )
    return found or lost
