"""``agentevals rubric check``: what is wrong with rubric files, and how well they tell good from bad."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.rubrics.definition import Definition

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("files", nargs=-1, required=True, type=EXISTING)
@click.option(
    "--labels",
    multiple=True,
    type=EXISTING,
    metavar="FILE",
    help="Results documents of labelled items, and CSV files of labels. Repeatable.",
)
@click.option(
    "--good-from", type=float, default=3, show_default=True, help="Labels from 1 to 5: from which one is good."
)
@click.option("--strict", is_flag=True, help="Warnings are errors.")
@click.pass_context
def check(
    context: click.Context, files: tuple[Path, ...], labels: tuple[Path, ...], good_from: float, strict: bool
) -> None:
    """Check rubric files.

    With --labels, also how well a rubric tells responses that people found good from bad ones. Labels are
    "extensions": {"human": LABEL} of items or turns in the results documents, or rows "id,label" of a CSV file. LABEL
    is pass or fail, good or bad, true or false, 1 or 0, or a score from 1 to 5.

    Exit code 1: a rubric has an error, or with --strict a warning.
    """
    from pytest_agentevals.reports.visible import one_line
    from pytest_agentevals.rubrics.checking import check as checked

    errors = warnings = 0
    for path in files:
        rubric, findings = checked(path)
        for finding in findings:
            click.echo(one_line(str(finding)))
        errors += sum(finding.level == "error" for finding in findings)
        warnings += sum(finding.level == "warning" for finding in findings)
        if rubric is not None and labels:
            warnings += _separation(rubric, path, labels, good_from)
    click.echo(f"rubrics: {len(files)}, errors: {errors}, warnings: {warnings}", err=True)
    if errors or (strict and warnings):
        context.exit(1)


def _separation(rubric: Definition, path: Path, labels: Sequence[Path], good_from: float) -> int:
    """Print how well a rubric separates; return the number of warnings."""
    from pytest_agentevals.documents.labels import as_good, read_csv
    from pytest_agentevals.errors import ConfigurationError
    from pytest_agentevals.rubrics import separating
    from pytest_agentevals.rubrics.labelled import Reader

    written = [label for file in labels if file.suffix.lower() == ".csv" for label in read_csv(file)]
    reader = Reader(rubric, path.stem, written)
    found = [one for file in labels if file.suffix.lower() != ".csv" for one in reader.read(file)]
    good = as_good([one.label for one in found], good_from)
    if len(set(good)) < 2:
        raise ConfigurationError(
            f"{path}: at least one good and one bad response is needed that this rubric scored; there are "
            f"{sum(good)} good and {len(good) - sum(good)} bad ones among {len(found)} labelled."
        )
    report = separating.report(rubric, found, good)
    click.echo(f"{path} against {len(found)} labelled responses ({sum(good)} good, {len(good) - sum(good)} bad)")
    for line in report.lines:
        click.echo(line)
    for what, number in reader.counts.items():
        click.echo(f"{what}: {number}", err=True)
    for warning in report.warnings:
        click.echo(f"{path}: warning: {warning}")
    return len(report.warnings)
