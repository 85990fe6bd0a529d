"""A bare model as the agent, against a server with OpenAI's interfaces."""

from __future__ import annotations

import pytest
from agents.agent_server import Answer

from pytest_agentevals.agents.conversation import Conversation
from pytest_agentevals.agents.spec import make_client
from pytest_agentevals.errors import AgentError, ConfigurationError

THREAD = Conversation("c1", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
KEY = {"OPENAI_API_KEY": "secret-key"}


@pytest.fixture
def model(server, tmp_path):
    def made(environment=None, **settings):
        environment = KEY if environment is None else environment
        settings = {"base_url": f"{server.url}/v1", **settings}
        return make_client("openai:gpt-test", root=tmp_path, settings=settings, environment=environment)

    return made


def completion(**message):
    return {"choices": [{"message": {"role": "assistant", "content": None, **message}}]}


def test_a_chat_completion_gets_the_conversation_and_gives_text_and_usage(server, model, ask):
    usage = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
    server.answer({**completion(content="A"), "usage": usage})
    client = model(system_prompt="Be brief.", parameters={"temperature": 0, "reasoning_effort": "low"})
    response = ask(client, conversation=THREAD)
    request = server.requests[0]
    assert (request.path, request.headers["authorization"]) == ("/v1/chat/completions", "Bearer secret-key")
    assert request.json == {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "Be brief."},
            *THREAD.messages,
            {"role": "user", "content": "Q"},
        ],
        "temperature": 0,
        "reasoning_effort": "low",
    }
    assert response.text == "A"
    assert response.usage is not None
    assert (response.usage.prompt_tokens, response.usage.completion_tokens) == (3, 5)
    assert response.tool_calls is not None, "without a call it is certain that no tool was chosen"
    assert response.tool_calls.selected_functions == ()
    assert response.citations == ()


TOOL = {"type": "function", "function": {"name": "get", "parameters": {}}}


def test_tool_calls_of_a_chat_completion_are_captured_and_not_run(server, model, ask):
    call = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": '{"city": "Rome"}'}}
    server.answer(completion(tool_calls=[call]))
    response = ask(model(tools=[TOOL]))
    assert server.requests[0].json["tools"] == [TOOL]
    assert response.text == ""
    assert response.tool_calls is not None
    assert response.tool_calls.selected_functions is not None
    assert response.tool_calls.selected_functions[0].function_name == "get"
    assert response.tool_calls.executions is None
    assert response.tool_definitions == (TOOL,)


def test_a_refusal_is_the_text_and_annotations_are_citations(server, model, ask):
    note = {"type": "url_citation", "url_citation": {"url": "https://x.test", "title": "X", "start_index": 0}}
    server.answer(completion(refusal="I cannot.", annotations=[note]))
    response = ask(model())
    assert response.text == "I cannot."
    assert [each.model_dump() for each in response.citations or ()] == [
        {"index": 1, "text": "X", "source": "https://x.test"}
    ]


