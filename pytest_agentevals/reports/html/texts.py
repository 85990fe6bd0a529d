"""Texts of agents, judges and datasets in parts: what is marked in them, and what is shown only when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Characters of a text that are shown at once.
SHOWN = 2_000
#: Characters before this limit in which a space is looked for, so that no word is cut.
_NEAR = 80


class Span(NamedTuple):
    """A part of a text; ``kind`` is the element that marks it: ``mark``, ``ins``, ``del`` or none."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text whose end may be folded."""

    shown: Sequence[Span]
    folded: Sequence[Span] = ()
    #: Characters of all.
    length: int = 0


def text(value: str | Sequence[Span], limit: int = SHOWN) -> Text:
    """Fold what goes beyond ``limit`` characters."""
    spans = [Span(value)] if isinstance(value, str) else value
    length = sum(len(span.text) for span in spans)
    if length <= limit:
        return Text(spans, length=length)
    shown: list[Span] = []
    folded: list[Span] = []
    left = limit
    for span in spans:
        fits = not folded and len(span.text) <= left
        cut = len(span.text) if fits else 0 if folded else _cut(span.text, left)
        shown += [span._replace(text=span.text[:cut])] if cut else []
        folded += [] if fits else [span._replace(text=span.text[cut:])]
        left -= cut
    return Text(shown, folded, length)


def _cut(value: str, limit: int) -> int:
    near = max(0, limit - _NEAR)
    space = max(value.rfind(" ", near, limit), value.rfind("\n", near, limit))
    return space + 1 or limit


def marked(value: str, wanted: Iterable[str]) -> list[Span]:
    """Mark every occurrence of some texts, in any case."""
    alternatives = "|".join(re.escape(each) for each in sorted(filter(None, wanted), key=len, reverse=True))
    if not alternatives:
        return [Span(value)]
    # Every other part is what the group matched.
    parts = re.split(f"({alternatives})", value, flags=re.IGNORECASE)
    return [Span(part, "mark" if position % 2 else "") for position, part in enumerate(parts) if part]
