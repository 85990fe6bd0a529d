"""The evaluators, one family per module; `pytest_agentevals.evaluators.catalog` finds them by name."""

from __future__ import annotations
