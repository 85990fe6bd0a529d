"""A run as one HTML page that works from disk: no request, no foreign markup, readable without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.reports.html.template import page
from pytest_agentevals.reports.html.view import View

if TYPE_CHECKING:
    from pytest_agentevals.reports.run import Run

__all__ = ["render"]


def render(run: Run) -> str:
    """Return the page of a run."""
    return page(View(run))