def test_the_responses_api_gives_text_calls_searches_and_citations(server, model, ask):
    server.answer(
        {
            "output": [
                {"type": "reasoning", "summary": []},
                {
                    "type": "file_search_call",
                    "status": "completed",
                    "queries": ["rome"],
                    "results": [{"filename": "a.md", "text": "Rome is old."}],
                },
                {"type": "function_call", "call_id": "c1", "id": "f1", "name": "get", "arguments": "{}"},
                {"type": "mcp_call", "id": "m1", "server_label": "maps", "name": "find", "arguments": "{}"},
                {
                    "type": "message",
                    "content": [
                        {
                            "type": "output_text",
                            "text": "Old",
                            "annotations": [
                                {"type": "file_citation", "filename": "a.md"},
                                {"type": "url_citation", "url": "https://x.test", "title": "X"},
                            ],
                        },
                        {"type": "output_text", "text": " city"},
                    ],
                },
            ],
            "usage": {"input_tokens": 3, "output_tokens": 5},
        }
    )
    response = ask(model(api="responses", system_prompt="Be brief.", tools=[{"type": "file_search"}]), "Q", THREAD)
    assert server.requests[0].path == "/v1/responses"
    assert server.requests[0].json == {
        "model": "gpt-test",
        "input": [*THREAD.messages, {"role": "user", "content": "Q"}],
        "instructions": "Be brief.",
        "tools": [{"type": "file_search"}],
    }
    assert response.text == "Old city"
    assert response.tool_calls is not None
    assert [(call.plugin_name, call.function_name) for call in response.tool_calls.selected_functions or ()] == [
        ("functions", "get"),
        ("maps", "find"),
    ]
    assert response.retrieval_executions is not None
    search = response.retrieval_executions[0]
    assert (search.capability, search.queries[0].queryString) == ("file_search", "rome")
    assert (search.retrievalHits[0].rank, search.retrievalHits[0].extracts[0].text) == (1, "Rome is old.")
    assert [each.source for each in response.citations or ()] == ["a.md", "https://x.test"]
    assert response.usage is not None
    assert response.usage.prompt_tokens == 3


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("answer", [{"hello": 1}, [], Answer(b"<html>"), {"choices": [], "output": [{}]}])
def test_an_answer_of_another_form_is_unparseable(server, model, ask, api, answer):
    server.answer(answer)
    with pytest.raises(AgentError, match=r"^gpt-test answered .*, which is no answer of the") as caught:
        ask(model(api=api))
    assert caught.value.code == "agentResponseUnparseable"


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "agentAuthenticationError"), (429, "agentRateLimited"), (400, "agentRequestFailed")],
)
def test_a_refused_request_has_its_code_and_no_key_in_its_message(server, model, ask, status, code):
    server.answer(Answer({"error": {"message": "bad key secret-key"}}, status=status))
    with pytest.raises(AgentError, match=rf"^gpt-test: .*{status}.*bad key \*\*\*") as caught:
        ask(model(retries=0))
    assert caught.value.code == code


def test_a_busy_server_is_asked_again_and_the_pause_is_not_the_models_time(server, model, ask):
    server.answer(Answer(b"", status=503, headers={"Retry-After-Ms": "500"}), completion(content="A"))
    response = ask(model())
    assert response.text == "A"
    assert response.latency_ms is not None
    assert response.latency_ms < 500


def test_a_server_that_cannot_be_reached_is_an_error(server, model, ask):
    server.server_close()
    with pytest.raises(AgentError, match=r"^gpt-test: .*onnect") as caught:
        ask(model(retries=0))
    assert caught.value.code == "agentRequestFailed"


def test_a_server_of_ones_own_needs_no_key_and_may_be_named_by_the_environment(server, tmp_path, ask):
    server.answer(completion(content="A"))
    client = make_client("openai:llama", root=tmp_path, environment={"OPENAI_BASE_URL": f"{server.url}/v1"})
    assert ask(client).text == "A"
    assert server.requests[0].headers["authorization"] == "Bearer none"


def test_without_a_key_and_an_address_nothing_can_be_asked(tmp_path):
    with pytest.raises(ConfigurationError, match='"api_key" names the environment variable OPENAI_API_KEY, which is'):
        make_client("openai:gpt-4o", root=tmp_path, environment={})


def test_keys_are_in_no_repr(model):
    client = model(environment={"MINE": "secret-key"}, api_key="${MINE}")
    assert "secret-key" not in f"{client!r} {client} {client.identity}"


def test_a_system_prompt_may_stand_in_a_file_beside_the_settings(server, tmp_path, ask):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "prompt.md").write_text("Sé breve.", encoding="utf-8")
    (tmp_path / "agents" / "mini.toml").write_text(
        f'agent = "openai:gpt-4o-mini"\nbase_url = "{server.url}/v1"\nsystem_prompt_file = "prompt.md"\n'
    )
    server.answer(completion(content="A"))
    ask(make_client("agents/mini.toml", root=tmp_path, environment=KEY))
    assert server.requests[0].json["messages"][0] == {"role": "system", "content": "Sé breve."}
