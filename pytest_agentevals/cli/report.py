"""``agentevals report``: reports of results that are there, in any format, without running anything again."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a report; its extension says the format. May be given several times.",
    metavar="FILE",
)
def command(results: tuple[Path, ...], outputs: tuple[Path, ...]) -> None:
    """Make reports of results documents.

    RESULTS are files that pytest --evals-report=FILE.json wrote, or results of the vendor's tool. Several are reported
    as one run, for example the parts of a suite that ran on several machines. Nothing is evaluated again.
    """
    from pytest_agentevals.documents.wording import relative
    from pytest_agentevals.reports import formats
    from pytest_agentevals.reports.merging import merged
    from pytest_agentevals.reports.restore import restore
    from pytest_agentevals.reports.visible import one_line

    for output in outputs:
        formats.check(output)
    run = merged([restore(path.absolute()) for path in results])
    for output in outputs:
        formats.write(run, output)
        click.echo(f"report in {one_line(str(relative(output.absolute())))}")
