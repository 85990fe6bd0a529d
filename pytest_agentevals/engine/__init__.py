"""The evaluation itself: ask the agent, run the evaluators, return values. Knows nothing of pytest."""

from __future__ import annotations
