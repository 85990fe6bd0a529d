"""The nodes pytest collects: a document and its items."""

from __future__ import annotations

import inspect
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals.documents.load import load
from pytest_agentevals.engine.askers import Tape
from pytest_agentevals.engine.evaluate import evaluate
from pytest_agentevals.engine.judging import NOBODY, JudgedTurn, Mode
from pytest_agentevals.engine.repeats import repeated
from pytest_agentevals.errors import AgentEvalsWarning, ConfigurationError, DocumentError, EvaluationError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.plugin.ahead import Work
from pytest_agentevals.plugin.failures import ItemNotPassed, MisconfiguredJudge, NotPassed, failure_of
from pytest_agentevals.plugin.gating import NOTHING, fail, tolerance
from pytest_agentevals.plugin.process import Process
from pytest_agentevals.plugin.selection import Selection
from pytest_agentevals.reports.failure import name_of
from pytest_agentevals.results import Outcome, Verdict, packed

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping

    from pytest_agentevals.documents.load import LoadedItem, LoadedTurn
    from pytest_agentevals.engine.deciding import Evaluators
    from pytest_agentevals.engine.panel import Panel
    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.judge.config import ModelConfig
    from pytest_agentevals.judge.recording import Recording
    from pytest_agentevals.plugin.means import Means
    from pytest_agentevals.results import ItemResult

#: Failing verdicts are reported first: a runner that keeps the first report of an item then shows it red.
REPORTED = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.PASS: 2, Outcome.NOT_APPLICABLE: 2}


