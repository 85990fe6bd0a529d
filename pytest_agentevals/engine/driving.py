"""Running an evaluation from synchronous code, without an event loop where nothing waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pytest_agentevals import loop

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


def run(coroutine: Coroutine[Any, Any, Result], *, waits: bool) -> Result:
    """Run a coroutine to its end: in the background loop if it ``waits``, else right here.

    A coroutine that never suspends needs no event loop, and starting one for each of thousands of deterministic
    items would cost more than the items.
    """
    if waits:
        return loop.run(coroutine)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    coroutine.close()
    raise RuntimeError("the evaluation waited for something although nothing in it was expected to")
