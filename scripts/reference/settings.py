"""Options of pytest, ini settings, fixtures, the marker, environment variables."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentevals import plugin
from pytest_agentevals.judge.environment import GROUPS
from pytest_agentevals.plugin.settings import CHOICES
from reference.markdown import code, plain, prose, table, written
from reference.source import found

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Environment variables that no configuration of a judge is made of.
OTHERS = {
    "BUILD_NUMBER": "set by some CI servers: no line of progress, as with `CI`",
    "CI": "set by CI servers: no line of progress",
    "GITHUB_ACTIONS": "set by GitHub Actions: `true` there",
    "GITHUB_STEP_SUMMARY": "set by GitHub Actions: the file of the job's summary",
    "NO_COLOR": "the command `agentevals` writes no colours",
}


class Recorder:
    """Takes what a plugin tells pytest's parser."""

    def __init__(self) -> None:
        self.options: list[tuple[str, dict[str, Any]]] = []
        self.settings: list[tuple[str, str, Any, str]] = []

    def getgroup(self, *_: Any) -> Recorder:
        """Return the group, which is recorded like the parser."""
        return self

    def addoption(self, name: str, **rest: Any) -> None:
        """Record an option."""
        self.options.append((name, rest))

    def addini(self, name: str, help: str, type: str = "string", default: Any = None) -> None:  # noqa: A002 - pytest's
        """Record an ini setting."""
        self.settings.append((name, help, default, type))


def page() -> str:
    """Write the page; raises `LookupError` where the code reads a variable that is not described here."""
    read = others()
    if unknown := read - OTHERS.keys():
        raise LookupError(f"describe in {__file__}: {', '.join(sorted(unknown))}")
    recorder = Recorder()
    plugin.pytest_addoption(recorder)  # type: ignore[arg-type]  # it takes what the function uses of a parser
    return written(
        "Options and settings",
        "Options of pytest begin with `--evals-`, settings of its ini file (`pytest.ini`, `pyproject.toml`, `tox.ini`) "
        "with `evals_`. An option wins over the setting of the same name. What they are for is told in "
        "[Running evaluations](running.md), [The judge](judge.md), [Agents](agents.md) and "
        "[Recordings](recordings.md). Options of the command `agentevals` are on [a page of their own]"
        "(reference-command.md).",
        "## Options of pytest",
        table(["option", ""], (option(name, rest) for name, rest in recorder.options)),
        "## Ini settings",
        table(["setting", "default", "value", ""], (setting(*each) for each in recorder.settings)),
        "## Fixtures",
        "Both can be overridden in a `conftest.py`, for a folder.",
        *fixtures(),
        "## Marker",
        f"Every eval item has it: {code(marker())}. Select with `-m \"agentevals(tag='smoke')\"`, leave evaluations "
        'out with `-m "not agentevals"`.',
        "## Environment variables",
        "The judge is configured by the first group of variables that is complete; see "
        "[The judge](judge.md#environment-variables). A file `.env` in the rootdir adds what the environment does not "
        "set.",
        table(["group", "variable", "field of `ModelConfig`", ""], variables()),
        "`${NAME}` in the settings of an [agent](agents.md#settings) is any variable of the environment or of `.env`. "
        "Other variables that are looked at:",
        table(["variable", ""], ([code(name), OTHERS[name]] for name in sorted(read))),
    )


def option(name: str, rest: dict[str, Any]) -> list[str]:
    """Describe an option."""
    choices = rest.get("choices", ())
    value = "MODE" if choices else rest.get("metavar", "")
    shown = f"{name}[={value}]" if rest.get("nargs") == "?" else f"{name}={value}" if value else name
    return [code(shown), plain(rest["help"]) + (f". One of {', '.join(map(code, choices))}" if choices else "")]


def setting(name: str, help: str, default: Any, type: str) -> list[str]:  # noqa: A002 - pytest's words
    """Describe an ini setting."""
    kind = {"args": "words", "linelist": "lines", "bool": "`true`, `false`"}.get(type, "text")
    shown = str(default).lower() if type == "bool" else default
    return [code(name), code(shown), ", ".join(map(code, CHOICES[name])) if name in CHOICES else kind, plain(help)]


def functions() -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """Yield the functions of the plugin that are fixtures, with the decorator."""
    tree = ast.parse(Path(plugin.__file__).read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.fixture":
                    yield node, decorator


def fixtures() -> Iterator[str]:
    """Describe the fixtures."""
    for function, decorator in functions():
        scopes = {word.arg: ast.literal_eval(word.value) for word in decorator.keywords}
        yield f"### {function.name}"
        yield prose(ast.get_docstring(function))
        yield f"Scope: `{scopes.get('scope', 'function')}`."


def marker() -> str:
    """Return the marker as it is registered."""
    for node in ast.walk(ast.parse(Path(plugin.__file__).read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "config.addinivalue_line":
            return str(ast.literal_eval(node.args[1])).partition(":")[0]
    raise LookupError("the plugin registers no marker")


def variables() -> Iterator[list[str]]:
    """Describe the groups of variables that configure a judge."""
    for number, group in enumerate(GROUPS, 1):
        for name, field in {**group.needed, **group.optional}.items():
            rest = "one of these is needed" if name in group.one_of else "optional"
            yield [str(number), code(name), code(field), "needed" if name in group.needed else rest]


def others() -> set[str]:
    """Return the names of environment variables in the code, beside those of judges."""
    judges = {name for group in GROUPS for name in (*group.needed, *group.optional)}
    return found(r'os\.(?:environ\.get\(|getenv\(|environ\[)"(\w+)"') - judges
