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
    left = limit
    for position, span in enumerate(spans):
        if len(span.text) >= left:
            cut = _cut(span.text, left)
            shown.append(span._replace(text=span.text[:cut]))
            return Text(shown, [span._replace(text=span.text[cut:]), *spans[position + 1 :]], length)
        shown.append(span)
        left -= len(span.text)
    raise AssertionError("the spans are shorter than their sum")


def _cut(value: str, limit: int) -> int:
    space = max(value.rfind(" ", limit - _NEAR, limit), value.rfind("\n", limit - _NEAR, limit))
    return space + 1 if space > 0 else limit


def marked(value: str, wanted: Iterable[str]) -> list[Span]:
    """Mark every occurrence of some texts, in any case."""
    alternatives = "|".join(re.escape(each) for each in sorted(filter(None, wanted), key=len, reverse=True))
    if not alternatives:
        return [Span(value)]
    # Every other part is what the group matched.
    parts = re.split(f"({alternatives})", value, flags=re.IGNORECASE)
    return [Span(part, "mark" if position % 2 else "") for position, part in enumerate(parts) if part]
