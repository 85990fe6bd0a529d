"""What a scripted judge answers to rubrics."""

from __future__ import annotations

import json


def answer(scores, summary=""):
    """Write the judge's answer; scores by dimension id."""
    entries = {name: {"reason": f"Evidence for {name}.", "score": score} for name, score in scores.items()}
    return json.dumps({"dimensions": entries, "summary": summary})


def dimensions(**weights):
    """Make the dimensions of a rubric from their weights."""
    return [{"id": name, "description": f"Measures {name}.", "weight": weight} for name, weight in weights.items()]
