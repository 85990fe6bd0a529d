"""The help desk of Larkspur Outdoor, a shop that does not exist: a small agent in plain Python."""

from __future__ import annotations
