"""The page's template: everything that is put into it is made visible and escaped, whoever wrote it."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.html.items import CHIPS
from pytest_agentevals.reports.html.texts import SHOWN, text
from pytest_agentevals.reports.html.wording import amount, duration, interval, mark, tokens, written
from pytest_agentevals.reports.overview import percent, thresholds
from pytest_agentevals.reports.visible import visible
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from pytest_agentevals.reports.html.view import View

FOLDER = "page"


def page(view: View) -> str:
    """Fill the template."""
    style, script = _own("style.css"), _own("script.js")
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )
    return _environment().get_template("page.html").render(view=view, style=style, script=script, policy=policy)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__ or "", FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {
        "text": text,
        "amount": amount,
        "duration": duration,
        "number": number,
        "percent": percent,
        "plural": plural,
        "fragment": fragment,
        "interval": interval,
        "thresholds": thresholds,
        "written": written,
    }
    environment.globals |= {"mark": mark, "tokens": tokens, "SHOWN": SHOWN, "CHIPS": CHIPS}
    return environment


def fragment(value: str) -> str:
    """Write a text as a part of a URL's fragment."""
    return quote(visible(value), safe="")


def _shown(value: Any) -> Any:
    # Foreign text is str; Markup is what the template itself made. Most texts are harmless, which is soon told.
    if type(value) is not str or value.isprintable():
        return value
    return visible(value)


def _own(name: str) -> Markup:
    # A file of this package, without anything from outside.
    return Markup(files(__package__ or "").joinpath(FOLDER, name).read_text("utf-8"))  # noqa: S704 - our own file


def _hash(source: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(source.encode()).digest()).decode()
