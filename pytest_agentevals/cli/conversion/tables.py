"""CSV, TSV and JSON Lines.

JSON Lines carries values as they are. In the cells of the tables that we write ourselves, texts stand as they are;
other values, empty texts and texts that could be taken for something else are JSON. An apostrophe keeps spreadsheets
from running a cell that begins like a formula. Cells of other tables are texts, and an empty cell is no value.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from pytest_agentevals.cli.conversion.rows import DOCUMENT, columns
from pytest_agentevals.documents.models import Item, Thread
from pytest_agentevals.documents.positions import parse
from pytest_agentevals.documents.wording import shown
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DELIMITERS = {"csv": ",", "tsv": "\t"}
#: What begins a formula in a spreadsheet, perhaps behind apostrophes of an earlier conversion.
FORMULA = re.compile(r"'*[=+\-@\t\r]")
#: Columns that hold JSON, also in tables of others.
STRUCTURED = {
    "turns",
    "evaluators",
    "citations",
    "diagnostics",
    "scores",
    "tags",
    "extensions",
    "allowed_tools",
    "error",
    "summary",
}
PLAIN = {*Item.model_fields, *Thread.model_fields} - STRUCTURED


def read_lines(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON Lines; raises `DocumentError` with the number of a line that has none."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        parsed = parse(line)
        if parsed.faults:
            raise DocumentError(f"line {number}: {parsed.faults[0].message}")
        if not isinstance(parsed.value, dict):
            raise DocumentError(f"line {number} has to be an object, not {shown(parsed.value)}")
        yield parsed.value


def write_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_table(text: str, delimiter: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table by the names in its first line; raises `DocumentError` for a broken one."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, restkey="")
    try:
        names = reader.fieldnames or ()
        if len(set(names)) < len(names):
            raise DocumentError("two columns of the table have the same name")
        ours = DOCUMENT in names
        for row in reader:
            if "" in row and "" not in names:
                raise DocumentError(f"line {reader.line_num} has more cells than the first line has names")
            cells = {name: cell for name, cell in row.items() if cell}
            yield {name: _own(name, cell) if ours else _foreign(name, cell) for name, cell in cells.items()}
    except csv.Error as error:
        raise DocumentError(f"the table cannot be read after line {reader.line_num}: {error}") from None


def write_table(rows: Sequence[Mapping[str, Any]], delimiter: str) -> str:
    """Write a table with a first line of names."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns(rows), delimiter=delimiter)
    writer.writeheader()
    writer.writerows({name: _cell(name, value) for name, value in row.items()} for row in rows)
    return file.getvalue()


def _cell(name: str, value: Any) -> str:
    plain = name in PLAIN and isinstance(value, str) and value not in {"", "null"} and not value.startswith('"')
    text = value if plain else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if FORMULA.match(text) else text


def _own(name: str, cell: str) -> Any:
    text = cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
    if name in PLAIN and text != "null" and not text.startswith('"'):
        return text
    try:
        return json.loads(text)
    except ValueError:
        # Somebody has edited the table.
        return text


def _foreign(name: str, cell: str) -> Any:
    if name not in STRUCTURED:
        return cell
    try:
        return json.loads(cell)
    except ValueError:
        return [tag.strip() for tag in re.split("[,;]", cell)] if name == "tags" else cell
