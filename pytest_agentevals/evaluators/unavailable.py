"""An evaluator that is known by name and cannot be had."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn

from pydantic import ConfigDict

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Evaluator

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange


class Unavailable(Evaluator):
    """Takes any options and can never decide."""

    model_config = ConfigDict(extra="allow")

    #: Why it cannot be had, in one sentence.
    why: ClassVar[str]

    def evaluate(self, exchange: Exchange) -> NoReturn:  # noqa: ARG002 - there is nothing to look at
        """Raise `EvaluationError` with code ``evaluatorLoadError``."""
        raise EvaluationError(self.why, code="evaluatorLoadError")


def unavailable(name: str, why: str) -> type[Unavailable]:
    """Make the class that stands for an evaluator which cannot be had."""
    return type(name, (Unavailable,), {"__module__": __name__, "result_key": name, "why": why})
