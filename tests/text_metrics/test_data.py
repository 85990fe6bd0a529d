"""What is embedded is what NLTK would have downloaded, small, licensed and never downloaded."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest
from text_metrics.pairs import SEED_PAIR
from text_metrics.scoring import score

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators import text_metrics
from pytest_agentevals.evaluators.text_metrics.bleu import BleuScore
from pytest_agentevals.evaluators.text_metrics.meteor import MeteorScore
from pytest_agentevals.evaluators.text_metrics.sentences import english
from pytest_agentevals.evaluators.text_metrics.wordnet import EmbeddedWordNet

DATA = files(text_metrics) / "data"
ROOT = Path(__file__).parents[2]


def regenerated(script, target):
    subprocess.run([sys.executable, ROOT / "scripts" / script, "--target", target], check=True)
    return gzip.decompress(target.read_bytes())


def test_the_embedded_wordnet_is_what_its_script_makes_of_debians(debian_wordnet, tmp_path):
    stored = gzip.decompress((DATA / "wordnet.gz").read_bytes())
    assert regenerated("generate-wordnet", tmp_path / "wordnet.gz") == stored


def test_the_embedded_sentence_data_is_what_its_script_makes(tmp_path):
    stored = gzip.decompress((DATA / "punkt-english.json.gz").read_bytes())
    assert regenerated("generate-punkt", tmp_path / "punkt.gz") == stored


@pytest.mark.parametrize(("name", "largest"), [("wordnet.gz", 3_000_000), ("punkt-english.json.gz", 100_000)])
def test_the_embedded_data_is_small(name, largest):
    assert 0 < len((DATA / name).read_bytes()) <= largest


@pytest.mark.parametrize(("name", "owner"), [("wordnet", "Princeton University"), ("punkt-english", "Apache License")])
def test_a_licence_lies_beside_the_embedded_data(name, owner):
    assert owner in (DATA / f"{name}.LICENSE").read_text(encoding="utf-8")


def test_the_embedded_wordnet_loads_in_under_150_ms():
    # Of processor time, because other tests run at the same time.
    start = time.process_time()
    for _ in range(5):
        EmbeddedWordNet()
    assert (time.process_time() - start) / 5 < 0.150


def test_abbreviations_and_numbers_do_not_end_an_english_sentence():
    text = "Dr. Smith of the U.S. Navy left on Jan. 5 at 3.15 p.m. with J. R. Brown. He came back."
    assert english().split(text) == [text.removesuffix(" He came back."), "He came back."]


@pytest.mark.parametrize(
    ("word", "some"),
    [
        ("car", {"auto", "automobile", "machine"}),
        ("bought", {"buy", "purchase"}),
        ("better", {"good", "well", "bettor"}),
        ("geese", {"goose"}),
        ("ice_cream", {"icecream"}),
    ],
)
def test_the_embedded_wordnet_knows_synonyms_and_irregular_forms(word, some):
    names = {lemma.name() for synset in EmbeddedWordNet().synsets(word) for lemma in synset.lemmas()}
    assert some <= names


def test_a_word_that_wordnet_does_not_know_has_no_synonyms():
    assert EmbeddedWordNet().synsets("qwertyuiop") == []


def test_nist_without_its_data_is_an_error_that_says_what_to_install():
    with pytest.raises(
        EvaluationError, match='"perluniprops", which is not installed: install it with "python -m nltk'
    ):
        score(BleuScore(tokenizer="nist"), "São Paulo", "São Paulo")


def test_nist_needs_no_data_for_ascii_text():
    assert score(MeteorScore(tokenizer="nist"), *SEED_PAIR).score == score(MeteorScore(), *SEED_PAIR).score


SCORE_ALL = """
import sys
from pathlib import Path
sys.addaudithook(lambda event, _: sys.exit(event) if event in {"socket.connect", "socket.getaddrinfo"} else None)
from pytest_agentevals.evaluators.catalog import Catalog
from pytest_agentevals.evaluators.place import Place
from text_metrics.pairs import SEED_PAIR
from text_metrics.scoring import score
make = Catalog(Place(Path(), Path())).make
made = [make(name, {}) for name in ("F1Score", "BleuScore", "GleuScore", "RougeScore", "MeteorScore")]
assert not {"nltk", "regex", "azure.ai.evaluation"} & sys.modules.keys()
print(*(score(metric, *SEED_PAIR).outcome.value for metric in made))
assert "azure.ai.evaluation" not in sys.modules
"""


def test_all_metrics_work_without_data_and_network_and_import_nltk_only_when_used(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCORE_ALL],
        cwd=ROOT / "tests",
        env=os.environ | {"HOME": str(tmp_path), "NLTK_DATA": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("pass fail fail fail pass\n", "")
