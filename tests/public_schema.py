"""The public schema of eval documents: every results document that tests make is held against it."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("AGENTEVALS_CONFORMANCE", Path(__file__).parents[2] / "shared" / "conformance"))
PUBLIC = ROOT / "public-schema"

needs_public_schema = pytest.mark.skipif(not PUBLIC.is_dir(), reason=f"the public schema is not in {PUBLIC}")


@cache
def _validator():
    from jsonschema import Draft202012Validator

    schema = json.loads((PUBLIC / "eval-document.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def read_results(path):
    """Read a results document, after it was held against the public schema where that is at hand."""
    return checked(path.read_text(encoding="utf-8"))


def checked(text):
    """Return what a JSON text says, held against the public schema where that is at hand."""
    document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    if PUBLIC.is_dir():
        wrong = [
            f"{'/'.join(map(str, inner.absolute_path))}: {inner.message[:300]}"
            for error in _validator().iter_errors(document)
            for inner in (error.context or [error])
        ]
        assert wrong == []
    return document
