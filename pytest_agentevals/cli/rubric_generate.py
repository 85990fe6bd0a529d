"""``agentevals rubric generate``: a rubric written by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_agentevals.judge.config import ModelConfig
    from pytest_agentevals.rubrics.generation import Generated

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)

#: Characters of a system prompt, and number of conversations, from which a rubric can say more than general things.
ENOUGH_PROMPT = 200
ENOUGH_CONVERSATIONS = 5
#: Conversations that the model reads.
MOST_CONVERSATIONS = 30


@click.command()
@click.option("--prompt", type=EXISTING, metavar="FILE", help="The agent's system prompt.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    type=EXISTING,
    metavar="FILE",
    help="What the agent should know: text, Markdown, HTML or PDF. Repeatable.",
)
@click.option(
    "--traces",
    multiple=True,
    type=EXISTING,
    metavar="FILE",
    help="Recorded traffic: OpenTelemetry traces or chat logs. Repeatable.",
)
@click.option(
    "--results",
    multiple=True,
    type=EXISTING,
    metavar="FILE",
    help="Results documents, or eval documents with responses. Repeatable.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The rubric file to write.",
)
@click.option("--update", is_flag=True, help="Generate an existing file again; what was edited by hand stays.")
@click.option("--judge-model", metavar="MODEL", help="The model that writes; else the judge of the project.")
@click.option("--judge-url", metavar="URL", help="Its server, with OpenAI's interface.")
@click.option("--limit", type=click.IntRange(min=1000), metavar="N", help="Characters that the model reads; 100,000.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed reads other conversations.")
def generate(
    prompt: Path | None,
    references: tuple[Path, ...],
    traces: tuple[Path, ...],
    results: tuple[Path, ...],
    output: Path,
    update: bool,
    judge_model: str | None,
    judge_url: str | None,
    limit: int | None,
    seed: int,
) -> None:
    """Write a rubric from what an agent is told and from what it did.

    One request to the judge's model, configured as for runs. The file is meant to be read and edited.
    """
    from pytest_agentevals.rubrics import generation, regeneration
    from pytest_agentevals.rubrics.material import cut

    if prompt is None and not references:
        raise click.UsageError(
            "--prompt or --reference is needed: recorded traffic alone shows what an agent does, not what it should do."
        )
    earlier = _earlier(output, update=update)
    conversations = _conversations(traces, results, seed)
    parts = [*_sources(prompt, references), *conversations]
    if earlier is not None:
        parts.append(("the rubric so far", _shown(earlier["dimensions"])))
    parts, told = cut(parts, limit or generation.LIMIT)
    for line in told:
        click.echo(line, err=True)
    judge = _judge(judge_model, judge_url, output)
    generated = _ask(judge, parts, earlier=earlier is not None)
    if earlier is None:
        content = regeneration.rubric_file(generated.dimensions, output.stem)
    else:
        content = regeneration.updated(earlier, generated.dimensions)
    _write(content, output)
    _report(output, content, earlier, generated, judge)


def _earlier(output: Path, *, update: bool) -> dict[str, Any] | None:
    """Return the rubric that is there already; None where there is none."""
    from pytest_agentevals.errors import ConfigurationError
    from pytest_agentevals.reports.visible import one_line
    from pytest_agentevals.rubrics.regeneration import hand_edits
    from pytest_agentevals.rubrics.validation import checked

    if not output.exists():
        return None
    try:
        content = checked(output)
    except ValueError as error:
        raise ConfigurationError(f"{output} exists and is no rubric, so it is not overwritten: {error}.") from None
    if any("weight" not in dimension for dimension in content["dimensions"]):
        raise ConfigurationError(f"{output} has dimensions without a weight, and all that are generated have one.")
    for dimension in content["dimensions"]:
        # Names of the id in earlier versions of the service.
        for alias in {"rubric_id", "dimension_id"} & dimension.keys():
            dimension["id"] = dimension.pop(alias)
    edits = hand_edits(content).told
    if not update:
        kept = f" and keeps what was {edits}" if edits else ", and hand edits would stay"
        raise click.UsageError(one_line(f"{output} exists already; --update generates it again{kept}."))
    if edits:
        click.echo(one_line(f"kept as it is: {edits}"), err=True)
    return content


def _sources(prompt: Path | None, references: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield title and text of what says how the agent should be."""
    from pytest_agentevals.rubrics.references import read

    if prompt is not None:
        text = read(prompt)
        if len(text) < ENOUGH_PROMPT:
            click.echo(f"{prompt}: only {len(text)} characters; the rubric may stay general", err=True)
        yield "the agent's system prompt", text
    for path in references:
        yield f"reference file {path.name}", read(path)


