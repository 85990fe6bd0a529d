"""Loading an eval document: from a file to items whose evaluators are resolved, or to all that is wrong with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_agentevals.documents.check import Checker, EvaluatorCatalog
from pytest_agentevals.documents.identifiers import Named, identifiers, named
from pytest_agentevals.documents.legacy import modernise
from pytest_agentevals.documents.models import Header, Item, Thread, Turn
from pytest_agentevals.documents.positions import parse
from pytest_agentevals.documents.problems import MOST, InvalidDocument, Problem
from pytest_agentevals.documents.reading import read
from pytest_agentevals.documents.results import as_dataset, is_results
from pytest_agentevals.documents.wording import relative, shown
from pytest_agentevals.responses import AgentResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as FilePath

    from pytest_agentevals.documents.legacy import Modernised
    from pytest_agentevals.documents.positions import Path

#: What runs where a document has no ``default_evaluators``.
SYSTEM_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"Relevance": {}, "Coherence": {}}


@dataclass(frozen=True, slots=True)
class LoadedTurn:
    """One prompt with everything that its evaluation needs."""

    prompt: str
    expected_response: str | None
    context: str | None
    #: The recorded response, with the evidence of the document's ``diagnostics``.
    response: AgentResponse | None
    #: The evaluators that run, with their options as written; shared by turns that have the same.
    options: Mapping[str, Mapping[str, Any]]
    #: Counted from 1 in a thread; 0 for an item of its own.
    index: int = 0


@dataclass(frozen=True, slots=True)
class LoadedItem:
    """An item or a thread."""

    #: Unique in the document, and legal in a pytest node id.
    id: str
    #: Where it starts in the file, counted from 1.
    line: int
    #: Of the document and of the item, in this order.
    tags: tuple[str, ...]
    turns: tuple[LoadedTurn, ...]
    thread: bool = False
    name: str | None = None
    conversation_id: str | None = None
    extensions: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A valid document. ``document`` is everything but its items; ``warnings`` are sentences for the user."""

    path: FilePath
    document: Header
    items: tuple[LoadedItem, ...]
    #: All of it as JSON, legacy forms brought into today's.
    content: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


def load(path: FilePath, catalog: EvaluatorCatalog, *, explicit: bool = False) -> LoadedDocument:
    """Load a document.

    ``explicit`` says that the file was named by the user: then legacy forms are accepted, with a warning.
    Raises `DocumentError` with everything that is wrong.
    """
    return load_text(read(path), path, catalog, explicit=explicit)


def load_text(text: str, path: FilePath, catalog: EvaluatorCatalog, *, explicit: bool = False) -> LoadedDocument:
    """Load a document of which the text is known, as if it stood in the file ``path``; see `load`."""
    parsed = parse(text)
    if any(fault.fatal for fault in parsed.faults):
        faults = [Problem(*parsed.place(fault.offset), "", fault.message) for fault in parsed.faults[:MOST]]
        raise InvalidDocument(path, faults, more=len(parsed.faults) - len(faults))
    legacy = modernise(parsed.value)
    value = legacy.value if legacy else parsed.value
    checker = Checker(path, parsed, legacy.origin if legacy else tuple, catalog)
    results = is_results(value)
    if results:
        try:
            value = as_dataset(value)
        except ValueError as error:
            checker.add(("items",), f"cannot be read as results: {error}")
            checker.finish()
    if problem := _unusable(value, legacy, explicit=explicit):
        checker.add((), problem)
        checker.finish()
    header = checker.header(value)
    lines = parsed.lines(legacy.items if legacy else ("items",))
    items = _Items(checker, header, results=results).load(checker.items(value), lines)
    checker.finish()
    if legacy:
        name = relative(path)
        checker.warnings.insert(0, f"{name}: a legacy form; bring it up to date with: agentevals upgrade {name}")
    return LoadedDocument(path, header, items, value, tuple(checker.warnings))


def _unusable(value: Any, legacy: Modernised | None, *, explicit: bool) -> str | None:
    """Say why there is nothing to look at any closer."""
    if not isinstance(value, dict):
        return f"an eval document is an object, not {shown(value)}"
    if legacy and not explicit:
        return 'no "schemaVersion": such a document is used only where it is named explicitly'
    return legacy.problem if legacy else None


