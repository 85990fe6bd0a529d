"""``agentevals upgrade``: eval documents in legacy forms and older versions, brought up to date."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import click


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Change nothing; the exit code is 1 if there is something to do.")
@click.pass_context
def command(context: click.Context, files: tuple[Path, ...], *, check: bool) -> None:
    """Bring eval documents up to date.

    Legacy forms (a bare list of prompts, parallel lists, no schemaVersion) and older versions are brought to the newest
    version. Keys that the format does not have move to "extensions". Where more than the version changes, the original
    is kept as FILE.bak.YYYYMMDDHHMMSS.

    A document with mistakes is left as it is, and the exit code is 1.
    """
    told = [_upgrade(file, check=check) for file in files]
    if not all(told):
        context.exit(1)


def _upgrade(file: Path, *, check: bool) -> bool:
    """Upgrade a file and say what was done; return whether all is well."""
    from pytest_agentevals.cli.writing import write
    from pytest_agentevals.documents.reading import read
    from pytest_agentevals.documents.upgrade import upgrade
    from pytest_agentevals.documents.wording import relative
    from pytest_agentevals.errors import DocumentError
    from pytest_agentevals.reports.visible import one_line, visible

    name = one_line(str(relative(file.absolute())))
    try:
        done = upgrade(read(file))
        _must_be_valid(file, done.text)
    except DocumentError as error:
        click.echo(visible(str(error)), err=True)
        return False
    for change in done.changes:
        click.echo(f"{name}: {'to do: ' if check else ''}{one_line(change)}")
    if not done.changes:
        click.echo(f"{name}: up to date")
    elif not check:
        original = file.read_bytes()
        if done.form:
            click.echo(f"{name}: the original is now {one_line(_keep(file, original).name)}")
        write(file, done.text.encode(json.detect_encoding(original)))
    return not (check and done.changes)


def _must_be_valid(file: Path, upgraded: str) -> None:
    """Raise `DocumentError` with the mistakes of a document, where they are in its own text."""
    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.documents.load import load, load_text
    from pytest_agentevals.errors import DocumentError

    path = file.absolute()
    catalog = Project.of([path]).catalog(path.parent)
    try:
        load_text(upgraded, path, catalog)
    except DocumentError:
        load(path, catalog, explicit=True)
        raise


def _keep(file: Path, original: bytes) -> Path:
    """Keep the original beside the file, under a name with the time."""
    backup = file.with_name(f"{file.name}.bak.{datetime.now().astimezone():%Y%m%d%H%M%S}")
    with backup.open("xb") as copy:
        copy.write(original)
    return backup
