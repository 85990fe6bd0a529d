"""Foreign text made harmless and visible: agents, judges and datasets may contain anything."""

from __future__ import annotations

import re

# C0 and C1 controls except tab and newline, delete, direction overrides and isolates, line separators, half characters:
# whatever moves a terminal's cursor, reorders what a person reads, or cannot be encoded.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Replace control characters by their escapes: ESC becomes the four characters ``\x1b``."""
    return _HARMFUL.sub(lambda match: _escape(match[0]), text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Make text fit for a summary line: visible, white space folded."""
    return " ".join(visible(text).split())


def shortened(text: str, limit: int) -> str:
    """Cut text to ``limit`` characters and say how much is missing."""
    return text if len(text) <= limit else f"{text[:limit].rstrip()}… ({len(text) - limit} more characters)"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
