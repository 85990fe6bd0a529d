"""Eval documents: finding them, reading them with positions, and saying precisely what is wrong with them."""

from __future__ import annotations
