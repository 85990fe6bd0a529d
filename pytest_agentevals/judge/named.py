"""Several judges, as the ini setting ``evals_judges`` names them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import AfterValidator, Field, ValidationInfo

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE = re.compile(r"\s*(?P<name>\w[\w.-]*)\s*=\s*(?P<model>\S+)(?:\s+(?P<url>\S+))?\s*")


class NamedJudge(NamedTuple):
    """One of several judges."""

    name: str
    #: The model, or in Azure the deployment.
    model: str
    #: Of a server with OpenAI's interface; None: where the judge is that is configured otherwise.
    url: str | None = None


def read_judges(lines: Iterable[str]) -> tuple[NamedJudge, ...]:
    """Read lines of ``NAME = MODEL [URL]``.

    Raises `ConfigurationError` for a line that cannot be used, and for a name or a model that appears twice: a model
    is what tells one judge's recorded answers from another's.
    """
    judges = tuple(_judge(line) for line in lines)
    for what in ("name", "model"):
        counts = Counter(getattr(judge, what) for judge in judges)
        if repeated := [value for value, count in counts.items() if count > 1]:
            raise ConfigurationError(f"evals_judges has the {what} {repeated[0]!r} twice; each judge needs its own")
    return judges


def _judge(line: str) -> NamedJudge:
    found = LINE.fullmatch(line)
    if found is None:
        what = "NAME = MODEL or NAME = MODEL URL, the name of letters, digits and any of . _ -"
        raise ConfigurationError(f"evals_judges = {line!r} is not valid; allowed is {what}")
    judge = NamedJudge(**found.groupdict())
    if judge.url is not None:
        from pytest_agentevals.judge.config import as_model_config  # most judges have no URL of their own

        as_model_config({"model": judge.model, "base_url": judge.url}, origin=f"evals_judges, {judge.name}")
    return judge


def _known(name: str, info: ValidationInfo) -> str:
    """Refuse a name that no judge has, where it is known which there are."""
    names = (info.context or {}).get("judges")
    if names is None or name in names:
        return name
    allowed = ", ".join(map(repr, names)) or "none"
    raise ValueError(f"{name!r} is no judge of the ini setting evals_judges, which names {allowed}")


#: The option ``model`` of judged evaluators. ``{"judges": names}`` in the context of validation says which there are.
JudgeName = Annotated[
    Annotated[str, AfterValidator(_known)] | None,
    Field(description="Which judge of the ini setting evals_judges is asked; by default they all decide together."),
]
