"""Whether no sentence of the response is longer than a number of words."""

from __future__ import annotations

import re
from typing import Any


class ShortSentences:
    def __init__(self, *, threshold: float, options: dict[str, Any] | None = None) -> None:
        del threshold  # the score is 1 or 0
        self.most = (options or {}).get("most", 20)

    def __call__(self, *, response: str, **_: str) -> dict[str, Any]:
        longest = max((len(sentence.split()) for sentence in re.split(r"(?<=[.!?])\s", response)), default=0)
        return {"score": float(longest <= self.most), "reason": f"the longest sentence has {longest} words"}
