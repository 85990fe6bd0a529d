"""The nodes pytest collects: a document and its items."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentevals.agents.caller import Caller
from pytest_agentevals.documents.load import load
from pytest_agentevals.engine.askers import ClientAsker, RecordedAsker
from pytest_agentevals.engine.driving import run
from pytest_agentevals.engine.evaluate import evaluate
from pytest_agentevals.errors import AgentEvalsWarning, ConfigurationError, DocumentError, EvaluationError
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from pytest_agentevals.plugin.failures import ItemNotPassed, NotPassed, failure_of
from pytest_agentevals.plugin.selection import Selection
from pytest_agentevals.reports.failure import name_of
from pytest_agentevals.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentevals.documents.load import LoadedItem
    from pytest_agentevals.evaluators.base import Evaluator
    from pytest_agentevals.results import ItemResult

#: Failing verdicts are reported first: a runner that keeps the first report of an item then shows it red.
REPORTED = {Outcome.FAIL: 0, Outcome.ERROR: 1, Outcome.PASS: 2, Outcome.NOT_APPLICABLE: 2}

CALLER = pytest.StashKey[tuple[Any, Caller]]()


class EvalFile(pytest.Module):
    """An eval document. A Module, so that module-scoped fixtures have a node to live on."""

    obj = None

    def __init__(self, *, explicit: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._explicit = explicit
        self.catalog = Catalog(Place(self.path.parent, self.config.rootpath))
        self.selection = Selection.of(self.config)
        self._made: dict[int, dict[str, Evaluator | EvaluationError]] = {}
        self._tags: dict[str, pytest.MarkDecorator] = {}

    def collect(self) -> Iterator[EvalItem]:
        """Load the document; all its mistakes are one collection error."""
        try:
            document = load(self.path, self.catalog, explicit=self._explicit)
        except DocumentError as error:
            raise self.CollectError(str(error)) from None
        for message in (*document.warnings, *self.catalog.warnings):
            # Located here, not in the document: pytest would print and keep the line, which may be the whole file.
            warnings.warn(AgentEvalsWarning(message), stacklevel=1)
        for item in document.items:
            yield EvalItem.from_parent(self, name=item.id, callobj=evaluate_item, loaded=item)

    def evaluators(self, options: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Evaluator | EvaluationError]:
        """Make the selected evaluators of one turn; items with the same options share them."""
        made = self._made.get(id(options))
        if made is None:
            made = self._made[id(options)] = {
                name: self._make(name, given) for name, given in options.items() if self.selection.takes(name)
            }
        return made

    def mark(self, tag: str) -> pytest.MarkDecorator:
        """Return the mark of a tag."""
        return self._tags.setdefault(tag, pytest.mark.agentevals(tag=tag))

    def _make(self, name: str, options: Mapping[str, Any]) -> Evaluator | EvaluationError:
        try:
            return self.catalog.make(name, options)
        except KeyError:
            return EvaluationError(self.catalog.explain_unknown(name), code="evaluatorLoadError")


class EvalItem(pytest.Function):
    """One item or thread: ask the agent, evaluate its answers, report every verdict as a subtest."""

    parent: EvalFile

    def __init__(self, *, loaded: LoadedItem, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.loaded = loaded
        self.result: ItemResult | None = None
        #: Whether a fixture of the user failed while the item ran: an error, not a failure of the agent.
        self.broken_fixture = False
        for tag in loaded.tags:
            self.add_marker(self.parent.mark(tag))
        self.extra_keyword_matches.update(loaded.tags, *(turn.options for turn in loaded.turns))

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

    def evaluate(self, request: pytest.FixtureRequest) -> ItemResult:
        """Evaluate the item with the fixtures it needs, and no others."""
        evaluators = [self.parent.evaluators(turn.options) for turn in self.loaded.turns]
        if not any(evaluators):
            pytest.skip("no evaluators are configured for this item")
        asker = self._asker(request)
        waits = asker.waits or any(
            getattr(evaluator, "judged", False) for configured in evaluators for evaluator in configured.values()
        )
        return run(evaluate(self.loaded, evaluators, asker), waits=waits)

    def _asker(self, request: pytest.FixtureRequest) -> RecordedAsker | ClientAsker:
        self.broken_fixture = True
        client = request.getfixturevalue("agent_client")
        try:
            asker = RecordedAsker() if client is None else ClientAsker(caller_of(client, self.config))
        except ConfigurationError as error:
            pytest.fail(f"fixture agent_client: {error}", pytrace=False)
        self.broken_fixture = False
        return asker


def caller_of(client: Any, config: pytest.Config) -> Caller:
    """Return the caller of a client; consecutive items with the same client share it and its threads."""
    known, caller = config.stash.get(CALLER, (None, None))
    if caller is None or known is not client:
        caller = Caller(client)
        config.stash[CALLER] = client, caller
    return caller


@pytest.mark.agentevals
def evaluate_item(request: pytest.FixtureRequest, subtests: pytest.Subtests) -> None:
    item = request.node
    assert isinstance(item, EvalItem)  # noqa: S101 - the only nodes that call this function
    item.result = result = item.evaluate(request)
    reported = [(verdict, turn) for turn in result.turns for verdict in turn.verdicts]
    for verdict, turn in sorted(reported, key=lambda pair: REPORTED[pair[0].outcome]):
        with subtests.test(name_of(verdict, turn)):
            if verdict.outcome is Outcome.NOT_APPLICABLE:
                pytest.skip(verdict.reason or "not applicable")
            if verdict.outcome is not Outcome.PASS:
                raise NotPassed(verdict, turn)
    if result.status not in {"pass", None}:
        raise ItemNotPassed(result)
    if result.status is None:
        reasons = [verdict.reason for verdict in result.verdicts if verdict.reason]
        pytest.skip("no evaluator applied" + (f": {reasons[0]}" if reasons else ""))
