"""Gates: conditions on the figures of a whole run, instead of on every single verdict."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate at the end of a run."""

    #: The gate as the user wrote it.
    text: str
    #: What the run has in the place of the limit; None where nothing was evaluated that it is about.
    value: float | None
    #: How many verdicts it is about.
    count: int
    met: bool
    #: Whether the run fails where it is not met; gates of the ini file are only shown when items were selected.
    enforced: bool = True
    #: Why it is not met, where the value does not say: nothing was evaluated, the run was interrupted.
    reason: str = ""
