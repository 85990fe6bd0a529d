"""What a text metric costs per call, as a ratio to azure-ai-evaluation's evaluator of the same metric in one process.

Run ``python benchmarks/text_metrics.py [--rounds N]`` in an environment with the test dependencies and Debian's
package wordnet-base, from which the SDK gets the data that it would download. Ours use what is embedded. Target: at
most the SDK's own time. Every figure is the median of the rounds; the two sides take turns.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import nltk
from azure.ai import evaluation as sdk

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "text_metrics"))

import nltk_data
from pairs import pairs
from scoring import score

from pytest_agentevals.evaluators.text_metrics.bleu import BleuScore
from pytest_agentevals.evaluators.text_metrics.f1 import F1Score
from pytest_agentevals.evaluators.text_metrics.gleu import GleuScore
from pytest_agentevals.evaluators.text_metrics.meteor import MeteorScore
from pytest_agentevals.evaluators.text_metrics.rouge import RougeScore
from pytest_agentevals.evaluators.text_metrics.sentences import english
from pytest_agentevals.evaluators.text_metrics.wordnet import EmbeddedWordNet, wordnet

if TYPE_CHECKING:
    from collections.abc import Callable

METRICS = {
    F1Score(): sdk.F1ScoreEvaluator,
    BleuScore(): sdk.BleuScoreEvaluator,
    GleuScore(): sdk.GleuScoreEvaluator,
    RougeScore(): partial(sdk.RougeScoreEvaluator, rouge_type=sdk.RougeType.ROUGE_L),
    MeteorScore(): sdk.MeteorScoreEvaluator,
}


def milliseconds(call: Callable[[str, str], object], texts: list[tuple[str, str]]) -> float:
    start = time.perf_counter()
    for response, expected in texts:
        call(response, expected)
    return (time.perf_counter() - start) * 1000 / len(texts)


def compare(rounds: int) -> None:
    texts = pairs(150)
    print(f"{'ms per call':16}{'ours':>8}{'SDK':>8}{'ratio':>8}")
    for metric, make in METRICS.items():
        evaluator = make()
        sides = (
            lambda response, expected, metric=metric: score(metric, response, expected),
            lambda response, expected, evaluator=evaluator: evaluator(response=response, ground_truth=expected),
        )
        for side in sides:  # The first call loads what is loaded once.
            side(*texts[0])
        times = [[milliseconds(side, texts) for side in sides] for _ in range(rounds)]
        ours, theirs = map(statistics.median, zip(*times, strict=True))
        print(f"{type(metric).__name__:16}{ours:8.2f}{theirs:8.2f}{ours / theirs:8.2f}")


def load() -> None:
    times = []
    for _ in range(9):
        start = time.perf_counter()
        EmbeddedWordNet()
        times.append((time.perf_counter() - start) * 1000)
    print(f"loading the embedded WordNet: {statistics.median(times):.0f} ms (target: below 150)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    logging.disable()
    nltk.data.path.clear()
    english(), wordnet()  # Both remember that there is no NLTK data, which the SDK gets next.
    load()
    with tempfile.TemporaryDirectory() as folder:
        nltk_data.build(Path(folder))
        nltk.data.path.append(folder)
        compare(options.rounds)


if __name__ == "__main__":
    main()
