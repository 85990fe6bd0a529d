"""One item as the page shows it: its turns with what was said, what was decided, and on what evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentevals.reports.cases import cases
from pytest_agentevals.reports.failure import name_of
from pytest_agentevals.reports.html.differences import Difference, difference
from pytest_agentevals.reports.html.evidence import Retrieval, extra, retrievals
from pytest_agentevals.reports.html.verdicts import VerdictView, is_mixed, of_case, of_part
from pytest_agentevals.reports.html.wording import SIGNS, state
from pytest_agentevals.reports.run import status
from pytest_agentevals.reports.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.reports.run import EvaluatedItem
    from pytest_agentevals.results import ItemResult, TurnResult

#: Verdicts that the line of an item shows; worst first.
CHIPS = 8
#: Characters of a prompt on that line.
PREVIEW = 200

_WORST_FIRST = {name: position for position, name in enumerate(SIGNS)}


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn."""

    turn: TurnResult
    verdicts: list[VerdictView]
    #: What else the evaluators of the turn were given.
    context: str | None
    options: Mapping[str, Mapping[str, Any]]

    @property
    def difference(self) -> Difference | None:
        """The response beside what was expected; None where one of them is missing."""
        turn = self.turn
        if turn.response is None or turn.expected_response is None:
            return None
        return difference(turn.expected_response, turn.response.text)

    @property
    def retrievals(self) -> list[Retrieval]:
        """What the agent retrieved."""
        if self.turn.response is None:
            return []
        return retrievals(self.turn.response, self.turn.verdicts, self.options)

    #: Fields of evidence that the format does not name.
    extra = staticmethod(extra)


class RepeatView(NamedTuple):
    """One of several evaluations of an item."""

    state: str
    turns: list[TurnView]


class ItemView:
    """One item. Everything but its status is worked out when it is written."""

    def __init__(self, item: EvaluatedItem) -> None:
        self.item = item
        self.result = item.result
        self.cases = list(cases(item.run, self.result, texts=False))
        self.status = status(self.cases)

    @property
    def tags(self) -> list[str]:
        """The tags, each on one line."""
        return tags(self.item)

    @property
    def preview(self) -> str:
        """The first prompt on one line."""
        prompt = (
            self.result.turns[0].prompt
            if self.result and self.result.turns
            else _prompts(self.item.content)[0].get("prompt")
        )
        return one_line(str(prompt or "")[: 4 * PREVIEW])[:PREVIEW]

    @property
    def chips(self) -> list[tuple[str, Case]]:
        """The verdicts with their states, worst first."""
        found = [(state(case), case) for case in self.cases if case.evaluator]
        return sorted(found, key=lambda each: _WORST_FIRST[each[0]])

    @property
    def mixed(self) -> bool:
        """Whether repeats, or several judges, decided differently on anything."""
        return any(is_mixed(case.verdict) for case in self.cases if case.verdict is not None)

    @property
    def filters(self) -> str:
        """Evaluators with their states, for the filter: ``Relevance=failed Coherence=passed``."""
        return " ".join(f"{case.evaluator}={state(case)}" for case in self.cases if case.evaluator)

    @property
    def troubles(self) -> list[tuple[str, Case]]:
        """What went wrong with the item itself; what went wrong with a turn is told there."""
        told = {turn.error.code for turn in self.result.turns if turn.error} if self.result else set()
        return [(state(case), case) for case in self.cases if not case.evaluator and case.type not in told]

    @property
    def turns(self) -> list[TurnView]:
        """The turns; of an item that was evaluated several times, summed up."""
        if self.result is None:
            return []
        return self._turns(self.result, {case.name: case for case in self.cases if case.verdict is not None})

    @property
    def repeats(self) -> list[RepeatView]:
        """The turns of each repeat, with its status."""
        if self.result is None:
            return []
        return [RepeatView(_OF_STATUS[repeat.status], self._turns(repeat, {})) for repeat in self.result.repeats]

    def _turns(self, result: ItemResult, cases: Mapping[str, Case]) -> list[TurnView]:
        contents, options = _prompts(self.item.content), self.item.evaluators
        return [
            _turn(turn, _at(contents, position), _at(options, position), cases)
            for position, turn in enumerate(result.turns)
        ]


def tags(item: EvaluatedItem) -> list[str]:
    """Return the tags of an item, each on one line."""
    return [one_line(tag) for tag in item.tags]


#: States of the results document as states of the page.
_OF_STATUS = {"pass": "passed", "fail": "failed", "partial": "error", "error": "error", None: "skipped"}


def _turn(
    turn: TurnResult,
    content: Mapping[str, Any],
    options: Mapping[str, Mapping[str, Any]],
    cases: Mapping[str, Case],
) -> TurnView:
    views = []
    for verdict in turn.verdicts:
        # Verdicts of a single repeat are no cases.
        case = cases.get(name_of(verdict, turn))
        views.append(of_case(case, verdict, options.get(verdict.evaluator)) if case else of_part(verdict))
    views.sort(key=lambda view: _WORST_FIRST[view.state])
    context = content.get("context")
    return TurnView(turn, views, context if isinstance(context, str) else None, options)


def _prompts(content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    turns = content.get("turns")
    return turns if isinstance(turns, list) and turns else [content]


def _at(values: Sequence[Mapping[str, Any]], position: int) -> Mapping[str, Any]:
    return values[position] if position < len(values) else {}
