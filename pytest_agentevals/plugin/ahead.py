"""Evaluating items before their turn, while pytest is busy with earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals import loop
from pytest_agentevals.engine.driving import run
from pytest_agentevals.errors import ConfigurationError
from pytest_agentevals.plugin.means import LASTING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine
    from concurrent.futures import Future

    from pytest_agentevals.plugin.items import EvalItem
    from pytest_agentevals.plugin.means import Means
    from pytest_agentevals.plugin.settings import Settings
    from pytest_agentevals.results import ItemResult

#: Marks of items that perhaps do not run at all.
DOUBTFUL = ("skip", "skipif", "xfail")


@dataclass(slots=True)
class Work:
    """The evaluation of one item with the means at hand."""

    means: Means
    #: Keys of the recording's entries that it needs.
    used: set[str]
    evaluation: Coroutine[Any, Any, ItemResult]
    #: Whether it waits for anything.
    waits: bool
    running: Future[ItemResult] | None = None

    def start(self) -> Future[ItemResult]:
        """Start it in the background, unless it is running there."""
        if self.running is None:
            self.running = loop.submit(self.evaluation)
        return self.running


class Ahead:
    """The works of one process: that of the item whose turn it is, and some of those to come.

    Items whose turn has come get their means from their fixtures. A coming item is evaluated ahead only where it is
    certain to get the very same: the item that runs and the one before it got the same, both lie in the same folder as
    the coming one, and no fixture that gave them ends before it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.allowed = settings.ahead
        #: Called while a result is waited for.
        self.meanwhile: Callable[[], object] = lambda: None
        #: How far to look ahead: twice what may be in flight, because works are taken in order and end out of order.
        self._window = 2 * (settings.judge_concurrency + settings.agent_concurrency)
        self._works: dict[EvalItem, Work] = {}
        self._latest: tuple[EvalItem, Means] | None = None
        #: Items that were started, or whose turn has come.
        self._begun: set[EvalItem] = set()

    def take(self, item: EvalItem, means: Means) -> Work:
        """Return the work of an item whose turn has come, and start works of coming items.

        Raises `ConfigurationError` where its recording is broken.
        """
        self._begun.add(item)
        work = self._works.pop(item, None)
        if work is not None and work.means != means:
            work.start().cancel()
            work = None
        work = work or item.work(means)
        if work.waits:
            work.start()
            if self._may_look(means) and self._repeated(item, means):
                self._look_ahead(item, means)
            self._latest = item, means
        return work

    def result(self, work: Work) -> ItemResult:
        """Wait for the result of a work."""
        return loop.wait_for(work.start(), self.meanwhile) if work.waits else run(work.evaluation)

    def cancel(self) -> None:
        """Give up all works whose turn has not come."""
        for work in self._works.values():
            work.start().cancel()
        self._works.clear()

    def _forget_all_but(self, near: Collection[EvalItem]) -> None:
        """Give up the works of items that another process ran; what was asked for them is in the store."""
        for passed in self._works.keys() - set(near):
            self._works.pop(passed).start().cancel()

    def _may_look(self, means: Means) -> bool:
        """Whether items may be evaluated ahead at all; an agent that is asked one prompt at a time is asked in turn."""
        sequential = means.agent is not None and self._settings.agent_concurrency == 1
        return self.allowed and not sequential and means.scope in LASTING

    def _repeated(self, item: EvalItem, means: Means) -> bool:
        """Whether two items in a row of one folder got the same means, as far as both needed them."""
        if self._latest is None:
            return False
        before, had = self._latest
        same_judge = had.judge == means.judge or not (before.judged and item.judged)
        return before.path.parent == item.path.parent and had.agent is means.agent and same_judge

    def _look_ahead(self, item: EvalItem, means: Means) -> None:
        near = list(item.coming(self._window))
        self._forget_all_but(near)
        for coming in near:
            reached = coming.path.parent == item.path.parent if means.scope == "session" else coming.path == item.path
            if not reached:
                return
            known = item.judged or not coming.judged
            if coming in self._begun or not known or any(map(coming.get_closest_marker, DOUBTFUL)):
                continue
            try:
                work = coming.work(means if coming.judged else replace(means, judge=None))
            except ConfigurationError:
                # It says so when its turn comes.
                continue
            if work.waits:
                self._works[coming] = work
                self._begun.add(coming)
                work.start()
            else:
                work.evaluation.close()
