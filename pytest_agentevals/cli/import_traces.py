"""``agentevals import-traces``: recorded traffic becomes an eval document."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pytest_agentevals.traces.conversations import Conversation
    from pytest_agentevals.traces.importing import Format
    from pytest_agentevals.traces.notes import Notes


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The eval document to write.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["otlp", "chat"]),
    help="What the files hold, where they do not show it.",
)
@click.option("--sample", metavar="N|P%", help="Take so many conversations, or such a share, at random.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed takes another sample.")
@click.option("--since", metavar="TIME", help="Only conversations whose last turn began then or later.")
@click.option("--until", metavar="TIME", help="Only conversations whose last turn began before.")
@click.option(
    "--evaluators",
    multiple=True,
    metavar="NAME|FILE",
    help="Default evaluators: names, or a JSON file with them and their options. Repeatable.",
)
@click.option(
    "--rubric",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Score with this rubric.",
)
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.pass_context
def command(
    context: click.Context,
    files: tuple[Path, ...],
    output: Path,
    form: Format | None,
    sample: str | None,
    seed: int,
    since: str | None,
    until: str | None,
    evaluators: tuple[str, ...],
    rubric: Path | None,
    force: bool,
) -> None:
    """Make an eval document of recorded traffic.

    FILES are OpenTelemetry traces (OTLP JSON, as the collector's file exporter writes them) or chat logs (JSON Lines
    with OpenAI's messages). The document has the prompts with their recorded responses, tool calls and retrievals, so
    that pytest scores them without asking the agent.

    TIME is 2026-11-29, 2026-11-29T08:00+01:00, 24h (ago), yesterday or today (UTC).

    Exit code 1: nothing was left to import, and no file was written.
    """
    from datetime import UTC, datetime

    from pytest_agentevals.traces.conversations import split
    from pytest_agentevals.traces.document import document
    from pytest_agentevals.traces.importing import read_conversations
    from pytest_agentevals.traces.notes import Notes

    if output.exists() and not force:
        raise click.UsageError(f"{output} exists already; --force overwrites it.")
    now, notes = datetime.now(UTC), Notes()
    begin, end = _time("--since", since, now), _time("--until", until, now)
    chosen = _evaluators(evaluators, rubric, output)
    found = read_conversations(files, notes, form=form)
    kept = list(split(_selected(found, begin, end, sample, seed, notes), notes))
    for line in notes.lines:
        click.echo(line, err=True)
    if not kept:
        click.echo("Nothing to import.", err=True)
        context.exit(1)
    written = document(kept, name=output.stem, created_at=now.isoformat(timespec="seconds"), evaluators=chosen)
    _write(written, output)
    threads = sum(len(conversation.turns) > 1 for conversation in kept)
    turns = sum(len(conversation.turns) for conversation in kept)
    click.echo(f"{output}: {len(kept)} items ({threads} of them threads), {turns} prompts with their responses")


def _time(option: str, text: str | None, now: datetime) -> datetime | None:
    from pytest_agentevals.traces.selection import moment

    try:
        return None if text is None else moment(text, now)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}.") from None


def _selected(
    found: Sequence[Conversation],
    since: datetime | None,
    until: datetime | None,
    sample: str | None,
    seed: int,
    notes: Notes,
) -> Sequence[Conversation]:
    from pytest_agentevals.traces.selection import sample_size, sampled, within

    timely = within(found, since, until, notes)
    if sample is None:
        return timely
    try:
        size = sample_size(sample, len(timely))
    except ValueError as error:
        raise click.UsageError(f"--sample: {error}.") from None
    notes.count("conversations beside the sample, left out", len(timely) - size)
    return sampled(timely, size, seed)


def _evaluators(names: tuple[str, ...], rubric: Path | None, output: Path) -> dict[str, Any] | None:
    """Return the default evaluators of the document; None for the system's."""
    if not names and rubric is None:
        return None
    chosen: dict[str, Any] = {}
    for name in names:
        chosen.update(_read_evaluators(Path(name)) if name.endswith(".json") else {name: {}})
    if rubric is not None:
        chosen["Rubric"] = {"rubric": Path(os.path.relpath(rubric, output.parent)).as_posix()}
    return chosen


def _read_evaluators(path: Path) -> dict[str, Any]:
    """Read evaluators from a file: an eval document's default ones, or an object of them."""
    from pytest_agentevals.documents.positions import parse
    from pytest_agentevals.documents.reading import read

    value = parse(read(path)).value
    chosen = value.get("default_evaluators", value) if isinstance(value, dict) else None
    if not isinstance(chosen, dict) or not all(isinstance(options, dict) for options in chosen.values()):
        raise click.UsageError(f'--evaluators: {path} has neither "default_evaluators" nor evaluators with options.')
    return chosen


def _write(document: dict[str, Any], output: Path) -> None:
    """Write a document after checking that it loads; raises `DocumentError` where it does not."""
    import json

    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.documents.load import load
    from pytest_agentevals.errors import DocumentError
    from pytest_agentevals.evaluators.catalog import Catalog
    from pytest_agentevals.evaluators.place import Place

    output.parent.mkdir(parents=True, exist_ok=True)
    draft = output.with_name(f".{output.name}.draft")
    folder = output.parent.resolve()
    try:
        draft.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        load(draft, Catalog(Place(folder, Project.of([folder, Path.cwd()]).root)))
        draft.replace(output)
    except DocumentError as error:
        raise DocumentError(str(error).replace(draft.name, output.name)) from None
    finally:
        draft.unlink(missing_ok=True)
