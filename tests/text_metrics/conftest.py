from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nltk
import pytest
from text_metrics import nltk_data
from text_metrics.pairs import NOT_ASCII, pairs

from pytest_agentevals.evaluators.text_metrics import sentences, wordnet

TESTS = Path(__file__).parent.parent


@pytest.fixture(scope="package", autouse=True)
def _no_nltk_data():
    """Hide NLTK data of whoever runs the tests: what is embedded must do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.data, "path", [])
        sentences.english.cache_clear()
        wordnet._load.cache_clear()
        yield
    sentences.english.cache_clear()
    wordnet._load.cache_clear()


@pytest.fixture(scope="session")
def debian_wordnet():
    """The folder of Debian's WordNet, from which the embedded one is made."""
    if not nltk_data.WORDNET.is_dir():
        message = f"Debian's package wordnet-base is not installed ({nltk_data.WORDNET})"
        if os.environ.get("CI"):
            pytest.fail(f"{message}, and this test does not skip in CI")
        pytest.skip(message)
    return nltk_data.WORDNET


@pytest.fixture(scope="session")
def full_nltk_data(debian_wordnet, tmp_path_factory):
    """A folder with all the NLTK data that the SDK uses."""
    folder = tmp_path_factory.mktemp("nltk_data")
    nltk_data.build(folder)
    return folder


@pytest.fixture(scope="session")
def ascii_pairs():
    return pairs(2_050)


@pytest.fixture(scope="session")
def references(full_nltk_data, ascii_pairs):
    """What the SDK, and NLTK with its full data, say about every ASCII pair, and after them about the others."""
    return run("reference_scores", ascii_pairs + NOT_ASCII, full_nltk_data)


@pytest.fixture(scope="session")
def with_nltk_data(full_nltk_data, ascii_pairs):
    """Our details with NLTK's full data, for the first ASCII pairs, and after them for the others."""
    return run("our_scores", ascii_pairs[:150] + NOT_ASCII, full_nltk_data)


def run(module, value, folder):
    """Run a module of these tests in a process of its own, with NLTK data in ``folder``."""
    done = subprocess.run(
        [sys.executable, "-m", f"text_metrics.{module}"],
        input=json.dumps(value),
        cwd=TESTS,
        env=os.environ | {"NLTK_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
