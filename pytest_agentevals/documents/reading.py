"""From the bytes of a file to its text: encodings, and what cannot be decoded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_agentevals.documents.problems import InvalidDocument, Problem
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path) -> str:
    """Read a JSON file in UTF-8, UTF-16 or UTF-32, with or without a byte order mark; raises `DocumentError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{relative(path)}: cannot be read: {error.strerror or error}") from None
    if not data.strip():
        raise InvalidDocument(path, [Problem(1, 1, "", "the file is empty")])
    # Without "-sig", with which the positions of errors would not count the byte order mark.
    encoding = json.detect_encoding(data).removesuffix("-sig")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace").removeprefix("\ufeff")
        found = f"byte 0x{data[error.start]:02x}" if error.start < len(data) else "the end"
        problem = Problem(
            before.count("\n") + 1,
            len(before) - before.rfind("\n"),
            "",
            f"not valid {encoding.upper()}: {found} at position {error.start} ({error.reason})",
        )
        raise InvalidDocument(path, [problem]) from None
