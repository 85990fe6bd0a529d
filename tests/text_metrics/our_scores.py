"""Our verdicts on pairs of texts, for a process of its own with NLTK_DATA set.

Reads a JSON list of [response, expected] from standard input and writes a JSON list of {metric: details} to standard
output.
"""

from __future__ import annotations

import json
import sys

from text_metrics.scoring import score

from pytest_agentevals.evaluators.text_metrics.bleu import BleuScore
from pytest_agentevals.evaluators.text_metrics.gleu import GleuScore
from pytest_agentevals.evaluators.text_metrics.meteor import MeteorScore

METRICS = {
    "bleu": BleuScore(tokenizer="nist"),
    "gleu": GleuScore(tokenizer="nist"),
    "meteor": MeteorScore(tokenizer="nist"),
}

if __name__ == "__main__":
    print(
        json.dumps(
            [{name: score(metric, *pair).details for name, metric in METRICS.items()} for pair in json.load(sys.stdin)]
        )
    )
