"""``agentevals compare``: what is new and what is fixed between two runs, without running anything again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentevals.reports.comparison import Comparison

FORMATS = ("text", "json", "markdown")


@click.command()
@click.argument("before", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("after", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What to print.")
@click.option(
    "--fail-on-regression",
    "failing",
    type=click.Choice(("any", "significant")),
    is_flag=False,
    flag_value="any",
    help="End with exit code 1 where anything got worse, or with =significant where an evaluator got worse by more "
    "than noise.",
)
@click.pass_context
def command(context: click.Context, before: Path, after: Path, form: str, failing: str | None) -> None:
    """Compare two results documents.

    BEFORE and AFTER are files that pytest --evals-report=FILE.json wrote, or results of the vendor's tool.
    """
    from pytest_agentevals.documents.wording import relative
    from pytest_agentevals.reports.comparison.compare import compare
    from pytest_agentevals.reports.restore import restore

    baseline, run = (restore(path.absolute()) for path in (before, after))
    comparison = compare(run, baseline, relative(before.absolute()).as_posix())
    if form == "json":
        click.echo(_as_json(comparison))
    elif form == "markdown":
        from pytest_agentevals.reports.markdown import render_comparison

        click.echo(render_comparison(comparison), nl=False)
    else:
        for line in _as_text(comparison):
            click.echo(line)
    if failing is not None and (regression := comparison.regression(failing)):
        click.echo(f"Error: {regression}", err=True)
        context.exit(1)


def _as_json(comparison: Comparison) -> str:
    found = asdict(comparison)
    for written, each in zip(found["evaluators"], comparison.evaluators, strict=True):
        written["sentence"] = each.sentence
    return json.dumps(found, ensure_ascii=False, indent=2)


def _as_text(comparison: Comparison) -> Iterator[str]:
    from pytest_agentevals.reports.failure import plural
    from pytest_agentevals.reports.terminal import change_text
    from pytest_agentevals.reports.visible import one_line

    yield f"{plural(comparison.matched, 'item')} compared with {one_line(comparison.baseline)}"
    for title, texts in (
        ("regressions", map(change_text, comparison.regressions)),
        ("fixed", map(change_text, comparison.fixed)),
        ("new", comparison.added),
        ("missing", comparison.removed),
        ("evaluators", (f"{each.evaluator}: {each.sentence}" for each in comparison.evaluators)),
        ("to be considered", comparison.remarks),
    ):
        lines = [f"  {one_line(text)}" for text in texts]
        if lines:
            yield f"{title}:"
            yield from lines
