"""A real A2A server on loopback, made with the official SDK."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette
from starlette.responses import JSONResponse


class Executor(AgentExecutor):
    """Does what the prompt says, and remembers the prompts of every context."""

    def __init__(self):
        self.contexts = {}

    async def execute(self, context, event_queue):
        prompt = context.get_user_input()
        seen = self.contexts.setdefault(context.context_id, [])
        seen.append(prompt)
        if prompt.startswith("message"):
            said = f"{' | '.join(seen)}"
            await event_queue.enqueue_event(new_text_message(said, context_id=context.context_id))
            return
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        match prompt:
            case "task":
                await updater.add_artifact([new_text_part("first"), new_text_part("second")])
                await updater.complete(updater.new_agent_message([new_text_part("done")]))
            case "words":
                await updater.complete(updater.new_agent_message([new_text_part("only words")]))
            case "ask back":
                await updater.requires_input(updater.new_agent_message([new_text_part("which city?")]))
            case "slow":
                await asyncio.sleep(30)
            case "Rome":
                await updater.add_artifact([new_text_part(f"{len(seen)} in one task")])
                await updater.complete()
            case _:
                await getattr(updater, prompt)(updater.new_agent_message([new_text_part("because")]))

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class Refuse:
    """Answers the first requests with a status, or all that lack the key."""

    def __init__(self, app):
        self.app = app
        self.statuses = []
        self.key = None
        self.headers = []

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.headers.append(headers)
            wrong_key = self.key is not None and headers.get("x-key") != self.key
            if self.statuses or wrong_key:
                status = self.statuses.pop(0) if self.statuses else 401
                said = {"said": f"not with {headers.get('x-key')}"}
                await JSONResponse(said, status, headers={"Retry-After": "0"})(scope, receive, send)
                return
        await self.app(scope, receive, send)


@contextlib.contextmanager
def a2a_server(binding="JSONRPC", version="1.0"):
    """Run a server in a thread; yields its URL, its executor and the gate before it."""
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    card = AgentCard(
        name="test",
        description="test",
        version="1",
        supported_interfaces=[AgentInterface(url=f"{url}/", protocol_binding=binding, protocol_version=version)],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="test", name="test", description="test", tags=["test"])],
    )
    executor = Executor()
    handler = DefaultRequestHandler(agent_executor=executor, task_store=InMemoryTaskStore(), agent_card=card)
    if binding == "JSONRPC":
        routes = create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True)
    else:
        routes = create_rest_routes(handler)
    gate = Refuse(Starlette(routes=[*create_agent_card_routes(card), *routes]))
    server = uvicorn.Server(uvicorn.Config(gate, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield url, executor, gate
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
