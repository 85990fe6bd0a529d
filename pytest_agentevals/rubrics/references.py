"""Reference files of an agent as text: plain text, Markdown, HTML and PDF."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

HTML = {".html", ".htm", ".xhtml"}
#: Elements whose content nobody reads.
UNSEEN = {"script", "style", "template", "noscript", "head"}
#: Elements that stand in a line; all others begin a new one.
INLINE = {
    "a",
    "abbr",
    "b",
    "cite",
    "code",
    "em",
    "i",
    "kbd",
    "mark",
    "q",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "u",
}


def read(path: Path) -> str:
    """Return the text of a file; raises `ConfigurationError` for one that cannot be read, or has none."""
    if path.suffix.lower() == ".pdf":
        text = _pdf(path)
    else:
        text = _plain(path)
        if path.suffix.lower() in HTML:
            text = html_text(text)
    if not text.strip():
        raise ConfigurationError(f"{relative(path)} has no text.")
    return text.strip()


def html_text(markup: str) -> str:
    """Return what a reader sees of an HTML page, a line for each block."""
    page = _Page()
    page.feed(markup)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's signature
        # A body ends what is open of a head: its end tag may be left out.
        self._unseen = 0 if tag == "body" else self._unseen + (tag in UNSEEN)
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - likewise
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unseen = max(self._unseen - (tag in UNSEEN), 0)
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            # A line feed in the markup is a space; those of blocks are added by them.
            self.pieces.append(data.replace("\n", " "))

    def _break(self, tag: str) -> None:
        if tag not in INLINE:
            self.pieces.append("\n")


def _plain(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(
            f"{relative(path)} is no text in UTF-8; allowed are text, Markdown, HTML and PDF."
        ) from None
    except OSError as error:
        raise ConfigurationError(f"{relative(path)} cannot be read: {error.strerror or error}.") from None


def _pdf(path: Path) -> str:
    try:
        import pypdf  # an extra
    except ImportError:
        raise ConfigurationError(
            f"{relative(path)} is a PDF, and reading it needs pypdf: pip install 'pytest-agentevals[pdf]'."
        ) from None
    try:
        reader = pypdf.PdfReader(path)
        return "\n\n".join(page.extract_text() for page in reader.pages)
    except OSError as error:
        raise ConfigurationError(f"{relative(path)} cannot be read: {error.strerror or error}.") from None
    except Exception as error:  # pypdf meets broken files with errors of many kinds
        raise ConfigurationError(f"{relative(path)} cannot be read as a PDF: {error}.") from None
