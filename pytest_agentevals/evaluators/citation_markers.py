"""The citation markers in a text, in the formats that documents name.

Markdown decides what a reader sees as a citation: code blocks and code spans, images, escaped brackets and the
definition lines of a reference list (``[1]: https://…``) are none. An exclamation mark directly after a word ends a
sentence, so that ``Yes![1](u)`` is a citation and no image. Numbers count from 1 and have at most three digits:
``[0]`` is an array index, ``[2024]`` a year. Ranges (``[1-3]``) and labels without a target (``[note]``) do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Formats of their own; ``mixed`` is the union of them.
FORMATS = ("markdown", "oai_unicode", "bracket")

# Possessive quantifiers keep every pattern from backtracking into what it has read.
_LABEL = r"\[(?P<label>(?:[^\[\]]++|\[[^\[\]]*+\])++)\]"
_TARGET = r"""\(\s*+(?P<target><[^<>\n]++>|(?:[^\s()<>]++|\([^\s()<>]*+\))++)(?:\s++(?:"[^"]*+"|'[^']*+'))?+\s*+\)"""
_NUMBER = r"[1-9]\d{0,2}"

_FENCE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$(?s:.*?)(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)", re.MULTILINE
)
_SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)[^\n]+?(?<!`)(?P=ticks)(?!`)")
_IMAGE = re.compile(rf"(?<![\w\\])!(?:{_LABEL}|\[\]){_TARGET}")
_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]+\S.*$", re.MULTILINE)

_PATTERNS = {
    "markdown": re.compile(rf"(?<!\\){_LABEL}{_TARGET}"),
    # Guide: developers.openai.com/api/docs/guides/citation-formatting
    "oai_unicode": re.compile("\ue200cite\ue202(?P<ids>[^\ue200\ue201]+)\ue201"),
    "bracket": re.compile(rf"(?<!\\)\[(?P<numbers>\^{_NUMBER}\^?|{_NUMBER}(?:\s*,\s*{_NUMBER})*)\]"),
}
_LABEL_NUMBER = re.compile(rf"\[?\^?(?P<number>{_NUMBER})\^?\]?")
#: Part of a marker that says which lines of the source are meant.
_LINES = re.compile(r"L\d+(?:-L\d+)?")


@dataclass(frozen=True, slots=True)
class Marker:
    """One citation in a text: where it starts, its format, the text that stands for it, and what it points to."""

    start: int
    format: str
    text: str
    number: int | None = None
    source: str | None = None


def find_markers(text: str, citation_format: str) -> list[Marker]:
    """Return every citation in a text, in order; ``citation_format`` is one of `FORMATS` or ``mixed``.

    In ``mixed``, what one format counted does not count again: ``[1](url)`` is one citation. ``[1, 2]`` is two, and so
    is a marker with two source ids.
    """
    for pattern in (_FENCE, _SPAN, _IMAGE, _DEFINITION):
        text = pattern.sub(_blank, text)
    found: list[Marker] = []
    for name in FORMATS if citation_format == "mixed" else (citation_format,):
        for match in _PATTERNS[name].finditer(text):
            found.extend(_read(name, match))
        text = _PATTERNS[name].sub(_blank, text)
    return sorted(found, key=lambda marker: marker.start)


def _blank(match: re.Match[str]) -> str:
    """Leave room for what does not count, so that places in the text stay the same."""
    return " " * len(match[0])


def _read(name: str, match: re.Match[str]) -> Iterator[Marker]:
    if name == "markdown":
        label, source = match["label"].strip(), match["target"].strip("<>")
        if numbered := _LABEL_NUMBER.fullmatch(label):
            yield Marker(match.start(), name, f"[{numbered['number']}]", int(numbered["number"]), source)
        else:
            yield Marker(match.start(), name, label, source=source)
    elif name == "oai_unicode":
        for source in filter(None, map(str.strip, match["ids"].split("\ue202"))):
            if not _LINES.fullmatch(source):
                yield Marker(match.start(), name, source, source=source)
    else:
        for number in re.findall(_NUMBER, match["numbers"]):
            yield Marker(match.start(), name, f"[{number}]", int(number))
