"""``agentevals validate``: what is wrong with eval documents, without running them."""

from __future__ import annotations

from pathlib import Path

import click

FORMATS = ("text", "json", "github", "sarif")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What to print.")
@click.option("-v", "--verbose", is_flag=True, help="Name the JSON files that were left alone, too, and why.")
@click.pass_context
def command(context: click.Context, paths: tuple[Path, ...], form: str, *, verbose: bool) -> None:
    """Say what is wrong with eval documents.

    Files and folders are read as pytest collects them, and the messages are the same. The exit code is 1 if there is a
    mistake, or no eval document at all.
    """
    from pytest_agentevals.cli import findings
    from pytest_agentevals.cli.checking import check
    from pytest_agentevals.cli.finding import find
    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.documents.wording import relative
    from pytest_agentevals.reports.visible import one_line

    project = Project.of(paths)
    found = list(find(paths, project))
    checked = [check(each, project) for each in found if each.document]
    alone = [each for each in found if not each.document]
    named = [each for each in alone if each.explicit]
    valid = bool(checked) and not named and all(each.document for each in checked)
    if form == "json":
        click.echo(findings.as_json(checked, alone))
    elif form == "sarif":
        click.echo(findings.as_sarif(checked))
    elif form == "github":
        for line in findings.as_github(checked):
            click.echo(line)
    else:
        for line in findings.as_text(checked, alone, verbose=verbose):
            click.echo(line)
        click.secho(findings.summary(checked, alone), fg="green" if valid else "red")
    for each in named:
        click.echo(one_line(f"Error: {relative(each.path)} is no eval document: it {each.reason}"), err=True)
    if not checked and not named:
        click.echo(findings.nothing_in(paths), err=True)
    if not valid:
        context.exit(1)
