"""Whom the judged evaluators of a turn ask: one judge or several, each of them once or several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentevals.engine.combining import Rule
from pytest_agentevals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.judge import Judge


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges of one turn by name; a judge that is to answer several times is there as often."""

    judges: Mapping[str, tuple[Judge, ...]]
    rule: Rule = Rule.MEDIAN

    @property
    def first(self) -> Judge:
        """The judge of whoever asks one, once."""
        return next(iter(self.judges.values()))[0]

    @property
    def alone(self) -> bool:
        """Whether there is one judge, who answers once."""
        return len(self.judges) == 1 and len(next(iter(self.judges.values()))) == 1

    def asked_by(self, evaluator: Evaluator) -> Mapping[str, tuple[Judge, ...]]:
        """Return the judges that an evaluator asks: the one that its option ``model`` names, else as the rule says.

        Raises `EvaluationError` for a name that no judge has.
        """
        name = getattr(evaluator, "model", None)
        if name is None and self.rule is not Rule.FIRST:
            return self.judges
        name = name or next(iter(self.judges))
        if name not in self.judges:
            raise EvaluationError(f"no judge is called {name!r} in evals_judges", code="evaluatorConfigurationError")
        return {name: self.judges[name]}