def _conversations(traces: Sequence[Path], results: Sequence[Path], seed: int) -> list[tuple[str, str]]:
    """Return title and text of the conversations to read."""
    import random

    from pytest_agentevals.rubrics import traffic
    from pytest_agentevals.traces.importing import read_conversations
    from pytest_agentevals.traces.notes import Notes

    if not traces and not results:
        return []
    notes = Notes()
    found = traffic.of_traces(read_conversations(traces, notes))
    for path in results:
        found.extend(traffic.of_document(path))
    for line in notes.lines:
        click.echo(line, err=True)
    if len(found) < ENOUGH_CONVERSATIONS:
        click.echo(f"only {len(found)} conversations; they may not show what matters", err=True)
    if len(found) > MOST_CONVERSATIONS:
        click.echo(f"{MOST_CONVERSATIONS} of {len(found)} conversations are read, chosen at random", err=True)
        found = random.Random(seed).sample(found, MOST_CONVERSATIONS)  # noqa: S311 - no secret
    return [(f"recorded conversation {number}", text) for number, text in enumerate(found, start=1)]


def _judge(model: str | None, url: str | None, output: Path) -> ModelConfig:
    """Return the judge as runs of the project have it, with the options over it."""
    import os

    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.errors import ConfigurationError
    from pytest_agentevals.judge.environment import NotConfigured
    from pytest_agentevals.judge.overriding import named_or_configured

    project = Project.of([output.parent, Path.cwd()])
    model = model or project.text("evals_judge_model") or None
    url = url or project.text("evals_judge_url") or None
    found = named_or_configured(model, url, os.environ, project.root)
    if isinstance(found, NotConfigured):
        raise ConfigurationError(f"No judge is configured; --judge-model and --judge-url name one. {found.hint}")
    return found


def _ask(judge: ModelConfig, parts: Sequence[tuple[str, str]], *, earlier: bool) -> Generated:
    from pytest_agentevals import loop
    from pytest_agentevals.errors import EvaluationError
    from pytest_agentevals.judge.client import OpenAIChatModel
    from pytest_agentevals.judge.live import TIMEOUT
    from pytest_agentevals.reports.visible import one_line
    from pytest_agentevals.rubrics.generation import generate

    try:
        return loop.run(generate(OpenAIChatModel(judge), parts, earlier=earlier, timeout=TIMEOUT))
    except EvaluationError as error:
        # It may quote what the model or its server said.
        raise EvaluationError(one_line(str(error)), code=error.code, raw=error.raw) from None


def _shown(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(content: Mapping[str, Any], output: Path) -> None:
    from pytest_agentevals.cli.writing import write

    output.parent.mkdir(parents=True, exist_ok=True)
    write(output, _shown(content).encode())


def _report(
    output: Path,
    content: Mapping[str, Any],
    earlier: Mapping[str, Any] | None,
    generated: Generated,
    judge: ModelConfig,
) -> None:
    """Say what was written, and what it took."""
    from pytest_agentevals.reports.visible import one_line
    from pytest_agentevals.rubrics.regeneration import changes

    usage = generated.usage
    known = usage.prompt_tokens is not None and usage.completion_tokens is not None
    tokens = f", tokens: {usage.prompt_tokens:,} + {usage.completion_tokens:,}" if known else ""
    dimensions = content["dimensions"]
    click.echo(f"{output}: {len(dimensions)} dimensions, written by {judge.name} (requests: {usage.requests}{tokens})")
    for one in dimensions:
        always = "  (always)" if one.get("always_applicable") else ""
        click.echo(f"  {one.get('weight', 1):>3}  {one_line(one['id'])}{always}")
        if one.get("rationale"):
            click.echo(f"       {one_line(one['rationale'])}")
    for line in changes(earlier["dimensions"], dimensions) if earlier is not None else ():
        click.echo(one_line(line))
    click.echo(f"Read and edit it, then: agentevals rubric check {output}")
