"""Checking the parts of a document and collecting all that is wrong with them, each problem with its place."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_agentevals.documents.explanations import explain, keys_at, resolve
from pytest_agentevals.documents.legacy import VERSION
from pytest_agentevals.documents.models import EvalDocument, EvaluatorMap, Header, Item, Thread, Turn, item_kind
from pytest_agentevals.documents.problems import MOST, InvalidDocument, Problem, pointer
from pytest_agentevals.documents.suggestions import nearest
from pytest_agentevals.documents.versions import version_problem, version_warning
from pytest_agentevals.documents.wording import quoted, relative, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path as FilePath

    from pydantic_core import ErrorDetails

    from pytest_agentevals.documents.positions import Parsed, Path

Model = TypeVar("Model", bound=BaseModel)

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_TOP = tuple(field.alias or name for name, field in EvalDocument.model_fields.items())


class EvaluatorCatalog(Protocol):
    """Which evaluators there are, and what options they take."""

    @property
    def names(self) -> Collection[str]:
        """All names that documents may use."""
        ...

    def __contains__(self, name: str) -> bool:
        """Whether documents may use a name."""
        ...

    def kind(self, name: str) -> type[BaseModel]:
        """Return the class of an evaluator, whose fields are its options; `KeyError` for an unknown name."""
        ...

    def make(self, name: str, options: Mapping[str, Any]) -> object:
        """Make an evaluator; `KeyError` for an unknown name, `pydantic.ValidationError` for its options."""
        ...


class Checker:
    """Checks one document. Problems are collected, and told all at once by `finish`."""

    def __init__(
        self, path: FilePath, parsed: Parsed, origin: Callable[[Path], Path], catalog: EvaluatorCatalog
    ) -> None:
        self._path = path
        self._parsed = parsed
        self._origin = origin
        self._catalog = catalog
        self._found: list[tuple[Path, str, bool]] = []
        self.warnings: list[str] = []

    def add(self, path: Path, message: str, *, key: bool = False) -> None:
        """Note a problem with a value, or with its key."""
        self._found.append((path, message, key))

    def finish(self) -> None:
        """Raise `DocumentError` if there was any problem, or a fault of the text."""
        faults = {fault.offset: fault.message for fault in self._parsed.faults}
        if not self._found and not faults:
            return
        problems = [Problem(*self._parsed.place(offset), "", message) for offset, message in faults.items()]
        for path, message, key in self._found[:MOST]:
            origin = self._origin(path)
            offset = self._parsed.locate(origin, key=key)
            # What stands in the place of a fault is not what the user wrote.
            if offset not in faults:
                problems.append(Problem(*self._parsed.place(offset), pointer(origin), message))
        more = max(0, len(self._found) - MOST) + max(0, len(problems) - MOST)
        raise InvalidDocument(self._path, sorted(problems)[:MOST], more=more)

    def header(self, value: Mapping[str, Any]) -> Header:
        """Check everything but the items.

        Returns a stand-in for a header that is wrong, so that the mistakes in the items are told in the same run.
        """
        for name in value:
            meant = nearest(name, _TOP) if name not in _TOP else None
            if meant:
                self.add((name,), f"unknown key {quoted(name)}; did you mean {quoted(meant)}?", key=True)
        header = self._validated(Header, value, ())
        if header:
            problem, warning = version_problem(header.schema_version), version_warning(header.schema_version)
            if problem:
                self.add(("schemaVersion",), problem)
            if warning:
                self.warnings.append(f"{relative(self._path)}: {warning}")
        return header or Header(schemaVersion=VERSION, default_evaluators=_well_formed(value.get("default_evaluators")))

    def items(self, value: Mapping[str, Any]) -> Sequence[Any]:
        """Check that there is a list of items, and return it."""
        items = value.get("items")
        if isinstance(items, list) and items:
            return items
        if "items" in value:
            self.add(("items",), f"must be a list of one or more items, not {shown(items)}")
        elif not any(nearest("items", [name]) for name in value):
            self.add((), '"items" is missing')
        return []

    def item(self, value: Any, index: int) -> Item | Thread | None:
        """Check one element of ``items``."""
        path = ("items", index)
        thread = item_kind(value) == "thread"
        item = self._validated(Thread, value, path) if thread else self._validated(Item, value, path)
        if item is None and isinstance(value, dict):
            self._evaluators_inside(value, path)
        return item

    def _evaluators_inside(self, value: Mapping[str, Any], path: Path) -> None:
        """Check the evaluators of an item that has other mistakes, so that all are told at once."""
        parts = {path: value}
        if isinstance(value.get("turns"), list):
            parts = {(*path, "turns", index): turn for index, turn in enumerate(value["turns"])}
        for place, part in parts.items():
            chosen = _well_formed(part.get("evaluators")) if isinstance(part, dict) else None
            if chosen:
                self.evaluators(chosen, (*place, "evaluators"))

    def evaluators(self, chosen: Mapping[str, Mapping[str, Any]], path: Path) -> bool:
        """Check the names and options of evaluators; return whether nothing is wrong with them."""
        before = len(self._found)
        for name, options in chosen.items():
            problem = self._name(name)
            if problem:
                self.add((*path, name), problem, key=True)
            elif name in self._catalog:
                self._options(name, options, (*path, name))
        return len(self._found) == before

    def earlier_turn(self, chosen: Mapping[str, Mapping[str, Any]], path: Path) -> None:
        """Check that a turn with others after it has no evaluator of its own that looks at the whole conversation."""
        for name, options in chosen.items():
            if name in self._catalog.names and self._level(name, options) == "conversation":
                where = 'in the last turn, or in "default_evaluators"'
                self.add((*path, name), f"{quoted(name)} looks at the whole conversation: write it {where}", key=True)

    def _level(self, name: str, options: Mapping[str, Any]) -> object:
        try:
            return getattr(self._catalog.make(name, options), "level", "turn")
        except ValidationError:
            # Told by `evaluators`.
            return "turn"

    def _name(self, name: str) -> str | None:
        """Say what is wrong with an evaluator's name. One that resembles no known one may be had when it runs."""
        if not _NAME.fullmatch(name):
            return f"{quoted(name)} is no evaluator name: a letter, then letters, digits or _"
        meant = nearest(name, self._catalog.names, within=2) if name not in self._catalog else None
        return f"unknown evaluator {quoted(name)}; did you mean {quoted(meant)}?" if meant else None

    def _options(self, name: str, options: Mapping[str, Any], path: Path) -> None:
        try:
            self._catalog.make(name, options)
        except ValidationError as error:
            self._translate(error, options, path, self._catalog.kind(name))

    def _validated(self, model: type[Model], value: Any, path: Path) -> Model | None:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            self._translate(error, value, path, model)
            return None

    def _translate(self, error: ValidationError, value: Any, path: Path, model: type[BaseModel]) -> None:
        details = error.errors(include_url=False)
        for inner, detail in _without_consequences(details, value, model):
            message = _special(detail, inner, model) or explain(detail, partial(_keys, model, inner[:-1]))
            missing = detail["type"] == "missing"
            self.add(path + (inner[:-1] if missing else inner), message, key=detail["type"] == "extra_forbidden")


