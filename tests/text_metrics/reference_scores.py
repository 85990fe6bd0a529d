"""Scores of azure-ai-evaluation and of NLTK, both with NLTK's full data, for pairs of texts.

Run in a process of its own with NLTK_DATA set: reads a JSON list of [response, expected] from standard input and writes
a JSON list of {name: score} to standard output.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import cache

import nltk
from azure.ai.evaluation import (
    BleuScoreEvaluator,
    F1ScoreEvaluator,
    GleuScoreEvaluator,
    MeteorScoreEvaluator,
    RougeScoreEvaluator,
    RougeType,
)
from azure.ai.evaluation._common import utils
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.gleu_score import sentence_gleu
from nltk.translate.meteor_score import meteor_score

# The SDK looks for its data four times per text; here it lies there.
utils.ensure_nltk_data_downloaded = lambda: None

# Every evaluator breaks the same texts into words.
tokens = cache(nltk.word_tokenize)
nltk.word_tokenize = lambda text: list(tokens(text))

OTHER = {"alpha": 0.5, "beta": 2.0, "gamma": 0.3}
SDK = {
    "f1": (F1ScoreEvaluator(), "f1_score"),
    "bleu": (BleuScoreEvaluator(), "bleu_score"),
    "gleu": (GleuScoreEvaluator(), "gleu_score"),
    "meteor": (MeteorScoreEvaluator(), "meteor_score"),
}
SDK_ROUGE = {kind.value: RougeScoreEvaluator(rouge_type=kind) for kind in RougeType}


async def sdk(response: str, expected: str) -> dict[str, float]:
    # All in one event loop: called as functions, they make a thread and a loop each time.
    texts = {"response": response, "ground_truth": expected}
    scores = {f"sdk {name}": (await evaluator._to_async()(**texts))[key] for name, (evaluator, key) in SDK.items()}
    for kind, evaluator in SDK_ROUGE.items():
        rouge = await evaluator._to_async()(**texts)
        for part in ("precision", "recall", "f1_score"):
            scores[f"sdk {kind} {part}"] = (rouge | rouge.get("rouge_properties", {}))[f"rouge_{part}"]
    return scores


def bare(response: str, expected: str) -> dict[str, float]:
    given, wanted = nltk.word_tokenize(response), nltk.word_tokenize(expected)
    return {
        "nltk bleu": sentence_bleu([wanted], given, smoothing_function=SmoothingFunction().method4),
        "nltk gleu": sentence_gleu([wanted], given),
        "nltk meteor": meteor_score([wanted], given),
        "nltk meteor, other weights": meteor_score([wanted], given, **OTHER),
    }


async def scores(pairs: list[list[str]]) -> list[dict[str, float]]:
    return [await sdk(*pair) | bare(*pair) for pair in pairs]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(scores(json.load(sys.stdin)))))
