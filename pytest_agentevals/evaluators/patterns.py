"""Regular expressions of documents: compiled with readable errors, searched without the risk of never ending.

The standard library cannot stop a search that has started, and some patterns need time exponential in the length of
the text. A pattern that may be one of them (a repeated group, or more than two repetitions) is therefore searched in a
process of its own, which is ended after `DEADLINE`; it costs a few hundredths of a second. The others take time at most
cubic in the length of the text and are searched directly. Possessive quantifiers and atomic groups (``a++``,
``(?>…)``) make a pattern fast.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.wording import quoted

#: Seconds that the search for a risky pattern may take.
DEADLINE = 5.0

_REPEATED_GROUP = re.compile(r"\)[*+{]")
_REPETITION = re.compile(r"[*+}]")
_SEARCH = """
import json, re, sys, warnings
warnings.simplefilter("ignore")
pattern, flags, text = json.load(sys.stdin)
found = re.search(pattern, text, flags)
print(json.dumps(found and found.span()))
"""


def compiled(pattern: str, *, case_sensitive: bool) -> re.Pattern[str]:
    """Compile a pattern; raises `ValueError` with the place of the mistake."""
    try:
        # Warnings are about future meanings of patterns, and a run that turns them into errors must not stop here.
        with warnings.catch_warnings(action="ignore"):
            return re.compile(pattern, re.NOFLAG if case_sensitive else re.IGNORECASE)
    except (re.error, OverflowError) as error:
        raise ValueError(f"{quoted(pattern)} is no regular expression: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{quoted(pattern)} is nested too deeply") from error


def search(pattern: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Return start and end of the first match in a text, None without one.

    Raises `EvaluationError` where a risky pattern has not decided within `DEADLINE` seconds.
    """
    if not risky(pattern.pattern):
        found = pattern.search(text)
        return found.span() if found else None
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter and a constant program
            [sys.executable, "-I", "-S", "-c", _SEARCH],
            input=json.dumps([pattern.pattern, pattern.flags, text]),
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise EvaluationError(
            f"searching for {quoted(pattern.pattern)} took more than {DEADLINE:g} s: its repetitions can match the "
            "same text in too many ways"
        ) from error
    span = json.loads(done.stdout)
    return tuple(span) if span else None


def risky(pattern: str) -> bool:
    """Tell whether searching for a pattern may take very long; errs on the side of caution."""
    return bool(_REPEATED_GROUP.search(pattern)) or len(_REPETITION.findall(pattern)) > 2