class EvalFile(pytest.Module):
    """An eval document. A Module, so that module-scoped fixtures have a node to live on."""

    obj = None

    def __init__(self, *, explicit: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._explicit = explicit
        self.selection = Selection.of(self.config)
        self.process = Process.of(self.config)
        judges = [judge.name for judge in self.process.settings.judges]
        self.catalog = Catalog(Place.of(self.path, self.config.rootpath), judges=judges)
        #: Items of the whole document, whatever is selected of them.
        self.size = 0
        #: Whether the document leaves it to the system which evaluators run.
        self.defaulted = False
        self._made: dict[int, Evaluators] = {}
        self._tags: dict[str, pytest.MarkDecorator] = {}

    def collect(self) -> Iterator[EvalItem]:
        """Load the document; all its mistakes are one collection error."""
        try:
            document = load(self.path, self.catalog, explicit=self._explicit)
        except DocumentError as error:
            raise self.CollectError(str(error)) from None
        self.size, self.defaulted = len(document.items), document.document.default_evaluators is None
        for message in (*document.warnings, *self.catalog.warnings):
            # Located here, not in the document: pytest would print and keep the line, which may be the whole file.
            warnings.warn(AgentEvalsWarning(message), stacklevel=1)
        for item in document.items:
            yield EvalItem.from_parent(self, name=item.id, callobj=evaluate_item, loaded=item)

    def evaluators(self, options: Mapping[str, Mapping[str, Any]]) -> Evaluators:
        """Make the selected evaluators of one turn; items with the same options share them."""
        made = self._made.get(id(options))
        if made is None:
            made = self._made[id(options)] = {
                name: self._make(name, given) for name, given in options.items() if self.selection.takes(name)
            }
        return made

    @cached_property
    def recording(self) -> Recording:
        """The recording beside the document. Raises `ConfigurationError` where it is broken."""
        return self.process.judging.recording(self.path)

    def mark(self, tag: str) -> pytest.MarkDecorator:
        """Return the mark of a tag."""
        return self._tags.setdefault(tag, pytest.mark.agentevals(tag=tag))

    def _make(self, name: str, options: Mapping[str, Any]) -> Evaluator | EvaluationError | Verdict:
        try:
            made = self.catalog.make(name, options)
        except KeyError:
            return EvaluationError(self.catalog.explain_unknown(name), code="evaluatorLoadError")
        if made.judged and self.process.judging.mode is Mode.NONE:
            return Verdict(outcome=Outcome.NOT_APPLICABLE, reason="judged evaluators are skipped: --evals-judge=none")
        return made


class EvalItem(pytest.Function):
    """One item or thread: ask the agent, evaluate its answers, report every verdict as a subtest."""

    parent: EvalFile

    def __init__(self, *, loaded: LoadedItem, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.loaded = loaded
        #: How often the item has run before.
        self.attempt = 0
        self.reset()
        for tag in loaded.tags:
            self.add_marker(self.parent.mark(tag))
        self.extra_keyword_matches.update(loaded.tags, *(turn.options for turn in loaded.turns))

    def reset(self) -> None:
        """Forget an earlier attempt."""
        self.result: ItemResult | None = None
        #: Whether a fixture of the user failed while the item ran: an error, not a failure of the agent.
        self.broken_fixture = False
        #: What gates answer for.
        self.tolerance = NOTHING
        #: Keys of the recording's entries that the item needed.
        self.used: set[str] = set()
        #: Why a judge was wanted that nobody configured.
        self.explanation: str | None = None

    def told(self) -> dict[str, object]:
        """Return what the reporter wants to know at the end: plain values, which travel between processes."""
        if self.result is None:
            return {}
        told: dict[str, object] = {"result": packed(self.result), "of": self.parent.size}
        if self.used:
            told["used"] = sorted(self.used)
        if self.explanation:
            told["explanation"] = self.explanation
        if self.tolerance.verdicts:
            told["tolerated"] = dict(self.tolerance.verdicts)
        return told

    @property
    def selected(self) -> bool:
        """Whether the options of the run leave an evaluator to this item, or it never had one."""
        names = [name for turn in self.loaded.turns for name in turn.options]
        return not names or any(self.parent.selection.takes(name) for name in names)

    def reportinfo(self) -> tuple[Any, int, str]:
        """Locate the item at its own line of the document, counted from 0."""
        return self.path, self.loaded.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """Show verdicts as text, not as a traceback."""
        failure = failure_of(self, excinfo.value)
        return failure if failure is not None else super().repr_failure(excinfo, *args)

    @cached_property
    def judged(self) -> bool:
        """Whether a judge has a say in the item."""
        return bool(self._asking)

    @cached_property
    def _asking(self) -> list[Evaluator]:
        """The evaluators that ask a judge."""
        each = (each for made in self._evaluators for each in made.values())
        return [one for one in each if not isinstance(one, EvaluationError | Verdict) and one.judged]

    @cached_property
    def _evaluators(self) -> list[Evaluators]:
        return [self.parent.evaluators(turn.options) for turn in self.loaded.turns]

    def coming(self, count: int) -> Iterator[EvalItem]:
        """Yield the eval items among the next items of the session."""
        for item in self.parent.process.following(self, count):
            if isinstance(item, EvalItem):
                yield item

    def evaluate(self, request: pytest.FixtureRequest) -> ItemResult:
        """Evaluate the item with the fixtures it needs, and no others."""
        if not any(self._evaluators):
            pytest.skip("no evaluators are configured for this item")
        process = self.parent.process
        # Whatever fails from here to the first question is the configuration's fault, not the agent's.
        self.broken_fixture = True
        try:
            judge = self._judge(request) if self.judged else (None, "session")
            if self.judged:
                process.doubt(self._asking, judge[0])
            work = process.ahead.take(self, process.means(request, judge))
        except ConfigurationError as error:
            pytest.fail(str(error), pytrace=False)
        self.broken_fixture = False
        result = process.ahead.result(work)
        self.used = work.used
        self.explanation = self._explain(result)
        return result

    def work(self, means: Means) -> Work:
        """Return the evaluation of the item, not yet begun. Raises `ConfigurationError` for a broken recording."""
        process, used = self.parent.process, set[str]()
        judging, attempt, judged, settings = process.judging, self.attempt, self.judged, process.settings
        tape = Tape(self.parent.recording, used, self.loaded, writes=judging.mode is Mode.RECORD)
        askers = [
            process.asker(means, self.path, tape, attempt=attempt, repeat=repeat) for repeat in range(settings.repeats)
        ]
        seats = process.seats(means.judge) if judged else {}

        def once(repeat: int) -> Coroutine[Any, Any, ItemResult]:
            def panel(turn: LoadedTurn) -> Panel:
                where = JudgedTurn(self.path, self.name, turn.index)
                return judging.panel(where, seats, used, attempt=attempt, repeat=repeat)

            return evaluate(self.loaded, self._evaluators, askers[repeat], panel if judged else None)

        evaluation = once(0) if settings.repeats == 1 else repeated(once, settings.repeats, settings.pass_at)
        return Work(means, used, evaluation, waits=askers[0].waits or judged)

    def _judge(self, request: pytest.FixtureRequest) -> tuple[ModelConfig | None, str]:
        """Return the judge's configuration where this run may ask a judge, and the scope of what gave it."""
        process = self.parent.process
        if process.judging.mode is Mode.REPLAY:
            return None, "session"
        try:
            return process.judge_config(request)
        except ConfigurationError as error:
            if process.judging.mode is Mode.AUTO and self.parent.recording.judgments:
                return None, "session"
            raise MisconfiguredJudge(str(error)) from None

    def _explain(self, result: ItemResult) -> str | None:
        """Say why a judge is wanted, where nobody configured one."""
        for verdict in (leaf for each in result.verdicts for leaf in each.leaves):
            if verdict.reason == NOBODY:
                name, file = verdict.evaluator, self.path.name
                named = any(name in turn.options for turn in self.loaded.turns) and not self.parent.defaulted
                why = f"{file} names it" if named else f"{file} has no default_evaluators"
                return (
                    f"{name} runs because {why} and no judge is configured: configure one (see docs/judge.md), "
                    'add "default_evaluators": {}, or use --evals-judge=none'
                )
        return None


@pytest.mark.agentevals
def evaluate_item(request: pytest.FixtureRequest, subtests: pytest.Subtests) -> None:  # noqa: D103 - shown by pytest
    item = request.node
    assert isinstance(item, EvalItem)  # noqa: S101 - the only nodes that call this function
    item.result = result = item.evaluate(request)
    item.tolerance = tolerated = tolerance(item, result)
    reported = [(name_of(verdict, turn), verdict, turn) for turn in result.turns for verdict in turn.verdicts]
    for name, verdict, turn in sorted(
        reported, key=lambda each: (each[0] in tolerated.verdicts, REPORTED[each[1].outcome])
    ):
        with subtests.test(name):
            if verdict.outcome is Outcome.NOT_APPLICABLE:
                pytest.skip(verdict.reason or "not applicable")
            if verdict.outcome is not Outcome.PASS:
                fail(NotPassed(verdict, turn), tolerated.verdicts.get(name))
    if result.status not in {"pass", None}:
        fail(ItemNotPassed(result), tolerated.item)
    if result.status is None:
        reasons = [verdict.reason for verdict in result.verdicts if verdict.reason]
        pytest.skip("no evaluator applied" + (f": {reasons[0]}" if reasons else ""))


# PEP 362: pytest asks for the signature with every item, and finding it out anew is a good part of collecting one.
evaluate_item.__signature__ = inspect.signature(evaluate_item)  # type: ignore[attr-defined]  # functions take attributes
