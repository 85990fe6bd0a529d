"""Custom evaluators with a prompt file, which is put to the configured judge."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import time
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.base import Exchange
from pytest_agentevals.evaluators.custom.prompty import Prompty
from pytest_agentevals.responses import AgentResponse
from pytest_agentevals.testing import Reply, scripted_judge

#: A wrapper as the format's public documentation tells users to write it.
TONE = """
    import json
    import os

    from promptflow.client import load_flow


    class Tone:
        def __init__(self, *, model_config, threshold, options=None):
            configuration = dict(model_config)
            configuration.setdefault("type", "azure_openai" if "azure_endpoint" in configuration else "openai")
            path = os.path.join(os.path.dirname(__file__), "tone.prompty")
            self.flow = load_flow(source=path, model={"configuration": configuration})

        def __call__(self, *, prompt="", response="", **_):
            raw = self.flow(user_prompt=prompt, response=response)
            if isinstance(raw, str):
                raw = json.loads(raw)
            return {"score": raw["score"], "reason": raw.get("reason", "")}
"""

PROMPTY = """\
    ---
    name: tone
    description: |
      Scores the tone of a response.
    model:
      api: chat
      parameters:
        temperature: 0.0
        max_tokens: 400
        response_format:
          type: json_object
    inputs:
      user_prompt:
        type: string
      response:
        type: string
    ---
    system:
    Score the tone from 1 to 5.

    user:
    # Prompt
    {{user_prompt}}

    # Response
    {{response}}
"""

GOOD = {"score": 4, "reason": "Courteous."}


def test_a_wrapper_written_as_documented_asks_the_configured_judge(custom, evaluate, catalog):
    custom("tone", TONE, PROMPTY)
    judge = scripted_judge({"": GOOD})

    verdict = evaluate("tone", {"threshold": 4}, judge=judge)

    assert (verdict.outcome, verdict.score, verdict.threshold, verdict.scale) == ("pass", 4, 4, (1, 5))
    assert verdict.reason == "Courteous."
    assert verdict.usage.model == "scripted"
    assert catalog.make("tone", {}).judged
    assert judge.model.requests == [
        {
            "model": "scripted",
            "messages": [
                {"role": "system", "content": "Score the tone from 1 to 5."},
                {"role": "user", "content": "# Prompt\nWhere is the form?\n\n# Response\nOn the portal."},
            ],
            "temperature": 0.0,
            "max_tokens": 400,
            "response_format": {"type": "json_object"},
        }
    ]


def test_promptflow_need_not_be_installed(custom, evaluate):
    assert importlib.util.find_spec("promptflow") is None

    custom(
        "tone",
        TONE.replace("from promptflow.client import load_flow", "import promptflow.client").replace(
            "= load_flow(", "= promptflow.client.load_flow("
        ),
        PROMPTY,
    )

    assert evaluate("tone", judge=scripted_judge({"": GOOD})).outcome == "pass"


def test_the_default_threshold_is_3(custom, evaluate, catalog):
    custom("tone", TONE, PROMPTY)

    assert evaluate("tone", judge=scripted_judge({"": {"score": 3}})).outcome == "pass"
    assert evaluate("tone", judge=scripted_judge({"": {"score": 2}})).outcome == "fail"
    for threshold in (0, 6, True, "3"):
        with pytest.raises(ValidationError):
            catalog.make("tone", {"threshold": threshold})


@pytest.mark.parametrize(
    ("score", "shown"), [(0, "0"), (6, "6"), (3.5, "3.5"), ("4", "'4'"), (True, "True"), (None, "None")]
)
def test_scores_of_judged_evaluators_are_whole_numbers_from_1_to_5(custom, evaluate, score, shown):
    custom("tone", TONE, PROMPTY)

    with pytest.raises(EvaluationError, match=f"the score {shown}; it has to be a whole number from 1 to 5") as caught:
        evaluate("tone", judge=scripted_judge({"": {"score": score}}))

    assert caught.value.code == "invalidEvaluatorResult"


def test_a_whole_float_is_a_whole_number(custom, evaluate):
    custom("tone", TONE, PROMPTY)

    verdict = evaluate("tone", judge=scripted_judge({"": {"score": 4.0}}))

    assert verdict.score == 4
    assert isinstance(verdict.score, int)


def test_an_answer_that_is_no_json_is_asked_for_once_more(custom, evaluate):
    custom("tone", TONE, PROMPTY)
    judge = scripted_judge({"": ["I think it is fine.", GOOD]})

    assert evaluate("tone", judge=judge).usage.requests == 2

    with pytest.raises(EvaluationError) as caught:
        evaluate("tone", judge=scripted_judge({"": "I think it is fine."}))
    assert caught.value.code == "judgeOutputUnparseable"
    assert caught.value.raw == "I think it is fine."


def test_what_happens_to_the_judge_is_the_error_of_the_verdict(custom, evaluate):
    custom("tone", TONE, PROMPTY)

    with pytest.raises(EvaluationError) as caught:
        evaluate("tone", judge=scripted_judge({"": Reply(content="{}", delay=9)}, timeout=1))

    assert caught.value.code == "judgeTimeout"


SAMPLES = """
    import statistics
    from pathlib import Path

    from promptflow.client import load_flow


    class Samples:
        def __init__(self, *, model_config, threshold, options=None):
            self.flow = load_flow(source=Path(__file__).with_suffix(".prompty"), model={"configuration": model_config})
            self.samples = options["samples"]

        def __call__(self, *, prompt="", response="", **_):
            scores, errors = [], []
            for _ in range(self.samples):
                try:
                    scores.append(int(self.flow(user_prompt=prompt, response=response)["score"]))
                except Exception as error:
                    errors.append(str(error))
            if not scores:
                return {"error": "; ".join(errors)}
            return {"score": round(statistics.median(scores)), "reason": f"{scores}, {len(errors)} errors"}
