"""What is wrong with eval documents, and with which: the findings of ``agentevals validate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.documents.load import LoadedDocument, load
from pytest_agentevals.documents.problems import InvalidDocument, Problem
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentevals.cli.finding import Found
    from pytest_agentevals.cli.project import Project
    from pytest_agentevals.evaluators.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Checked:
    """A document, loaded or refused; ``problems`` are those with a place, ``more`` counts those left out."""

    path: Path
    catalog: Catalog
    document: LoadedDocument | None = None
    problems: tuple[Problem, ...] = ()
    more: int = 0

    @property
    def warnings(self) -> list[str]:
        """Sentences for the user about what works, and should be changed."""
        if self.document is None:
            return []
        used = {name for item in self.document.items for turn in item.turns for name in turn.options}
        unknown = [self.catalog.explain_unknown(name) for name in sorted(used) if name not in self.catalog]
        return [*self.document.warnings, *self.catalog.warnings, *unknown]


def check(found: Found, project: Project) -> Checked:
    """Load a document, as collection does."""
    catalog = project.catalog(found.path.parent)
    try:
        return Checked(found.path, catalog, load(found.path, catalog, explicit=found.explicit))
    except InvalidDocument as invalid:
        return Checked(found.path, catalog, problems=invalid.problems, more=invalid.more)
    except DocumentError as error:
        message = str(error).removeprefix(f"{relative(found.path)}: ")
        return Checked(found.path, catalog, problems=(Problem(1, 1, "", message),))
