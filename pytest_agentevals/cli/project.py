"""The project that paths belong to: its root and its settings, found as pytest finds them."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentevals.evaluators.catalog import Catalog

#: Files with settings, in the order in which pytest looks for them in a folder.
FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Project:
    """The root of a project, and the settings of its pytest."""

    root: Path
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> Project:
        """Find the project of files and folders; raises `ConfigurationError` for a file that cannot be read."""
        places = [path.absolute() for path in paths]
        above = _common(places)
        found = _located([above]) or _beside_setup(above) or _located(places)
        if found:
            return found
        around = _common([Path.cwd(), above])
        return cls(above if around == Path(around.anchor) else around, {})

    def text(self, name: str) -> str:
        """Return a setting; empty where it is not set."""
        return str(self.settings.get(name, "")).strip()

    def words(self, name: str, default: Sequence[str] = ()) -> Sequence[str]:
        """Return a setting that is a list of words."""
        value = self.settings.get(name, default)
        return shlex.split(value) if isinstance(value, str) else list(map(str, value))

    def lines(self, name: str) -> Sequence[str]:
        """Return a setting that is a list of lines."""
        value = self.settings.get(name, ())
        lines = value.splitlines() if isinstance(value, str) else map(str, value)
        return [line.strip() for line in lines if line.strip()]

    def catalog(self, folder: Path) -> Catalog:
        """Return the evaluators of documents in a folder; raises `ConfigurationError` for odd ``evals_judges``."""
        from pytest_agentevals.evaluators.catalog import Catalog
        from pytest_agentevals.evaluators.place import Place
        from pytest_agentevals.judge.named import read_judges

        judges = [judge.name for judge in read_judges(self.lines("evals_judges"))]
        return Catalog(Place(folder, self.root), judges=judges)


def read_settings(file: Path) -> Mapping[str, Any] | None:
    """Return the settings of a file; None for one that has nothing of pytest."""
    try:
        if file.suffix == ".toml":
            return _from_toml(file.name, tomllib.loads(file.read_text("utf-8")))
        from iniconfig import IniConfig, ParseError

        try:
            content = IniConfig(str(file))
        except ParseError as error:
            raise ConfigurationError(str(error)) from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from None
    section = "tool:pytest" if file.name == "setup.cfg" else "pytest"
    if section in content:
        return dict(content[section].items())
    return {} if file.name.endswith("pytest.ini") else None


def _from_toml(name: str, content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tables: Any = content if name != "pyproject.toml" else content.get("tool", {})
    table = tables.get("pytest")
    if not isinstance(table, Mapping):
        return None if name == "pyproject.toml" else {}
    inner = table.get("ini_options")
    return inner if isinstance(inner, Mapping) and name == "pyproject.toml" else table


def _located(places: Sequence[Path]) -> Project | None:
    """Return the project of the first file with settings in the folders above; else of the first ``pyproject.toml``."""
    bare: Path | None = None
    for place in places:
        for folder in (place, *place.parents):
            for file in filter(Path.is_file, (folder / name for name in FILES)):
                found = read_settings(file)
                if found is not None:
                    return Project(folder, found)
                if file.name == "pyproject.toml" and bare is None:
                    bare = folder
    return Project(bare, {}) if bare else None


def _beside_setup(above: Path) -> Project | None:
    return next((Project(folder, {}) for folder in (above, *above.parents) if (folder / "setup.py").is_file()), None)


def _common(places: Sequence[Path]) -> Path:
    common = Path(os.path.commonpath(places))
    return common if common.is_dir() else common.parent
