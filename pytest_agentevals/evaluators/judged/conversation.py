"""How judges see a conversation: written as azure-ai-evaluation writes it, so that scores compare with the vendor's.

The SDK's evaluators write it in three ways. A prompt without a conversation before it stays as it is in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentevals.evaluators.base import Message

if TYPE_CHECKING:
    from pytest_agentevals.evaluators.base import Exchange


def transcript(exchange: Exchange) -> str:
    """Write numbered turns: ``User turn 1:``, ``Agent turn 1:``, …, each text indented by two blanks."""
    if not exchange.history:
        return exchange.prompt
    text, turn = "", 0
    for message in _so_far(exchange):
        asks = message.role == "user"
        turn += asks
        text += f"{'User' if asks else 'Agent'} turn {turn}:\n  " + message.content.replace("\n", "\n  ") + "\n\n"
    return text


def message_list(exchange: Exchange) -> str | list[dict[str, Any]]:
    """Write messages with typed content."""
    if not exchange.history:
        return exchange.prompt
    return [
        {"role": message.role, "content": [{"type": "text", "text": message.content}]} for message in _so_far(exchange)
    ]


def simplified(exchange: Exchange) -> str | list[dict[str, Any]]:
    """Write messages with nothing but role and text, as the groundedness judge gets them."""
    if not exchange.history:
        return exchange.prompt
    return [{"role": message.role, "content": [message.content]} for message in _so_far(exchange)]


def _so_far(exchange: Exchange) -> tuple[Message, ...]:
    return (*exchange.history, Message("user", exchange.prompt))