class _Items:
    """The items of one document on their way from JSON to `LoadedItem`."""

    def __init__(self, checker: Checker, header: Header, *, results: bool) -> None:
        self._checker = checker
        self._results = results
        self._tags = tuple(dict.fromkeys((header.metadata and header.metadata.tags) or ()))
        self._resolved: dict[str, Mapping[str, Mapping[str, Any]]] = {}
        self._defaults = SYSTEM_DEFAULTS if header.default_evaluators is None else header.default_evaluators
        if header.default_evaluators:
            checker.evaluators(header.default_evaluators, ("default_evaluators",))

    def load(self, values: Sequence[Any], lines: Sequence[int]) -> tuple[LoadedItem, ...]:
        """Check and convert all items; what is returned is complete only if the checker has no problem."""
        names: list[Named] = []
        drafts: list[partial[LoadedItem]] = []
        for index, (value, line) in enumerate(zip(values, lines, strict=True)):
            item = self._checker.item(value, index)
            if item:
                names.append(named(item, index))
                drafts.append(self._draft(item, index, line))
        ids, duplicates = identifiers(names)
        for first, second in duplicates:
            self._report_duplicate(first, second, lines)
        return tuple(draft(id=name) for name, draft in zip(ids, drafts, strict=True))

    def _draft(self, item: Item | Thread, index: int, line: int) -> partial[LoadedItem]:
        """Convert an item, all but its id, which depends on the others."""
        draft = partial(LoadedItem, line=line, tags=self._all_tags(item), extensions=item.extensions)
        if isinstance(item, Item):
            return partial(draft, turns=(self._turn(item, ("items", index), 0),))
        path = ("items", index, "turns")
        # In results every turn has all its evaluators, those of the whole conversation included.
        for place, turn in enumerate(() if self._results else item.turns[:-1]):
            self._checker.earlier_turn(turn.evaluators or {}, (*path, place, "evaluators"))
        turns = tuple(self._turn(turn, (*path, place), place + 1) for place, turn in enumerate(item.turns))
        return partial(draft, turns=turns, thread=True, name=item.name, conversation_id=item.conversation_id)

    def _all_tags(self, item: Item | Thread) -> tuple[str, ...]:
        more = item.extensions.get("tags") if item.extensions else None
        own = [*(item.tags or ()), *(tag for tag in (more if isinstance(more, list) else ()) if isinstance(tag, str))]
        return tuple(dict.fromkeys((*self._tags, *own))) if own else self._tags

    def _turn(self, turn: Turn, path: Path, index: int) -> LoadedTurn:
        return LoadedTurn(
            turn.prompt, turn.expected_response, turn.context, _recorded(turn), self._options(turn, path), index
        )

    def _options(self, turn: Turn, path: Path) -> Mapping[str, Mapping[str, Any]]:
        """Resolve which evaluators run; equal ones are checked once and share one mapping."""
        if turn.evaluators is None:
            return self._defaults
        key = turn.evaluators_mode + json.dumps(turn.evaluators)
        if key not in self._resolved:
            if not self._checker.evaluators(turn.evaluators, (*path, "evaluators")):
                return {}
            extended = turn.evaluators_mode == "extend"
            self._resolved[key] = {**self._defaults, **turn.evaluators} if extended else turn.evaluators
        return self._resolved[key]

    def _report_duplicate(self, first: Named, second: Named, lines: Sequence[int]) -> None:
        own, other, line = shown(second.explicit), shown(first.explicit), lines[first.place]
        if own == other:
            message = f"{own} is already the id on line {line}"
        else:
            message = f"as a test id, {own} is the same as {other} on line {line}"
        self._checker.add(("items", second.place, "extensions", "id"), message)


def _recorded(turn: Turn) -> AgentResponse | None:
    if turn.response is None:
        return None
    citations = None if turn.citations is None else tuple(turn.citations)
    evidence = turn.diagnostics
    if evidence is None:
        return AgentResponse(text=turn.response, citations=citations)
    return AgentResponse(
        text=turn.response,
        citations=citations,
        retrieval_executions=evidence.retrieval_executions,
        tool_calls=evidence.tool_calls,
        tool_definitions=evidence.tool_definitions,
        usage=evidence.usage,
        latency_ms=evidence.latency_ms,
    )
