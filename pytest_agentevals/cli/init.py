"""``agentevals init``: a working example to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

#: What is written, from the templates of this package, and what it is.
FILES = {
    "agent.py": "stands in for your agent",
    "conftest.py": "connects the agent",
    "evals/shop.json": "prompts, expected answers, evaluators",
    "evals/recordings/shop.json": "what the agent and a scripted judge said",
    "pytest.ini": "settings: replay what is recorded",
    "requirements.txt": "what CI installs",
    ".github/workflows/evals.yml": "CI on GitHub",
}
TEMPLATES = "templates"
SETTINGS = "pytest.ini"

NEXT = """
Next:
{change}  pytest                         passes at once: everything is recorded, nobody is asked
  pytest --evals-judge=auto      asks the agent: change agent.py, and see what fails
  agentevals list evals          what there is, and what a run takes
Then connect your own agent in conftest.py, write your own prompts into evals/, and record a judge of your own:
  pytest --evals-judge=record --evals-judge-url=URL --evals-judge-model=NAME"""


@click.command()
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path))
def command(folder: Path) -> None:
    """Write a working example to start from.

    An eval document, an agent, a recording, settings and a CI workflow, into DIR or the current folder. The example
    passes at once, offline. Files that exist are left as they are.
    """
    from pytest_agentevals.reports.visible import one_line

    settings = _other_settings(folder)
    width = max(len(one_line(str(folder / name))) for name in FILES)
    for name, about in FILES.items():
        path = folder / name
        if path.exists():
            click.echo(f"{one_line(str(path))} exists, and is left as it is")
        elif name == SETTINGS and settings:
            click.echo(one_line(f"{path} is not written: {settings} has the settings; add evals_judge = replay there"))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(template(name))
            click.echo(f"{one_line(str(path)):<{width}}  {about}")
    click.echo(NEXT.format(change="" if folder.resolve() == Path.cwd() else f"  cd {one_line(str(folder))}\n"))


def template(name: str) -> bytes:
    """Return the content of a file of the example; templates have no names that tools would take for their own."""
    return (files(__package__) / TEMPLATES / f"{name.removeprefix('.')}.template").read_bytes()


def _other_settings(folder: Path) -> str | None:
    """Name the file of a folder that has settings of pytest, which pytest.ini would put out of use."""
    from pytest_agentevals.cli import project

    present = [name for name in project.FILES if (folder / name).is_file()]
    return next((name for name in present if project.read_settings(folder / name) is not None), None)
