"""Small items of eval documents, for tests of the plugin."""

from __future__ import annotations


def item(name, response="yes", expected="yes", evaluators=None, **rest):
    """One item that passes unless told otherwise."""
    return {
        "prompt": f"Is {name} right?",
        "extensions": {"id": name},
        "expected_response": expected,
        "evaluators": {"ExactMatch": {}} if evaluators is None else evaluators,
        "evaluators_mode": "replace",
        **({} if response is None else {"response": response}),
        **rest,
    }


GOOD = item("good")
BAD = item("bad", response="no")
UNDECIDED = item("undecided", expected=None)
del UNDECIDED["expected_response"]
