"""Whom to ask: agent clients, and the mapping of what they return to `AgentResponse`."""

from __future__ import annotations
