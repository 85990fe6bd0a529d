"""What can be said of a rubric before it has scored anything."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from pytest_agentevals.documents.positions import parse
from pytest_agentevals.documents.problems import pointer as json_pointer
from pytest_agentevals.documents.reading import read
from pytest_agentevals.documents.wording import quoted, relative
from pytest_agentevals.errors import DocumentError
from pytest_agentevals.rubrics import files
from pytest_agentevals.rubrics.definition import Definition
from pytest_agentevals.rubrics.generation import DECIDING, ID
from pytest_agentevals.rubrics.overlap import NEARLY_THE_SAME, OVERLAPPING, content_words, likeness, shared
from pytest_agentevals.rubrics.scoring import enumeration
from pytest_agentevals.rubrics.validation import mistakes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path as FilePath

    from pytest_agentevals.documents.positions import Parsed, Path

Level = Literal["error", "warning"]

#: Dimensions for whatever the others leave out: they cannot be specific.
RESIDUALS = {"general_quality", "general_policy_compliance"}
#: Words that leave to the judge what is meant.
VAGUE = (
    "good", "bad", "nice", "great", "high-quality", "appropriate", "appropriately", "adequate", "adequately", "proper",
    "properly", "suitable", "reasonable", "reasonably", "satisfactory", "acceptable", "effective", "effectively",
    "correct way", "well", "best", "optimal", "relevant", "useful", "as needed", "if necessary", "etc", "and so on",
    "and the like",
)  # fmt: skip
_VAGUE = re.compile(rf"\b({'|'.join(map(re.escape, sorted(VAGUE, key=len, reverse=True)))})\b", re.IGNORECASE)
#: Words with a content that a description needs at least.
FEWEST_WORDS = 3
#: Share of the weights from which one dimension decides alone.
DOMINANT = 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a rubric file: ``place`` is ``file:line:column``, ``pointer`` the JSON pointer in the file."""

    level: Level
    place: str
    pointer: str
    message: str

    def __str__(self) -> str:
        where = f"{self.pointer}: " if self.pointer else ""
        return f"{self.place}: {self.level}: {where}{self.message}"


def check(path: FilePath) -> tuple[Definition | None, list[Finding]]:
    """Return the rubric of a file, None where it is none, and all that is wrong with it, errors first."""
    name = str(relative(path))
    try:
        parsed = parse(read(path))
        place = _Places(name, parsed)
        if parsed.faults:
            return None, [place.at(fault.offset, "error", "", fault.message) for fault in parsed.faults]
        content = files.read(path)
    except (ValueError, DocumentError) as error:
        return None, [Finding("error", name, "", str(error).removeprefix(f"{name}:"))]
    wrong = [place.finding("error", where, message) for where, message in mistakes(content)]
    if wrong:
        return None, wrong
    rubric = Definition.model_validate_json(json.dumps(content))
    found = [place.finding(level, where, message) for level, where, message in _judgments(rubric)]
    return rubric, sorted(found, key=lambda finding: finding.level)


class _Places:
    """Where a rubric's values stand in its file, whatever form that has."""

    def __init__(self, name: str, parsed: Parsed) -> None:
        self._name = name
        self._parsed = parsed
        value = parsed.value
        self._outer: Path = ("definition",) if isinstance(value, dict) and "definition" in value else ()
        self._bare = isinstance(value, list)

    def finding(self, level: Level, path: Path, message: str) -> Finding:
        """Make a finding about a value of the rubric."""
        inner = path[1:] if self._bare and path[:1] == ("dimensions",) else path
        whole = (*self._outer, *inner)
        return self.at(self._parsed.locate(whole), level, json_pointer(whole), message)

    def at(self, offset: int, level: Level, pointer: str, message: str) -> Finding:
        """Make a finding about what stands at an offset of the file."""
        line, column = self._parsed.place(offset)
        return Finding(level, f"{self._name}:{line}:{column}", pointer, message)


def _judgments(rubric: Definition) -> Iterator[tuple[Level, Path, str]]:
    """Yield level, path and sentence of all that should be different."""
    yield from _ids(rubric)
    yield from _wording(rubric)
    yield from _overlaps(rubric)
    if not rubric.boolean:
        yield from _weights(rubric)
    if not any(dimension.always_applicable for dimension in rubric.dimensions):
        message = "no dimension always applies: a response to which none applies gets no verdict"
        yield "warning", ("dimensions",), message
    for warning in rubric.warnings:
        yield "warning", (), warning


def _ids(rubric: Definition) -> Iterator[tuple[Level, Path, str]]:
    spelt: defaultdict[str, list[str]] = defaultdict(list)
    for index, dimension in enumerate(rubric.dimensions):
        spelt["".join(filter(str.isalnum, dimension.id.casefold()))].append(dimension.id)
        if not ID.fullmatch(dimension.id):
            message = f"the id {quoted(dimension.id)} is not in snake_case, such as policy_enforcement"
            yield "warning", ("dimensions", index, "id"), message
    for names in spelt.values():
        if len(names) > 1:
            yield "warning", ("dimensions",), f"the ids {enumeration(names)} differ in spelling only"


def _wording(rubric: Definition) -> Iterator[tuple[Level, Path, str]]:
    for index, dimension in enumerate(rubric.dimensions):
        place: Path = ("dimensions", index, "description")
        if dimension.id in RESIDUALS:
            continue
        words = list(dict.fromkeys(word.lower() for word in _VAGUE.findall(dimension.description)))
        if words:
            named = enumeration([quoted(word) for word in words])
            yield "warning", place, f"what is meant by {named} is left to the judge: name what a response must do"
        if len(content_words(dimension.description)) < FEWEST_WORDS:
            yield "warning", place, "the description is too short to tell one score from another"


def _overlaps(rubric: Definition) -> Iterator[tuple[Level, Path, str]]:
    for (_, first), (index, second) in combinations(enumerate(rubric.dimensions), 2):
        alike = likeness(first.description, second.description)
        if alike < OVERLAPPING:
            continue
        place: Path = ("dimensions", index, "description")
        if alike >= NEARLY_THE_SAME:
            yield "error", place, f"{second.id} says the same as {first.id}: one thing would count twice"
        else:
            words = enumeration(shared(first.description, second.description)[:6])
            yield (
                "warning",
                place,
                f"{second.id} overlaps with {first.id} (both say {words}): one thing may count twice",
            )


def _weights(rubric: Definition) -> Iterator[tuple[Level, Path, str]]:
    weights = [1 if dimension.weight is None else dimension.weight for dimension in rubric.dimensions]
    deciding = [one.id for one in rubric.dimensions if one.weight in DECIDING]
    if rubric.dimensions[0].weight is not None and len(deciding) != 1:
        found = enumeration(deciding) or "none"
        yield "warning", ("dimensions",), f"one dimension should decide, with a weight of 8 to 10; here: {found}"
    for index, weight in enumerate(weights):
        if len(weights) > 2 and weight > DOMINANT * sum(weights):
            message = f"{weight:g} of {sum(weights):g} points: the other dimensions together cannot outweigh it"
            yield "warning", ("dimensions", index, "weight"), message
