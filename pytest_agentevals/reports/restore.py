"""A run read back from a results document: ours without loss, others' as far as they tell."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from pytest_agentevals.documents.load import load_text
from pytest_agentevals.documents.positions import parse
from pytest_agentevals.documents.reading import read
from pytest_agentevals.documents.results import extension, is_results, question, restored
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import ConfigurationError, DocumentError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.reports.cases import ItemRun, Kind, Trouble
from pytest_agentevals.reports.document import about, scores
from pytest_agentevals.reports.document.repeats import parts, with_response
from pytest_agentevals.reports.run import About, EvaluatedItem, Run
from pytest_agentevals.results import ItemResult, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_agentevals.documents.load import LoadedItem


def restore(path: Path) -> Run:
    """Read a run from a results document.

    Of documents by others, such as the vendor's own tool, what the public schema has is read: responses, scores,
    reasons. Raises `ConfigurationError` for a file that cannot be read or has no results.
    """
    name = relative(path).as_posix()
    try:
        text = read(path)
        parsed = parse(text)
        if not is_results(parsed.value):
            return _foreign(text, path)
    except DocumentError as error:
        raise ConfigurationError(f"no results document: {_first_line(error)}") from None
    if parsed.faults:
        line, column = parsed.place(parsed.faults[0].offset)
        raise ConfigurationError(f"no results document: {name}:{line}:{column}: {parsed.faults[0].message}")
    ours = extension(parsed.value["metadata"])
    if ours.get("format") != about.FORMAT:
        raise ConfigurationError(
            f"{name}: its results have the format {ours.get('format')!r}, written by pytest-agentevals "
            f"{ours.get('version', 'of an unknown version')}; this version reads format {about.FORMAT}"
        )
    try:
        items = tuple(_item(item) for item in parsed.value["items"])
        return Run(items=items, **about.read(ours))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"{type(error).__name__}: {_first_line(error)}"
        raise ConfigurationError(f"{name}: its results were changed or are not complete ({what})") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


@cache
def _adapter() -> TypeAdapter[ItemResult]:
    return TypeAdapter(ItemResult)


def _item(item: Mapping[str, Any]) -> EvaluatedItem:
    ours = extension(item)
    asked = restored(item)
    answered, prompts = item.get("turns", [item]), asked.get("turns", [asked])
    options = tuple(prompt["evaluators"] for prompt in prompts)
    run = ItemRun(
        ours.get("nodeid", f"{ours['document']}::{ours['id']}"),
        ours["line"],
        troubles=[Trouble(**{**trouble, "kind": Kind(trouble["kind"])}) for trouble in ours.get("troubles", ())],
        xfail=ours.get("xfail"),
        seconds=ours["seconds"],
        of=ours.get("of"),
        tolerated=ours.get("tolerated", {}),
        worker=ours.get("worker", ""),
    )
    if ours.get("evaluated", True):
        asked_of = [
            {
                "prompt": prompt["prompt"],
                "expected_response": prompt.get("expected_response"),
                "index": index if "turns" in item else 0,
                "evaluators": extension(turn).get("evaluators", tuple(chosen)),
            }
            for index, (prompt, turn, chosen) in enumerate(zip(prompts, answered, options, strict=True), 1)
        ]
        repeats = [_turns(asked_of, map(with_response, repeat, answered)) for repeat in ours.get("repeats", ())]
        turns = _turns(asked_of, answered)
        for place, turn in enumerate(turns):
            for verdict in turn["verdicts"]:
                verdict["parts"] = parts(verdict, repeats, place)
        run.result = _packed(turns, repeats)
    return EvaluatedItem(
        run=run,
        id=ours["id"],
        document=ours["document"],
        tags=tuple(ours.get("tags", ())),
        content=question(asked),
        evaluators=options,
    )


def _packed(turns: Iterable[Mapping[str, Any]], repeats: Iterable[Iterable[Mapping[str, Any]]]) -> str:
    value = {"turns": list(turns), "repeats": [{"turns": list(repeat)} for repeat in repeats]}
    return packed(_adapter().validate_python(value))


def _turns(asked: Iterable[Mapping[str, Any]], answered: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**prompt, **_found(turn)} for prompt, turn in zip(asked, answered, strict=True)]


def _found(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run found out about a turn, as the JSON of a `TurnResult`."""
    ours = extension(turn)
    found: dict[str, Any] = {"source": ours.get("source")}
    if "response" in turn and turn.get("status") != "error":
        evidence = {name: value for name, value in (turn.get("diagnostics") or {}).items() if name in _EVIDENCE}
        citations = ours.get("citations", turn.get("citations"))
        found["response"] = {"text": turn["response"], "citations": citations, **evidence}
    elif turn.get("error"):
        found["error"] = turn["error"]
    entries = turn.get("scores") or {}
    beside = ours.get("verdicts") or {key: {} for key in entries}
    verdicts = (scores.read(key, entries.get(key), extra) for key, extra in beside.items())
    found["verdicts"] = [verdict for verdict in verdicts if verdict is not None]
    return found


_EVIDENCE = ("retrieval_executions", "tool_calls", "tool_definitions", "usage", "latency_ms")


def _foreign(text: str, path: Path) -> Run:
    """Read the results of another tool."""
    name = relative(path).as_posix()
    document = load_text(text, path, Catalog(Place(path.parent, path.parent)), explicit=True)
    contents = document.content["items"]
    turns = [turn for content in contents for turn in content.get("turns", [content])]
    if not any(turn.get("scores") or turn.get("status") for turn in turns):
        raise ConfigurationError(f"{name}: has no results: no item has scores or a status")
    metadata = document.content.get("metadata") or {}
    items = tuple(_foreign_item(item, content, name) for item, content in zip(document.items, contents, strict=True))
    told = About(
        started=metadata.get("evaluatedAt") or "",
        seconds=0.0,
        version=metadata.get("cliVersion") or "",
        agent=metadata.get("agentName") or "",
        documents={name: metadata},
    )
    return Run(about=told, items=items)


def _foreign_item(item: LoadedItem, content: Mapping[str, Any], document: str) -> EvaluatedItem:
    run = ItemRun(f"{document}::{item.id}", item.line)
    parts = content.get("turns", [content])
    if any(part.get("scores") or part.get("status") for part in parts):
        asked = []
        for turn, part in zip(item.turns, parts, strict=True):
            names = [scores.evaluator_of(key) for key in part.get("scores") or ()] or list(turn.options)
            asked.append(
                {
                    "prompt": turn.prompt,
                    "expected_response": turn.expected_response,
                    "index": turn.index,
                    "evaluators": names,
                }
            )
        run.result = _packed(_turns(asked, parts), ())
    return EvaluatedItem(
        run=run,
        id=item.id,
        document=document,
        tags=item.tags,
        content=question(content),
        evaluators=tuple(turn.options for turn in item.turns),
    )
