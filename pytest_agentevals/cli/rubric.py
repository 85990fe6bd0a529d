"""``agentevals rubric``: rubrics written by a model, and checked."""

from __future__ import annotations

import click

from pytest_agentevals.cli.rubric_check import check
from pytest_agentevals.cli.rubric_generate import generate


@click.group()
def command() -> None:
    """Write a rubric with a model, and check rubrics."""


command.add_command(generate)
command.add_command(check)
