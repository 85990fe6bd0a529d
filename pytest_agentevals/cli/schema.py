"""``agentevals schema``: the JSON Schema of eval documents, for editors and other tools."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it to a file instead.",
    metavar="FILE",
)
def command(output: Path | None) -> None:
    """Print the JSON Schema of eval documents.

    Editors that know JSON Schema complete keys and mark mistakes with it.
    """
    from pytest_agentevals.documents.schema import published

    if output is None:
        click.echo(published(), nl=False)
    else:
        output.write_text(published(), encoding="utf-8")