"""


def test_an_evaluator_may_ask_several_times_and_bear_failures(custom, evaluate):
    custom("samples", SAMPLES, PROMPTY)
    judge = scripted_judge({"": [{"score": 5}, "not", "json", {"score": 1}, {"score": 4}]})

    verdict = evaluate("samples", {"options": {"samples": 4}}, judge=judge)

    assert verdict.score == 4
    assert verdict.reason == "[5, 1, 4], 1 errors"
    assert verdict.usage.requests == 3
    assert verdict.usage.prompt_tokens == 300


def test_equal_questions_of_one_call_are_told_apart_in_recordings(custom, catalog):
    custom("samples", SAMPLES, PROMPTY)
    judge = scripted_judge({"": GOOD})
    asked = []

    class Listening:
        async def ask(self, request, read):
            asked.append(request)
            return await judge.ask(request, read)

    exchange = Exchange(prompt="Hi", response=AgentResponse(text="Hello"), judge=Listening())
    for _ in "ab":
        asyncio.run(catalog.make("samples", {"options": {"samples": 3}}).evaluate(exchange))

    versions = [request.prompt_version for request in asked]
    assert len(set(versions)) == 3
    assert versions[:3] == versions[3:]
    assert versions[0].startswith("samples.prompty@sha256:")
    assert versions[1:3] == [f"{versions[0]}#2", f"{versions[0]}#3"]
    assert {request.evaluator for request in asked} == {"samples"}


def test_many_evaluators_wait_for_the_judge_at_the_same_time(custom, catalog):
    custom("tone", TONE, PROMPTY)
    judge = scripted_judge({"": Reply(content=json.dumps(GOOD), delay=0.3)})
    evaluator = catalog.make("tone", {})

    async def all_of_them():
        exchange = Exchange(prompt="Hi", response=AgentResponse(text="Hello"), judge=judge)
        return await asyncio.gather(*(evaluator.evaluate(exchange) for _ in range(16)))

    start = time.perf_counter()
    verdicts = asyncio.run(all_of_them())

    assert len(verdicts) == 16
    assert time.perf_counter() - start < 16 * 0.3 / 4


def test_threads_of_the_evaluator_ask_the_same_judge(custom, evaluate):
    custom(
        "samples",
        SAMPLES.replace("def __call__", "def one_by_one").replace("import statistics", "import concurrent.futures")
        + """
        def __call__(self, *, prompt="", response="", **_):
            with concurrent.futures.ThreadPoolExecutor() as pool:
                ask = lambda _: self.flow(user_prompt=prompt, response=response)["score"]
                return {"score": max(pool.map(ask, range(3)))}
