"""From the reports of a session to the `Run` that reports are made from."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_agentevals import __version__
from pytest_agentevals.documents.load import load
from pytest_agentevals.documents.results import question
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.plugin.header import agent_of, judge_of
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.selection import Selection
from pytest_agentevals.reports.run import About, EvaluatedItem, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pytest_agentevals.documents.load import LoadedItem
    from pytest_agentevals.reports.cases import ItemRun


class Source(NamedTuple):
    """What a document says: its metadata, and each item, as it is written and as it was loaded, with its position."""

    metadata: Mapping[str, Any]
    items: Mapping[str, tuple[int, LoadedItem, Mapping[str, Any]]]


def gather(config: pytest.Config, runs: Iterable[ItemRun], *, started: float, seconds: float, interrupted: bool) -> Run:
    """Make the run of a session; ``started`` is a Unix time.

    Documents are read once more, because only results travel between processes.
    """
    runs = list(runs)
    documents = sorted({run.nodeid.partition("::")[0] for run in runs})
    settings = Process.of(config).settings
    sources = {document: _source(config.rootpath / document, config.rootpath) for document in documents}
    ordered = sorted(runs, key=lambda run: _position(run, sources))
    paths = [config.rootpath / document for document in documents]
    about = About(
        started=datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        seconds=seconds,
        version=__version__,
        versions={"python": platform.python_version(), "pytest": pytest.__version__},
        mode=settings.judge_mode,
        judge=judge_of(config, paths)[0],
        agent=agent_of(config, paths),
        interrupted=interrupted,
        repeats=settings.repeats,
        pass_at=settings.pass_at,
        documents={document: source.metadata for document, source in sources.items()},
    )
    takes = Selection.of(config).takes
    return Run(about=about, items=tuple(_item(run, sources, takes) for run in ordered))


def _source(path: Path, root: Path) -> Source:
    try:
        document = load(path, Catalog(Place.of(path, root)), explicit=True)
    except DocumentError:
        # Changed while the run went on: what the run found is told all the same.
        return Source({}, {})
    contents = document.content["items"]
    entries = enumerate(zip(document.items, contents, strict=True))
    found = {item.id: (position, item, question(content)) for position, (item, content) in entries}
    return Source(document.content.get("metadata") or {}, found)


def _position(run: ItemRun, sources: Mapping[str, Source]) -> tuple[str, int, str]:
    document, _, name = run.nodeid.partition("::")
    known = sources[document].items.get(name)
    return document, known[0] if known else run.line, run.worker


def _item(run: ItemRun, sources: Mapping[str, Source], takes: Callable[[str], bool]) -> EvaluatedItem:
    document, _, name = run.nodeid.partition("::")
    # Under --dist each every worker has an item of its own.
    ours = partial(EvaluatedItem, run=run, id=f"{name} ({run.worker})" if run.worker else name, document=document)
    known = sources[document].items.get(name)
    if known is None or not _same_prompts(run, known[1]):
        return ours(content=_remembered(run))
    _, item, content = known
    evaluators = tuple(
        {evaluator: options for evaluator, options in turn.options.items() if takes(evaluator)} for turn in item.turns
    )
    return ours(tags=item.tags, content=content, evaluators=evaluators)


def _same_prompts(run: ItemRun, item: LoadedItem) -> bool:
    """Whether the document still has the item that ran: somebody may have edited it meanwhile."""
    result = EvaluatedItem(run=run, id="", document="", content={}).result
    return result is None or [turn.prompt for turn in result.turns] == [turn.prompt for turn in item.turns]


def _remembered(run: ItemRun) -> Mapping[str, Any]:
    """Return an item as far as its result knows it."""
    result = EvaluatedItem(run=run, id="", document="", content={}).result
    prompts = [{"prompt": turn.prompt} for turn in result.turns] if result else []
    if not prompts:
        return {"prompt": run.nodeid.partition("::")[2]}
    return prompts[0] if result and not result.turns[0].index else {"turns": prompts}
