"""``agentevals list``: the items of eval documents, and what a run of them takes before it is spent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

PRICE = click.FloatRange(min=0)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--judge-model", metavar="NAME", help="The model that judges, where settings and environment do not say.")
@click.option("--prompt-price", type=PRICE, metavar="PRICE", help="Of a million tokens of its prompts.")
@click.option("--completion-price", type=PRICE, metavar="PRICE", help="Of a million tokens of its answers.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[Path, ...],
    judge_model: str | None,
    prompt_price: float | None,
    completion_price: float | None,
    form: str,
) -> None:
    """List items and evaluators, and estimate what a run takes.

    Requests to the agent, questions to the judge, how many of them are recorded, tokens, and cost. Nobody is asked: the
    prompts are made as in a run, with the recorded responses. The exit code is 1 for a document with mistakes, which
    are told as by validate.
    """
    from pytest_agentevals.cli import listing
    from pytest_agentevals.cli.checking import check
    from pytest_agentevals.cli.finding import find
    from pytest_agentevals.cli.findings import as_text, nothing_in
    from pytest_agentevals.cli.forecast import Plan, forecast
    from pytest_agentevals.cli.project import Project

    if (prompt_price is None) != (completion_price is None):
        raise click.UsageError("--prompt-price and --completion-price belong together.")
    project = Project.of(paths)
    plan = Plan.of(project, judge_model)
    checked = [check(found, project) for found in find(paths, project) if found.document]
    broken = [each for each in checked if each.document is None]
    if broken or not checked:
        for line in as_text(broken, [], verbose=False) if broken else [nothing_in(paths)]:
            click.echo(line, err=True)
        context.exit(1)
    listed = [(each, forecast(each, plan)) for each in checked]
    if prompt_price is not None and completion_price is not None:
        models = {question.model for _, forecasts in listed for each in forecasts for question in each.questions}
        plan = replace(plan, prices=dict.fromkeys(models, (prompt_price, completion_price)))
    if form == "json":
        click.echo(listing.as_json(listed, plan))
    else:
        for line in listing.as_text(listed, plan):
            click.echo(line)
