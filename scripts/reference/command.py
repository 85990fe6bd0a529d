"""The command agentevals: every command with its arguments and options."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

from pytest_agentevals.cli import agentevals
from reference.markdown import code, plain, table, written

if TYPE_CHECKING:
    from collections.abc import Iterator


def page() -> str:
    """Write the page."""
    root = click.Context(agentevals, info_name="agentevals")
    return written(
        "Commands of agentevals",
        "What each command is for is told in [The command line](command-line.md). "
        "`agentevals COMMAND --help` says the same as this page. Exit codes: "
        "[Exit codes and error codes](reference-codes.md#exit-codes-of-agentevals).",
        *described(agentevals, root),
    )


def described(group: click.Group, context: click.Context) -> Iterator[str]:
    """Describe the commands of a group, and those of the groups in it."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield f"## {inner.command_path}"
        yield f"```\n{inner.command_path} {' '.join(command.collect_usage_pieces(inner))}\n```"
        yield inspect.cleandoc(command.help or "").replace("\b\n", "")
        records = [found for parameter in command.get_params(inner) if (found := parameter.get_help_record(inner))]
        if rows := [[code(option), plain(text)] for option, text in records if text and "--help" not in option]:
            yield table(["option", ""], rows)
        if isinstance(command, click.Group):
            yield from described(command, inner)