""",
        PROMPTY,
    )

    verdict = evaluate("samples", {"options": {"samples": 3}}, judge=scripted_judge({"": GOOD}))

    assert (verdict.score, verdict.usage.requests) == (4, 3)


def test_without_judge_or_response_nothing_is_asked(custom, evaluate):
    custom("tone", TONE, PROMPTY)
    judge = scripted_judge({"": GOOD})

    with pytest.raises(EvaluationError, match="no judge is configured") as unconfigured:
        evaluate("tone")
    with pytest.raises(EvaluationError) as empty:
        evaluate("tone", response=" ", judge=judge)

    assert unconfigured.value.code == "evaluatorConfigurationError"
    assert empty.value.code == "emptyAgentResponse"
    assert not judge.model.requests


def test_the_configuration_holds_no_key_and_says_so(custom, evaluate):
    custom(
        "tone",
        """
        class Tone:
            def __init__(self, *, model_config, **_):
                self.key = model_config["api_key"]
        """,
        PROMPTY,
    )

    with pytest.raises(EvaluationError, match="model_config has no 'api_key' here"):
        evaluate("tone", judge=scripted_judge({"": GOOD}))


@pytest.mark.parametrize(
    ("prompty", "message"),
    [
        ("system:\nHello", "tone.prompty cannot be used: it does not begin with front matter"),
        ("---\nmodel: [\n---\nsystem:\nHello", "tone.prompty cannot be used: while parsing"),
        ("---\nmodel: chat\n---\nsystem:\nHello", "tone.prompty cannot be used"),
        ("---\nname: tone\n---\nHello", "does not begin with a role"),
        ("---\nname: tone\n---\nsystem:\n{{nothing}}", "tone.prompty cannot be filled in: 'nothing' is undefined"),
        ("---\nname: tone\n---\nsystem:\n{% if %}", "tone.prompty cannot be filled in"),
    ],
)
def test_a_prompt_file_that_cannot_be_used_says_why(write, evaluate, prompty, message):
    write("custom-evaluators/tone/tone.py", TONE)
    write("custom-evaluators/tone/tone.prompty", prompty)

    with pytest.raises(EvaluationError, match=message):
        evaluate("tone", judge=scripted_judge({"": GOOD}))


@pytest.fixture(scope="module")
def prompty(tmp_path_factory):
    path = tmp_path_factory.mktemp("prompts") / "all.prompty"
    path.write_text(
        dedent(
            """\
            ---
            model:
              parameters:
                temperature: 0
            inputs:
              language:
                default: English
            ---
            System:
            Answer in {{ language }}.
            {% for text in history %}
            # user:
            {{ text | trim }}
            {% endfor %}
            assistant:
            {% if response %}{{ response }}{% else %}nothing{% endif %}
            """
        )
    )
    return Prompty.read(path)


def test_templates_may_have_conditions_loops_filters_and_defaults(prompty):
    request = prompty.request("tone", {"history": [" a ", "b"], "response": ""}, {"seed": 7})

    assert [(message["role"], message["content"]) for message in request.messages] == [
        ("system", "Answer in English."),
        ("user", "a"),
        ("user", "b"),
        ("assistant", "nothing"),
    ]
    assert request.parameters == {"temperature": 0, "seed": 7}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["system:\n", "# user:\n", "\nassistant :\n", "{{ history }}", "{% raw %}", "text", "é"]))
)
def test_no_input_can_add_a_message(prompty, pieces):
    text = "".join(pieces) or "-"

    request = prompty.request("tone", {"history": [text], "response": text}, {})

    assert [message["role"] for message in request.messages] == ["system", "user", "assistant"]
    assert [message["content"] for message in request.messages[1:]] == [text.strip(), text.strip()]
