"""``agentevals convert``: datasets of other tools become eval documents, and eval documents tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pytest_agentevals.cli.conversion.notices import Notices

TABLES = ("csv", "tsv", "jsonl")
SOURCES = ("evals", *TABLES, "promptfoo", "deepeval")
SUFFIXES = {".ndjson": "jsonl", ".yaml": "promptfoo", ".yml": "promptfoo", **{f".{name}": name for name in TABLES}}


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="TARGET",
    help="The file to write: an eval document, or CSV, TSV or JSON Lines made of one.",
)
@click.option("--from", "origin", type=click.Choice(SOURCES), help="What SOURCE is, where its name does not say it.")
@click.option("--to", "form", type=click.Choice(("evals", *TABLES)), help="What TARGET is to be, likewise.")
@click.option("--force", is_flag=True, help="Overwrite TARGET.")
def command(source: Path, output: Path, origin: str | None, form: str | None, *, force: bool) -> None:
    """Convert datasets of other tools, and eval documents to tables.

    An eval document is made of CSV, TSV and JSON Lines (columns such as prompt, query, ground_truth, context,
    response), of promptfoo's YAML, and of deepeval's JSON. What has no place in it goes to the extensions of its item,
    and is told. Of an eval document, CSV, TSV or JSON Lines are made, and nothing is lost on the way back.
    """
    from pytest_agentevals.cli.conversion.notices import Notices
    from pytest_agentevals.cli.writing import write
    from pytest_agentevals.documents.reading import read
    from pytest_agentevals.reports.visible import one_line

    if output.exists() and not force:
        raise click.UsageError(f"{click.format_filename(output)} exists already; --force overwrites it.")
    text, notices = read(source.absolute()), Notices()
    origin = origin or SUFFIXES.get(source.suffix.lower()) or _kind_of_json(text)
    form = form or (SUFFIXES.get(output.suffix.lower(), "evals") if origin == "evals" else "evals")
    if (origin == "evals") == (form == "evals") or form not in ("evals", *TABLES):
        raise click.UsageError(f"{origin} cannot be made into {form}: one of them has to be an eval document (evals).")
    made = _table(source, text, form) if origin == "evals" else _document(source, text, origin, output, notices)
    output.parent.mkdir(parents=True, exist_ok=True)
    write(output, made.encode())
    for notice in notices:
        click.echo(one_line(f"{source}: {notice}"), err=True)
    click.echo(one_line(f"{source} -> {output}"))


def _kind_of_json(text: str) -> str:
    """Tell what a JSON file is: the first of the forms whose keys it has."""
    from pytest_agentevals.cli.conversion.deepeval import LISTS
    from pytest_agentevals.documents.positions import parse

    value = parse(text).value
    keys = value.keys() if isinstance(value, dict) else set()
    first = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}
    if "tests" in keys:
        return "promptfoo"
    return "deepeval" if keys & set(LISTS) or first.keys() & {"input", "scenario", "turns"} else "evals"


def _table(source: Path, text: str, form: str) -> str:
    """Write an eval document as a table; raises `DocumentError` for one with mistakes."""
    from pytest_agentevals.cli.conversion.rows import from_document
    from pytest_agentevals.cli.conversion.tables import DELIMITERS, write_lines, write_table
    from pytest_agentevals.documents.legacy import modernise

    _loaded(source.absolute(), text)
    value = json.loads(text)
    legacy = modernise(value)
    rows = list(from_document(legacy.value if legacy else value))
    return write_lines(rows) if form == "jsonl" else write_table(rows, DELIMITERS[form])


def _document(source: Path, text: str, origin: str, output: Path, notices: Notices) -> str:
    """Make an eval document; raises `DocumentError` where the source is not what it should be."""
    from pytest_agentevals.documents.wording import relative
    from pytest_agentevals.errors import DocumentError

    try:
        document = _made(text, origin, notices)
        made = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (DocumentError, ValueError) as error:
        raise DocumentError(f"{relative(source.absolute())}: {error}") from None
    try:
        _loaded(output.absolute(), made)
    except DocumentError as error:
        raise DocumentError(f"{relative(source.absolute())} makes no valid eval document:\n{error}") from None
    return made


def _made(text: str, origin: str, notices: Notices) -> dict[str, Any]:
    from pytest_agentevals.cli.conversion import deepeval, promptfoo, rows, tables
    from pytest_agentevals.documents.positions import parse
    from pytest_agentevals.errors import DocumentError

    if origin == "promptfoo":
        return promptfoo.to_document(promptfoo.read_yaml(text), notices)
    if origin == "deepeval":
        parsed = parse(text)
        if parsed.faults:
            raise DocumentError(parsed.faults[0].message)
        return deepeval.to_document(parsed.value, notices)
    read = tables.read_lines(text) if origin == "jsonl" else tables.read_table(text, tables.DELIMITERS[origin])
    return rows.to_document(read, notices)


def _loaded(path: Path, text: str) -> None:
    """Raise `DocumentError` with the mistakes of a document."""
    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.documents.load import load_text

    load_text(text, path, Project.of([path]).catalog(path.parent), explicit=True)
