"""The judge's server: OpenAI, Azure OpenAI, or any server with their interface."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_agentevals import loop
from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeReply
from pytest_agentevals.judge.completion import read_completion
from pytest_agentevals.judge.faults import NOT_ASKED, Fault, diagnose
from pytest_agentevals.judge.limits import Limiter
from pytest_agentevals.judge.parameters import Dialect
from pytest_agentevals.judge.sign_in import SignInError, credentials
from pytest_agentevals.results import JudgeUsage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai import AsyncOpenAI

    from pytest_agentevals.judge import JudgeRequest
    from pytest_agentevals.judge.completion import Completion
    from pytest_agentevals.judge.config import ModelConfig

#: Judgments in a row that fail for a reason that concerns every request; after them, no more requests are made.
FATAL_LIMIT = 3
#: Seconds before the second request, doubled for each further one up to the longest.
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0


class OpenAIChatModel:
    """Completes chats with one pooled client, which is made with the first request.

    ``concurrency`` is the highest number of requests in flight. All methods run in one event loop, that of
    `pytest_agentevals.loop`, which closes the connections in the end.
    """

    def __init__(self, config: ModelConfig, *, concurrency: int = 16) -> None:
        self.config = config
        self._limiter = Limiter(concurrency)
        self._dialect = Dialect(reasoning=config.is_reasoning_model)
        self._client: AsyncOpenAI | None = None
        #: Faults in a row that concern every request.
        self._fatal: list[Fault] = []

    async def complete(self, request: JudgeRequest, *, timeout: float) -> JudgeReply:
        """Complete one chat within ``timeout`` seconds of its turn; see `pytest_agentevals.judge.ChatModel`."""
        async with self._limiter:
            if len(self._fatal) >= FATAL_LIMIT:
                # Short: the failures that led to this have told the reason.
                raise EvaluationError(f"The judge {self.config.name} {NOT_ASKED}", code=self._fatal[-1].code)
            clock = asyncio.get_running_loop().time
            started, requests = clock(), 0
            found: Completion | Fault | None = None
            while True:
                parameters = self._dialect.translate(request.parameters)
                requests += 1
                try:
                    async with asyncio.timeout_at(started + timeout):
                        found = await self._ask(request, parameters)
                except TimeoutError:
                    before = f"; before that, it {found.message}" if isinstance(found, Fault) else ""
                    found = Fault(code="judgeTimeout", message=f"did not answer within {timeout:g} s{before}")
                if not isinstance(found, Fault):
                    self._limiter.answered()
                    self._fatal.clear()
                    return self._reply(found, requests, clock() - started)
                if found.code == "judgeRateLimited":
                    self._limiter.refused()
                if self._adapts(found, request, parameters):
                    continue
                wait = _wait(found, requests)
                if requests >= found.attempts or clock() + wait >= started + timeout:
                    break
                await asyncio.sleep(wait)
            if found.fatal:
                self._fatal.append(found)
        raise self._error(found, f" ({requests} requests)" if requests > 1 else "")

    async def close(self) -> None:
        """Close all connections; a later request opens new ones."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _ask(self, request: JudgeRequest, parameters: Mapping[str, Any]) -> Completion | Fault:
        """Send one request."""
        import openai  # slow to import, and needed only with a live judge

        try:
            if self._client is None:
                self._client = _open(self.config)
                loop.on_close(self.close)
            # The raw response, because of answers that are no completion. The body apart, because the method accepts
            # only parameters that it knows, and walking through the messages' types took a fifth of the time.
            response = await self._client.chat.completions.with_raw_response.create(
                model=self.config.model, messages=[], extra_body={"messages": request.messages, **parameters}
            )
        except openai.OpenAIError as error:
            return self._without_secrets(diagnose(error))
        except SignInError as error:
            return self._without_secrets(Fault(code=error.code, message=str(error), fatal=True))
        found = read_completion(response.content)
        return self._without_secrets(found) if isinstance(found, Fault) else found

    def _adapts(self, fault: Fault, request: JudgeRequest, parameters: Mapping[str, Any]) -> bool:
        """Learn which parameter the model does not take; whether the next request is a different one."""
        if fault.refusal is not None:
            self._dialect.learn(fault.refusal, parameters)
        return fault.refusal is not None and self._dialect.translate(request.parameters) != parameters

    def _reply(self, completion: Completion, requests: int, seconds: float) -> JudgeReply:
        usage = JudgeUsage(
            model=self.config.model,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            requests=requests,
            seconds=seconds,
            cost=self.config.cost(completion.prompt_tokens, completion.completion_tokens),
        )
        return JudgeReply(
            content=self._clean(completion.content),
            refusal=self._clean(completion.refusal),
            finish_reason=completion.finish_reason,
            usage=usage,
        )

    def _without_secrets(self, fault: Fault) -> Fault:
        """Clean what a server said, which may be the key that it did not like."""
        message = self.config.without_secrets(fault.message)
        return replace(fault, message=message, raw=self._clean(fault.raw), refusal=self._clean(fault.refusal))

    def _clean(self, text: str | None) -> str | None:
        return None if text is None else self.config.without_secrets(text)

    def _error(self, fault: Fault, addition: str) -> EvaluationError:
        message = f"The judge {self.config.name} {fault.message}{addition}"
        return EvaluationError(message, code=fault.code, raw=fault.raw)


def _open(config: ModelConfig) -> AsyncOpenAI:
    """Make a client that leaves retries to us and does not carry keys to where a redirect points."""
    import openai  # slow to import

    common: dict[str, Any] = {
        "max_retries": 0,
        "organization": config.organization,
        "default_headers": {name: value.get_secret_value() for name, value in config.extra_headers},
        "http_client": openai.DefaultAsyncHttpxClient(follow_redirects=False),
        **credentials(config),
    }
    if config.azure_endpoint is not None:
        return openai.AsyncAzureOpenAI(azure_endpoint=config.azure_endpoint, api_version=config.api_version, **common)
    return openai.AsyncOpenAI(base_url=config.address, **common)


def _wait(fault: Fault, requests: int) -> float:
    """Return the seconds to wait after so many requests, with jitter, so that retries do not march in step."""
    if fault.wait:
        return fault.wait * random.uniform(1.0, 1.1)  # noqa: S311 - no secret
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (requests - 1)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
