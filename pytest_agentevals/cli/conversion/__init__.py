"""Datasets of other tools as eval documents, and eval documents as tables."""

from __future__ import annotations
