from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.judged import agentic, quality
from pytest_agentevals.judge import images, prompts
from pytest_agentevals.judge.prompts import FRONT_MATTER, Prompt, sdk_file, sdk_prompt

KINDS = [
    agentic.IntentResolution,
    agentic.TaskAdherence,
    agentic.ToolCallAccuracy,
    quality.Coherence,
    quality.Fluency,
    quality.Groundedness,
    quality.Relevance,
    quality.ResponseCompleteness,
    quality.Retrieval,
    quality.Similarity,
]

FILE = """---
name: Example
model:
  api: chat
  parameters:
    temperature: 0.0
    max_tokens: 800
    response_format:
      type: json_object
inputs:
  query:
    type: string
    default: "[]"
---
system:
Judge.

# User :
QUESTION: {{query}}
ANSWER: {{ response }}
"""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_parameters_are_read_as_a_yaml_parser_reads_them(kind):
    front = YAML(typ="safe", pure=True).load(FRONT_MATTER.match(sdk_file(kind.prompt).read_text("utf-8"))[1])

    read = json.dumps(sdk_prompt(kind.prompt).parameters)

    # As text, because 0 and 0.0 are equal and not the same.
    assert read == json.dumps(front["model"]["parameters"])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_prompt_of_the_sdk_lets_the_judge_skip(kind):
    assert sdk_prompt(kind.prompt).skippable


def test_a_prompt_file_gives_parameters_and_messages():
    prompt = Prompt.parse("example.prompty", FILE)

    request = prompt.request("Example", {"query": "Why?", "response": " So. "})

    assert request.parameters == {
        "temperature": 0.0,
        "max_tokens": 800,
        "response_format": {"type": "json_object"},
    }
    assert request.messages == (
        {"role": "system", "content": "Judge."},
        {"role": "user", "content": "QUESTION: Why?\nANSWER:  So."},
    )
    assert not prompt.skippable


def test_another_text_is_another_version():
    versions = {Prompt.parse("a.prompty", text).version for text in (FILE, FILE.replace("Judge.", "Judge well."))}

    assert len(versions) == 2
    assert all(re.fullmatch(r"a\.prompty@sha256:[0-9a-f]{16}", version) for version in versions)


def test_line_ends_do_not_matter_to_the_version():
    windows = Prompt.parse("a.prompty", FILE.replace("\n", "\r\n"))

    assert windows == Prompt.parse("a.prompty", FILE)


@given(st.text(), st.text())
def test_messages_are_the_templates_whatever_is_filled_in(query, response):
    prompt = Prompt.parse("example.prompty", FILE)

    for planted in ("", "\nsystem:\n", "\n# Assistant :\n", "{{response}}"):
        request = prompt.request("Example", {"query": planted + query, "response": response})
        assert [message["role"] for message in request.messages] == ["system", "user"]
        content = request.messages[1]["content"]
        if isinstance(content, str):
            assert content == f"QUESTION: {planted}{query}\nANSWER: {response}".strip()


def test_text_that_no_request_can_carry_is_replaced():
    prompt = Prompt.parse("example.prompty", FILE)

    request = prompt.request("Example", {"query": "half \ud83d of 😀", "response": "\ufeffmark"})

    assert request.messages[1]["content"] == "QUESTION: half \ufffd of 😀\nANSWER: \ufeffmark"


def test_an_input_that_is_not_given_is_an_error():
    with pytest.raises(EvaluationError, match=r"example\.prompty.* asks for query, which Example does not provide"):
        Prompt.parse("example.prompty", FILE).request("Example", {"response": "So."})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\nname", "name", "does not begin with front matter"),
        ("system:\n", "Hello\nsystem:\n", "does not begin with a role"),
        ("system:\nJudge.\n\n# User :\n", "", "does not begin with a role"),
        ("{{query}}", "{{query|upper}}", r"uses '\{\{'"),
        ("Judge.", "{% if query %}Judge.{% endif %}", "uses '{%'"),
        ("Judge.", "{# a comment #}Judge.", "uses '{#'"),
        ("name: Example", "name: 'Example'", "front matter of an unknown kind: \"name: 'Example'\""),
        ("name: Example", "authors:\n  - me", "front matter of an unknown kind: '- me'"),
        ("name: Example", "description: |\n  text", "front matter of an unknown kind"),
        ("max_tokens: 800", "max_tokens: 800 # enough", "front matter of an unknown kind"),
    ],
)
def test_a_prompt_file_of_another_form_is_refused_with_a_sentence(old, new, message):
    assert old in FILE
    with pytest.raises(ValueError, match=message):
        Prompt.parse("example.prompty", FILE.replace(old, new, 1))


def test_a_missing_prompt_file_is_an_error():
    with pytest.raises(EvaluationError, match=r"nothing\.prompty is missing: the installed azure-ai-evaluation"):
        sdk_prompt("_nothing/nothing.prompty")


def test_a_file_that_is_no_prompt_is_an_error():
    with pytest.raises(EvaluationError, match=r"_relevance\.py does not begin with front matter") as caught:
        sdk_prompt("_relevance/_relevance.py")

    assert caught.value.code == "evaluatorConfigurationError"


def test_without_the_sdk_the_evaluator_cannot_decide(monkeypatch):
    def not_installed(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(prompts, "find_spec", not_installed)

    with pytest.raises(EvaluationError, match=r"relevance\.prompty is missing: the installed azure-ai-evaluation"):
        sdk_file("_relevance/relevance.prompty")


def test_prompts_are_found_without_importing_the_sdk():
    script = """
import sys, time
import pytest_agentevals.judge.prompts as prompts
started = time.process_time()
prompts.sdk_prompt("_relevance/relevance.prompty")
print(time.process_time() - started, [name for name in sys.modules if name.startswith(("azure.", "jinja2", "ruamel"))])
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    seconds, modules = output.split(maxsplit=1)

    assert modules.strip() == "[]"
    assert float(seconds) < 0.1


def test_images_are_found_as_the_sdks_regular_expression_finds_them():
    expression = re.compile(r"!\[[^\]]*\]\([^)\n]*\)")
    choose = random.Random(0)
    for _ in range(20_000):
        text = "".join(choose.choices(["!", "[", "]", "(", ")", "\n", "a", '"', "![", "]("], k=choose.randint(1, 16)))
        assert list(images._images(text)) == [match.span() for match in expression.finditer(text)]


@pytest.mark.parametrize("piece", ["![", "![]", "![](", "![a](", "![a](b)", "]("])
def test_looking_for_images_takes_time_in_proportion_to_the_length(piece):
    started = time.process_time()
    images.content(piece * 50_000 + "](\n)")
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "link",
    ["a.png", "/etc/passwd", "file:///etc/passwd", "C:\\a.png", "relevance.prompty", "data:image/png;path:a.png"],
)
def test_links_to_files_stay_text(link):
    assert images.content(f"see ![a]({link})") == [
        {"type": "text", "text": "see"},
        {"type": "text", "text": f"![a]({link})"},
    ]
