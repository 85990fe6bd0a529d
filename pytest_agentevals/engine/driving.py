"""Running an evaluation in which nothing waits, without an event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine that never suspends to its end.

    It needs no event loop, and a round through one for each of thousands of deterministic items would cost more than
    the items. Raises `RuntimeError` where it does suspend.
    """
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    coroutine.close()
    raise RuntimeError("the evaluation waited for something although nothing in it was expected to")
