"""The body of a request, with the prompt and the conversation filled in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.agents.template import fill, fill_url

THREAD = Conversation("c1", [{"role": "user", "content": "{prompt}"}])


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{prompt}", "Q"),
        (" {prompt} in {conversation_id}", " Q in c1"),
        ("{history}", THREAD.messages),
        ("{messages}", [*THREAD.messages, {"role": "user", "content": "Q"}]),
        ("all: {messages}", "all: {messages}"),
        ({"{prompt}": ["{prompt}", 1, None, True]}, {"{prompt}": ["Q", 1, None, True]}),
        ("{other} {{prompt}}", "{other} {Q}"),
    ],
)
def test_placeholders_become_values(template, filled):
    assert fill(template, "Q", THREAD) == filled


@given(st.text())
def test_no_prompt_is_changed_or_read_as_a_template(prompt):
    filled = fill({"a": "{prompt}", "b": "<{prompt}>"}, prompt, THREAD)
    assert filled == {"a": prompt, "b": f"<{prompt}>"}


def test_in_a_url_everything_is_percent_encoded():
    assert fill_url("http://x/{conversation_id}?q={prompt}&m={messages}", "a/b?ä {prompt}", THREAD) == (
        "http://x/c1?q=a%2Fb%3F%C3%A4%20%7Bprompt%7D&m={messages}"
    )
