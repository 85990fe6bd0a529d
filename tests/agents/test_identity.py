"""Which agent gave an answer, for answers that outlive the run."""

from __future__ import annotations

import functools

import pytest

from pytest_agentevals.agents.identity import identity
from pytest_agentevals.agents.spec import make_client


def ask(prompt, style="plain"):
    return prompt


def versioned(prompt):
    return prompt


versioned.version = 2


class Agent:
    version = "v3"

    def __call__(self, prompt):
        return prompt

    def ask(self, prompt):
        return prompt


class Named:
    identity = "my agent"

    def __call__(self, prompt):
        return prompt


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        (ask, f"{__name__}:ask"),
        (versioned, f"{__name__}:versioned 2"),
        (Agent(), f"{__name__}:Agent v3"),
        (Agent().ask, f"{__name__}:Agent.ask v3"),
        (Named(), "my agent"),
        (functools.partial(ask, style="rude"), f"{__name__}:ask with () {{'style': 'rude'}}"),
    ],
)
def test_an_agent_is_known_by_its_name_and_version(client, expected):
    assert identity(client) == expected


def of(tmp_path, spec="http://x/", environment=None, **settings):
    return identity(make_client(spec, root=tmp_path, settings=settings, environment=environment or {}))


def test_settings_that_determine_the_answers_make_another_agent(tmp_path):
    others = [
        of(tmp_path),
        of(tmp_path, version="2"),
        of(tmp_path, body="{prompt}"),
        of(tmp_path, headers={"A": "b"}),
        of(tmp_path, "http://y/"),
        of(tmp_path, "exec:x"),
        of(tmp_path, "exec:x", keep_alive=True),
    ]
    assert len(set(others)) == len(others)


def test_patience_and_place_make_no_other_agent(tmp_path):
    assert of(tmp_path) == of(tmp_path, timeout=2, retries=1)
    assert of(tmp_path, "exec:x") == of(tmp_path / "elsewhere", "exec:x")
    assert of(tmp_path, "openai:m", {"OPENAI_API_KEY": "a"}) == of(tmp_path, "openai:m", {"OPENAI_API_KEY": "b"})


def test_the_same_settings_with_another_address_in_the_environment_make_another_agent(tmp_path):
    assert of(tmp_path, "http://${H}/", {"H": "a"}) != of(tmp_path, "http://${H}/", {"H": "b"})
    assert of(tmp_path, "openai:m", {"OPENAI_BASE_URL": "http://a"}) != of(
        tmp_path, "openai:m", {"OPENAI_BASE_URL": "http://b"}
    )


def test_no_key_can_be_read_from_an_identity(tmp_path):
    assert "secret" not in of(tmp_path, headers={"Authorization": "secret", "X": "${K}"}, environment={"K": "secret2"})
