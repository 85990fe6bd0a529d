"""Evaluators of the user's own project: ``custom-evaluators/<name>/<name>.py``, with or without a ``.prompty`` file."""

from __future__ import annotations
