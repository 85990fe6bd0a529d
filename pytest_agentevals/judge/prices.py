"""What judges cost, as the ini setting ``evals_judge_prices`` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def read_prices(lines: Iterable[str]) -> Mapping[str, tuple[float, float]]:
    """Return the prices of a million prompt tokens and of a million completion tokens, by model.

    Raises `ConfigurationError` for a line that cannot be used.
    """
    return dict(_price(line) for line in lines)


def _price(line: str) -> tuple[str, tuple[float, float]]:
    model, _, prices = line.rpartition("=")
    try:
        prompt, completion = map(float, prices.split())
    except ValueError:
        prompt = completion = -1
    if not model.strip() or not 0 <= min(prompt, completion) <= max(prompt, completion) < float("inf"):
        what = "MODEL = PROMPT COMPLETION, two prices per million tokens"
        raise ConfigurationError(f"evals_judge_prices = {line!r} is not valid; allowed is {what}")
    return model.strip(), (prompt, completion)
