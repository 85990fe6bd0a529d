"""A calibration for terminals of any width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentevals.reports.calibration import kappa_text
from pytest_agentevals.reports.columns import cut
from pytest_agentevals.reports.comparison import probability
from pytest_agentevals.reports.failure import plural, wrapped
from pytest_agentevals.reports.overview import percent
from pytest_agentevals.reports.visible import one_line
from pytest_agentevals.results import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentevals.reports.calibration import Bias, Calibrated, Calibration, Grades
    from pytest_agentevals.reports.calibration.ceiling import Ceiling
    from pytest_agentevals.reports.calibration.threshold import Best
    from pytest_agentevals.statistics import Interval

#: Disagreements, and labels that match nothing, that are told one by one.
TOLD = 5
#: Columns of what stands before the facts.
LABEL = 14


def calibration_lines(calibration: Calibration, room: int) -> Iterator[str]:
    """Write all evaluators, and what was left over, for a terminal of ``room`` columns."""
    for each in calibration.evaluators:
        yield from _wrapped(f"{one_line(each.evaluator)}: {each.sentence}", room, "")
        for name, text in facts(each):
            yield from _wrapped(text, room, f"  {name}")
        yield from _confusion(each, room)
        yield from _disagreements(each, room)
        yield ""
    yield from _left_over("matches no verdict", "match no verdict", calibration.unmatched, room)
    yield from _left_over("is contradicted by another", "are contradicted by others", calibration.overruled, room)
    if calibration.unlabelled:
        yield f"{plural(calibration.unlabelled, 'item')} without a label"


def facts(each: Calibrated) -> Iterator[tuple[str, str]]:
    """Yield what is known of an evaluator, each with what it is called."""
    yield "labels", _labels(each)
    if not each.count:
        return
    share = f"{percent(each.agreement)} ({rates(each.agreement_interval)}), {each.agreed} of {each.count}"
    yield (
        "agreement",
        f"{share}; {plural(each.false_passes, 'false pass', 'false passes')}, "
        + plural(each.false_fails, "false fail"),
    )
    yield "beyond chance", kappa_text(each.kappa)
    if each.grades is not None:
        yield "grades", grades(each.grades)
    if each.threshold is not None:
        yield "threshold", threshold(each.threshold)
    if each.ceiling is not None:
        yield "people", ceiling(each.ceiling)
    for name, bias, what in (
        ("length", each.length, "longer responses"),
        ("position", each.position, "later items"),
    ):
        if bias is not None:
            yield name, bias_text(bias, what)


def _labels(each: Calibrated) -> str:
    left_out = {
        "of errors": each.errors,
        "where it did not apply": each.not_applicable,
        "on which people tie": each.tied,
    }
    told = [f"{count} {what}" for what, count in left_out.items() if count]
    text = f"{each.count} ({each.good} pass, {each.count - each.good} fail)"
    if told:
        text += f"; left out: {', '.join(told)}"
    return f"{text}; {plural(each.unlabelled, 'verdict')} without a label" if each.unlabelled else text


def grades(found: Grades) -> str:
    """Write how grades agree."""
    return (
        f"the same in {found.agreed} of {found.count}; weighted {kappa_text(found.linear)} (linear), "
        f"{kappa_text(found.quadratic)} (quadratic)"
    )


def threshold(found: Best) -> str:
    """Write which threshold agrees best, and whether it is better than the present one."""
    present = "the thresholds it has" if found.present is None else number(found.present)
    now = f"{found.agreed_now} of {found.count}"
    if found.agreed <= found.agreed_now:
        return f"no other agrees better than {present} ({now})"
    held_out = f"{found.held_out} ({rates(found.interval)}) when each label is left out of the choice"
    if found.p is None or found.held_out <= found.agreed_now:
        verdict = "not better"
    else:
        verdict = f"{'better by more than' if found.p < 0.05 else 'could be'} noise, p {probability(found.p)}"
    value = number(found.value) + (", which everything passes," if found.passing == found.count else "")
    return f"{value} agrees with {found.agreed}, {present} with {now}; {held_out}: {verdict}"


def ceiling(found: Ceiling) -> str:
    """Write how people agree among themselves."""
    kappa = "" if found.kappa is None else f" (kappa {found.kappa:.2f})"
    return (
        f"two of {found.labellers} labellers agree in {percent(found.people)} of "
        f"{plural(found.responses, 'response')}{kappa}, the evaluator and one of them in {percent(found.evaluator)}"
    )


def bias_text(bias: Bias, what: str) -> str:
    """Write whether there is a bias: ``milder with longer responses (rho 0.41, p = 0.003; …)``."""
    found = {1: f"milder with {what}", -1: f"stricter with {what}", 0: "no bias that is more than chance"}
    halves = f"mean error {bias.lower:+.2f} in the lower half, {bias.upper:+.2f} in the upper"
    return f"{found[bias.direction]} (rho {bias.rho:.2f}, p {probability(bias.p)}; {halves})"


def rates(limits: Interval | None) -> str:
    """Write the interval of a rate: ``62.4% to 94.5%``."""
    return "-" if limits is None else f"{100 * limits.low:.1f}% to {100 * limits.high:.1f}%"


def _confusion(each: Calibrated, room: int) -> Iterator[str]:
    if each.count:
        yield from _table(("pass", "fail"), each.confusion, room)
    if each.grades is not None:
        yield from _table(("1", "2", "3", "4", "5"), each.grades.confusion, room)


def _table(names: Sequence[str], table: Sequence[Sequence[int]], room: int) -> Iterator[str]:
    widest = max(len(str(count)) for row in table for count in row)
    cell = max(widest, *map(len, names)) + 2
    yield cut(f"  {'people':<{LABEL}}" + "".join(f"{name:>{cell}}" for name in names) + "  (the evaluator)", room)
    for name, row in zip(names, table, strict=True):
        yield cut(f"    {name:<{LABEL - 2}}" + "".join(f"{count:>{cell}}" for count in row), room)


def _disagreements(each: Calibrated, room: int) -> Iterator[str]:
    for false_pass, title in ((True, "false passes"), (False, "false fails")):
        found = [one for one in each.disagreements if one.false_pass is false_pass]
        more = f" ({TOLD} of {len(found)})" if len(found) > TOLD else ""
        if found:
            yield f"  {title}{more}:"
        for one in found[:TOLD]:
            labels = ", ".join(one.labels)
            yield cut(f"    {one_line(f'{one.item} [{one.name}] {one.measure}; people: {labels}: {one.reason}')}", room)


def _left_over(one: str, several: str, places: Sequence[str], room: int) -> Iterator[str]:
    if places:
        yield f"{plural(len(places), 'label')} {one if len(places) == 1 else several}:"
        yield from (cut(f"  {one_line(place)}", room) for place in places[:TOLD])
        if len(places) > TOLD:
            yield f"  and {len(places) - TOLD} more"


def _wrapped(text: str, room: int, name: str) -> Iterable[str]:
    first = f"{name:<{LABEL + 2}}" if name else ""
    return (line.text for line in wrapped(text, room, indent=" " * (LABEL + 2 if name else 2), first=first))
