"""The reference pages of the documentation: a module for each, with a function ``page`` that writes it."""

from __future__ import annotations
