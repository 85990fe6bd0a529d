"""JUnit XML with a test case for each evaluator.

pytest writes one case for each item, counts subtests in the suite's totals and leaves passing ones out. So the finished
file is read once more, the cases of eval items are replaced, and the totals are counted from the elements. Cases of
other tests stay as they are.
"""

from __future__ import annotations

import os
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentevals.reports.cases import Case, ItemRun, Kind, cases
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.visible import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.reports.gates import GateResult

#: What decides the one case of an item with several verdicts, the most telling first. The second is whether a gate
#: answers for it.
TELLING = (
    (Kind.FAILURE, False),
    (Kind.ERROR, False),
    (Kind.SKIPPED, True),
    (Kind.PASSED, False),
    (Kind.SKIPPED, False),
)
#: Class name of the test cases of gates.
GATES = "gates"


@dataclass(frozen=True, slots=True)
class Style:
    """How the file is to be written."""

    #: Put before every class name.
    prefix: str = ""
    #: Whether test cases say file and line, as the ``xunit1`` family does.
    located: bool = False
    #: Whether test cases have properties.
    properties: bool = True
    #: Whether an item is one test case, whatever the number of its evaluators.
    per_item: bool = False


def rewrite(path: Path, runs: Iterable[ItemRun], style: Style, gates: Iterable[GateResult] = ()) -> None:
    """Replace the test cases of eval items in a finished file, and add those of gates; atomic."""
    tree = ET.parse(path)  # noqa: S314 - the file that pytest has just written
    suite = tree.getroot() if tree.getroot().tag == "testsuite" else tree.getroot().find("testsuite")
    if suite is None:
        return
    ours = {address(run.nodeid, style.prefix): run for run in runs}
    originals: dict[tuple[str, str], list[ET.Element]] = {key: [] for key in ours}
    order: list[ET.Element | tuple[str, str]] = []
    for element in suite:
        key = element.get("classname", ""), element.get("name", "")
        if element.tag != "testcase" or key not in ours:
            order.append(element)
            continue
        if not originals[key]:
            order.append(key)
        originals[key].append(element)
    order += [key for key, found in originals.items() if not found]
    suite[:] = [
        element
        for entry in order
        for element in (replaced(ours[entry], originals[entry], style) if isinstance(entry, tuple) else [entry])
    ]
    suite.extend(gate_element(gate, style) for gate in gates)
    _count(suite)
    _replace(path, tree)


def replaced(run: ItemRun, originals: list[ET.Element], style: Style) -> list[ET.Element]:
    """Write the test cases of one item; the first one keeps the output and properties that pytest filed."""
    written = elements(run, style)
    for original in originals if written else ():
        for child in original:
            if child.tag == "properties" and style.properties:
                properties = written[0].find("properties")
                if properties is None:
                    written[0].insert(0, child)
                else:
                    properties.extend(child)
            elif child.tag in {"system-out", "system-err"}:
                written[0].append(child)
    return written


def address(nodeid: str, prefix: str = "") -> tuple[str, str]:
    """Return the class name and name under which pytest files an item."""
    file, _, name = nodeid.partition("::")
    classname = file.replace("/", ".")
    return visible(f"{prefix}.{classname}" if prefix else classname), visible(name)


def elements(run: ItemRun, style: Style) -> list[ET.Element]:
    """Write the test cases of one item."""
    found = list(cases(run))
    if style.per_item:
        found = [_merged(found, run)] if found else []
    classname, name = address(run.nodeid, style.prefix)
    written = []
    for case in found:
        label = f"{name}[{case.name}]" if case.name else name
        element = ET.Element("testcase", classname=classname, name=visible(label), time=f"{case.seconds:.3f}")
        if style.located:
            element.attrib |= {"file": run.nodeid.partition("::")[0], "line": str(run.line - 1)}
        if style.properties and case.properties:
            properties = ET.SubElement(element, "properties")
            for key, value in case.properties:
                ET.SubElement(properties, "property", name=visible(key), value=visible(value))
        if case.kind is not Kind.PASSED:
            attributes = {"type": case.type, "message": one_line(case.message)}
            ET.SubElement(element, case.kind.value, attributes).text = visible(case.text) or None
        written.append(element)
    return written


def gate_element(gate: GateResult, style: Style) -> ET.Element:
    """Write the test case of a gate: a failure where it is not met, unless it is only shown."""
    classname = f"{style.prefix}.{GATES}" if style.prefix else GATES
    element = ET.Element("testcase", classname=visible(classname), name=visible(gate.text), time="0.000")
    if style.properties:
        properties = ET.SubElement(element, "properties")
        for name, value in (("value", gate.value), ("limit", gate.limit), ("n", gate.count)):
            if value is not None:
                ET.SubElement(properties, "property", name=name, value=str(value))
    if not gate.met:
        kind, type_ = (Kind.FAILURE, "notMet") if gate.enforced else (Kind.SKIPPED, "notEnforced")
        ET.SubElement(element, kind.value, {"type": type_, "message": one_line(gate.outcome)})
    return element


def _merged(found: list[Case], run: ItemRun) -> Case:
    """Make one case of all: the most telling decides, its properties carry the evaluator's name."""
    worst = min(found, key=lambda case: TELLING.index((case.kind, case.tolerated)))
    alike = [case for case in found if (case.kind, case.tolerated) == (worst.kind, worst.tolerated)]
    messages = [f"{case.name}: {case.message}" if case.name else case.message for case in alike]
    count = f"{plural(len(alike), 'evaluator')}: " if len(alike) > 1 else ""
    return Case(
        name="",
        kind=worst.kind,
        type=worst.type,
        message="" if worst.kind is Kind.PASSED else count + "; ".join(messages),
        text="\n\n".join(filter(None, (case.text for case in alike))),
        seconds=run.seconds,
        properties=[(f"{case.name}.{key}", value) for case in found for key, value in case.properties],
    )


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))


def _replace(path: Path, tree: ET.ElementTree[ET.Element]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            tree.write(file, encoding="utf-8", xml_declaration=True)
        Path(name).chmod(path.stat().st_mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
