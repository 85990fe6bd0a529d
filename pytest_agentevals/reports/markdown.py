"""A run as Markdown: a comment on a pull request, or the summary of a job.

GitHub's limits are 65,536 characters for a comment and 1 MiB for the summary of a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.reports.cases import Kind
from pytest_agentevals.reports.failure import headline, plural, summary
from pytest_agentevals.reports.inert import cell, code, element, fenced
from pytest_agentevals.reports.overview import columns, ended
from pytest_agentevals.reports.room import Page
from pytest_agentevals.reports.tally import Tally
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_agentevals.reports.cases import Case
    from pytest_agentevals.reports.comparison import Change, Comparison
    from pytest_agentevals.reports.run import EvaluatedItem, Run
    from pytest_agentevals.results import Verdict

#: Characters of a comment.
COMMENT = 65_536
#: Parts of a verdict that are shown: several judges, or repeats.
PARTS = 20


def render(run: Run, *, limit: int = COMMENT, measure: Callable[[str], int] = len) -> str:
    """Write a run; ``measure`` tells the size of a text, which stays below ``limit``.

    Empty where there is not even room for the head.
    """
    tally = Tally.of(item.run for item in run.items)
    page = Page(limit, measure)
    if not page.add("".join(_head(run, tally))):
        return ""
    page.add_entries("\n#### Gates\n\n", _gates(run), len(run.gates), keep=page.room // 2)
    if run.comparison is not None:
        _compare(run.comparison, page)
    rows = _rows([("evaluator", *map(cell, tally.evaluators)), *_figures(tally)])
    head, rule = next(rows), next(rows)
    page.add_entries(f"\n{head}{rule}", rows, len(tally.evaluators), keep=page.room // 2)
    groups = _groups(run)
    for position, (title, found) in enumerate(groups):
        # The last group may take all that is left; those before it leave a share to each that follows.
        keep = page.room * (len(groups) - 1 - position) // (len(groups) - position)
        entries = ("".join(_entry(item, case)) for item, case in found)
        page.add_entries(f"\n#### {title}\n\n", entries, len(found), keep=keep)
    return str(page)


def render_comparison(comparison: Comparison) -> str:
    """Write a comparison alone."""
    page = Page(COMMENT, len)
    _compare(comparison, page)
    return str(page).lstrip("\n")


def _head(run: Run, tally: Tally) -> Iterator[str]:
    about = run.about
    unmet = any(gate.enforced and not gate.met for gate in run.gates)
    if tally.kinds[Kind.FAILURE] or tally.kinds[Kind.ERROR] or unmet or about.interrupted:
        sign = "❌"
    else:
        worse = run.comparison is not None and run.comparison.regressions
        sign = "✅" if tally.kinds[Kind.PASSED] and not worse else "⚠️"
    yield f"### {sign} Evaluations: {tally.headline}\n\n"
    if about.interrupted:
        yield "**Interrupted: not all items have run.**\n\n"
    items = ", ".join(f"{count} {words}" for words, count in tally.item_counts.items())
    documents = len({item.document for item in run.items})
    yield f"{plural(len(run.items), 'item')} of {plural(documents, 'document')}: {items or 'none'}\n\n"
    told = [f"judge {code(about.judge)}" if about.judge else "", f"agent {code(about.agent)}" if about.agent else ""]
    told += [tally.judging or "", f"{number(about.seconds)} s", f"started {code(about.started)} (UTC)"]
    yield " · ".join(filter(None, told)) + "\n"


def _gates(run: Run) -> Iterator[str]:
    for gate in sorted(run.gates, key=lambda gate: gate.met):
        yield f"- {'✅' if gate.met else '❌' if gate.enforced else '⚠️'} {code(str(gate), 400)}\n"


def _compare(comparison: Comparison, page: Page) -> None:
    counts = [plural(len(comparison.regressions), "regression"), f"{len(comparison.fixed)} fixed"]
    counts += [f"{len(comparison.changed)} other scores changed", f"{plural(comparison.matched, 'item')} matched"]
    counts += [f"{len(comparison.added)} new", f"{len(comparison.removed)} missing"]
    page.add(
        f"\n#### Compared with {code(comparison.baseline)} (started {code(comparison.baseline_started)}, UTC)\n\n"
        f"{', '.join(counts)}\n"
    )
    page.add_entries("\n", (f"- ⚠️ {code(remark, 400)}\n" for remark in comparison.remarks), len(comparison.remarks))
    for title, changes in (("Regressions", comparison.regressions), ("Fixed", comparison.fixed)):
        head = _row(("item", "evaluator", "before", "after", "reason")) + _row(["---"] * 5)
        page.add_entries(f"\n**{title}**\n\n{head}", map(_change, changes), len(changes), keep=page.room // 2)
    evaluators = [each for each in comparison.evaluators if each.p is not None]
    head = _row(("evaluator", "difference")) + _row(["---"] * 2)
    rows = (_row((cell(each.evaluator), each.sentence)) for each in evaluators)
    page.add_entries(f"\n{head}", rows, len(evaluators), keep=page.room // 2)


def _change(change: Change) -> str:
    before, after = ended(change.before, change.before_score), ended(change.after, change.after_score)
    return _row((cell(change.item), cell(change.name), before, after, cell(change.reason)))


def _figures(tally: Tally) -> Iterator[tuple[str, ...]]:
    for column in columns(tally.evaluators.values()):
        yield column.title, *column.cells


def _rows(table: Sequence[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table given by its columns, each with its title first."""
    lines = zip(*table, strict=True)
    yield _row(next(lines))
    yield _row(["---", *["---:"] * (len(table) - 1)])
    yield from map(_row, lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _groups(run: Run) -> list[tuple[str, list[tuple[EvaluatedItem, Case]]]]:
    """Return what is told in full, under its heading: what is new since the baseline comes first."""
    new = {(each.item, each.name) for each in run.comparison.regressions} if run.comparison else set()
    found: dict[str, list[tuple[EvaluatedItem, Case]]] = {"Failed": [], "Could not be evaluated": [], "Tolerated": []}
    for item in run.items:
        for case in item.cases():
            if case.kind is Kind.FAILURE:
                found["Failed"].append((item, case))
            elif case.kind is Kind.ERROR:
                found["Could not be evaluated"].append((item, case))
            elif case.tolerated:
                found["Tolerated"].append((item, case))
    for cases in found.values():
        cases.sort(key=lambda entry: (entry[0].label, entry[1].name) not in new)
    return [(title, cases) for title, cases in found.items() if cases]


def _entry(item: EvaluatedItem, case: Case) -> Iterator[str]:
    """Write one verdict, or an item without, folded under one line."""
    name = f" {element(case.name)}" if case.name else ""
    yield f"<details><summary>{element(item.label)}{name} {element(case.message)}</summary>\n\n"
    yield f"{code(item.run.place)}\n\n"
    if case.turn is not None:
        response = case.turn.response.text if case.turn.response else None
        texts = {"Prompt": case.turn.prompt, "Response": response, "Expected": case.turn.expected_response}
        for label, text in texts.items():
            if text is not None:
                yield f"**{label}**\n\n{fenced(text or '(empty)')}\n\n"
    if case.verdict is not None:
        yield from _verdict(case.verdict)
    else:
        yield f"{fenced(case.text or case.message, 2000)}\n\n"
    yield "</details>\n\n"


def _verdict(verdict: Verdict) -> Iterator[str]:
    told = "\n".join(filter(None, [headline(verdict), verdict.reason, *verdict.notes]))
    yield f"**Verdict**\n\n{fenced(told, 3000)}\n\n"
    for part in verdict.parts[:PARTS]:
        yield f"- {code(part.part)} {code(summary(part))}\n"
    if verdict.parts:
        more = len(verdict.parts) - PARTS
        yield f"- and {more} more\n\n" if more > 0 else "\n"
