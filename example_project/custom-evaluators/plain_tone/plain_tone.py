"""Whether the response is written in plain language; a judge decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from promptflow.client import load_flow


class PlainTone:
    def __init__(
        self, *, model_config: dict[str, Any], threshold: float, options: dict[str, Any] | None = None
    ) -> None:
        del threshold, options  # the score is compared with the threshold by whoever asks
        prompt = Path(__file__).with_suffix(".prompty")
        self.flow = load_flow(source=prompt, model={"configuration": dict(model_config)})

    def __call__(self, *, response: str, **_: str) -> dict[str, Any]:
        answer = self.flow(response=response)
        return {"score": answer["score"], "reason": answer["reason"]}
