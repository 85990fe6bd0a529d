"""Evaluators that ask a judge with the prompts of azure-ai-evaluation."""

from __future__ import annotations
