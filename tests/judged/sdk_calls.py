"""Run in a process of its own: calls evaluators of azure-ai-evaluation and prints what came.

Standard input: {"base_url": …, "model": …, "calls": [{"evaluator": class, "reasoning": bool, "arguments": {…}}, …]}.
Standard output: a list of the SDK's results.
"""

from __future__ import annotations

import json
import logging
import sys
from functools import cache

logging.disable()

import azure.ai.evaluation as sdk  # noqa: E402 - its import logs what is of no interest here

task = json.load(sys.stdin)


@cache
def evaluator_of(name, reasoning):
    model = {"type": "openai", "base_url": task["base_url"], "api_key": "none", "model": task["model"]}
    return getattr(sdk, name)(model, is_reasoning_model=reasoning)


json.dump(
    [evaluator_of(call["evaluator"], call["reasoning"])(**call["arguments"]) for call in task["calls"]], sys.stdout
)