def _well_formed(evaluators: Any) -> EvaluatorMap | None:
    if isinstance(evaluators, dict) and all(isinstance(options, dict) for options in evaluators.values()):
        return evaluators
    return None


def _without_consequences(
    details: list[ErrorDetails], value: Any, model: type[BaseModel]
) -> Iterator[tuple[Path, ErrorDetails]]:
    """Yield the errors with their paths, without "missing" for a key that is there, but misspelt."""
    located = [(resolve(value, detail["loc"]), detail) for detail in details]
    misspelt = {
        (*path[:-1], nearest(str(path[-1]), _keys(model, path[:-1])))
        for path, detail in located
        if detail["type"] == "extra_forbidden"
    }
    if model is Item and ("turns",) in misspelt:
        misspelt.add(("prompt",))
    return ((path, detail) for path, detail in located if detail["type"] != "missing" or path not in misspelt)


def _special(detail: ErrorDetails, path: Path, model: type[BaseModel]) -> str | None:
    """Say what is not to be said of other models and keys in the same words."""
    if detail["type"] == "extra_forbidden":
        return _misplaced(str(path[-1]), path[:-1], model)
    if detail["type"] == "missing" and model is Item and path == ("prompt",):
        return 'an item needs a "prompt", or "turns" for a thread'
    if detail["type"] == "string_pattern_mismatch" and path == ("schemaVersion",):
        return f'must be a version such as "1.6.0", not {shown(detail["input"])}'
    return None


def _misplaced(key: str, path: Path, model: type[BaseModel]) -> str | None:
    """Say where a key belongs that is not allowed here."""
    if model is Thread and not path and key == "prompt":
        return 'an item has either a "prompt" or "turns", not both'
    if model is Thread and not path and key in Turn.model_fields:
        return f"a thread has no {quoted(key)} of its own: write it in its turns"
    keys = _keys(model, path)
    if "extensions" in keys and not nearest(key, keys):
        return f'unknown key {quoted(key)}; fields of your own belong under "extensions"'
    return None


def _keys(model: type[BaseModel], path: Path) -> set[str]:
    keys = keys_at(_schema(model), path)
    return keys | {"turns"} if model is Item and not path else keys


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()
