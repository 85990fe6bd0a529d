"""The tool that looks up orders."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Reply:
    """What the order service answered: an HTTP status, and the order where there is one."""

    status: int
    order: dict[str, Any] | None


class Orders:
    """The order service; here its database is a JSON file."""

    def __init__(self, database: Path) -> None:
        self._orders = json.loads(database.read_text("utf-8"))

    def get_order(self, number: str) -> Reply:
        """Look up an order by its number."""
        order = self._orders.get(number)
        return Reply(404, None) if order is None else Reply(200, order)
