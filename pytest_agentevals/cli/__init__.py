"""The command ``agentevals``: everything around a run. It imports no pytest, and no module but that of its command.

Commands live in modules of this package, each with a click command or group called ``command``. A command that answers
a question with no ends with ``context.exit(1)``; an `AgentEvalsError` or `OSError` that it raises becomes one sentence.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click

from pytest_agentevals import __version__
from pytest_agentevals.errors import AgentEvalsError
from pytest_agentevals.reports.visible import visible


class Entry(NamedTuple):
    """A command: its module in this package, and what the list of commands says of it."""

    module: str
    help: str


#: In the order of the list that ``--help`` prints.
COMMANDS = {
    "init": Entry("init", "Write a working example to start from."),
    "validate": Entry("validate", "Say what is wrong with eval documents."),
    "list": Entry("inventory", "List items and evaluators, and estimate what a run takes."),
    "upgrade": Entry("upgrade", "Bring eval documents up to date."),
    "convert": Entry("convert", "Convert datasets of other tools, and eval documents to tables."),
    "report": Entry("report", "Make reports of results documents."),
    "compare": Entry("compare", "Compare two results documents."),
    "calibrate": Entry("calibrate", "Compare verdicts with people's labels."),
    "schema": Entry("schema", "Print the JSON Schema of eval documents."),
    "rubric": Entry("rubric", "Write a rubric with a model, and check rubrics."),
    "import-traces": Entry("import_traces", "Make an eval document of recorded traffic."),
}

FAILURE = 2
INTERRUPTED = 130
#: What shells report of a program that wrote to a pipe which nobody reads any more: 128 + SIGPIPE.
BROKEN_PIPE = 141


class Commands(click.Group):
    """Imports the module of a command when it is run, and none for the list of commands."""

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """Import a command; None for an unknown name."""
        if name not in COMMANDS:
            return None
        return import_module(f"{__name__}.{COMMANDS[name].module}").command  # type: ignore[no-any-return]

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run; a name that is none is told with the nearest that is one."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            from pytest_agentevals.documents.suggestions import nearest  # needed for a mistake only

            meant = nearest(args[0], COMMANDS)
            if meant is None:
                raise
            raise click.UsageError(f"{error.message} Did you mean {meant!r}?", context) from None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def invoke(self, context: click.Context) -> Any:
        """Run a command; what it raises on purpose becomes a sentence."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            # What is still in the buffer would be reported when the interpreter ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            context.exit(BROKEN_PIPE)
        except AgentEvalsError as error:
            raise click.ClickException(visible(str(error))) from None
        except OSError as error:
            named = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(visible(f"{named}{error.strerror or error}")) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def agentevals(context: click.Context) -> None:
    """Everything around a run of agent evaluations.

    The evaluations themselves are run by pytest: pytest FILE_OR_FOLDER.

    Exit codes: 0 all is well; 1 the answer is no, such as for a document with mistakes; 2 wrong usage, or something
    could not be done.
    """
    if os.environ.get("NO_COLOR"):
        context.color = False


def main() -> NoReturn:
    """Run the command of this process's arguments, and end the process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a character shows its escape.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = agentevals.main(prog_name="agentevals", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = FAILURE
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    sys.exit(status if isinstance(status, int) else 0)
