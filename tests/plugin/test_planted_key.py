"""A key that grants access to the judge appears nowhere, however the judge answers and whatever else goes wrong."""

from __future__ import annotations

import json

import pytest
from sample_items import item

from pytest_agentevals.testing import Reply, ScriptedServer

KEY = "sk-planted-key-0123456789"

ANSWERS = {
    "a score": {"reason": "Good.", "score": 5},
    "a score of a judge that repeats the key": {"reason": f"Your key is {KEY}.", "score": 1},
    "401": Reply(status=401, body=json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()),
    "400 with a page": Reply(status=400, body=f"<html>{KEY}</html>".encode()),
    "no completion": Reply(body=f'{{"key": "{KEY}"}}'.encode()),
    "no judgment": f"I will not say {KEY}",
}
CONFTEST = """
import os
import pytest

@pytest.fixture
def model_config():
    return {"model": "m", "base_url": os.environ["JUDGE"], "api_key": os.environ["JUDGE_KEY"]}
"""
RAISES = """
class tone:
    def __init__(self, threshold, model_config, options=None):
        self.model_config = model_config

    def __call__(self, **fields):
        model_config = self.model_config
        raise ValueError(f"broken with {model_config!r}")
"""
PROMPTY = "---\nmodel:\n  api: chat\n---\nsystem:\nHow good is {{response}}?\n"


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_no_output_and_no_file_has_the_key(pytester, run, write, monkeypatch, answer):
    pytester.makeconftest(CONFTEST)
    folder = pytester.path / "custom-evaluators/tone"
    folder.mkdir(parents=True)
    (folder / "tone.py").write_text(RAISES)
    (folder / "tone.prompty").write_text(PROMPTY)
    write(item("judged", evaluators={"Relevance": {}, "tone": {}}))
    with ScriptedServer(lambda _: answer) as server:
        monkeypatch.setenv("JUDGE", server.base_url)
        monkeypatch.setenv("JUDGE_KEY", KEY)
        reports = ("--junitxml=out.xml", "--evals-report=out.json", "--evals-report=out.html")
        result = run("--evals-judge=record", *reports, "-vv", "-rA", "--log-level=DEBUG", "--showlocals")
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"

    written = {path: path.read_bytes() for path in pytester.path.rglob("*") if path.is_file()}
    assert {"out.xml", "out.json", "out.html"} <= {path.name for path in written}
    assert KEY not in result.stdout.str() + result.stderr.str()
    assert [path for path, content in written.items() if KEY.encode() in content] == []


def test_a_test_that_fails_with_the_configuration_at_hand_shows_no_key(pytester, run, monkeypatch):
    monkeypatch.setenv("OPENAI_MODEL", "m")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    pytester.makepyfile("def test_it(model_config):\n    config = model_config\n    assert config is None, config")
    result = run("--showlocals", "-vv", "--setup-show")

    result.assert_outcomes(failed=1)
    assert KEY not in result.stdout.str()


def test_a_wrong_key_stops_the_questions_and_is_explained_once(run, write, monkeypatch):
    write(*(item(f"n{number}", evaluators={"Relevance": {}}) for number in range(50)))
    with ScriptedServer(lambda _: ANSWERS["401"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_MODEL", "m")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        result = run("-q")

    text = result.stdout.str()
    assert len(server.requests) <= 5
    assert result.stdout.lines[-1] == "evals: nothing was evaluated, 50 could not be evaluated"
    assert text.count("Incorrect API key provided") <= 6
    result.stdout.fnmatch_lines(["evals: 4? judgments not asked for, *judgeAuthenticationError: *Incorrect API key*"])
