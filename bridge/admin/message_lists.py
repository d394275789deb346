"""``GET …/queue/{queue}/messagelist``: ids and formats of the messages on a queue."""

from __future__ import annotations

from typing import Any, Final

from .handlers import Handler
from .message_sources import Browsing

DEFAULT_LENGTH: Final = 10
MAX_LENGTH: Final = 100_000
"""Maximum number of messages of a list."""


class MessageList(Handler):
    """``{"messages": [{"messageId", "correlationId", "format"}]}``, at most ``limit`` of them."""

    changes = False

    async def run(self) -> None:
        """See the class."""
        exchange = self.exchange
        limit = exchange.number("limit", DEFAULT_LENGTH, 1, MAX_LENGTH)
        prefix = "ID:" if exchange.version >= 3 else ""
        source = Browsing(exchange)
        found: list[dict[str, Any]] = []
        try:
            while len(found) < limit and (got := await source.fetch()) is not None:
                md = got.message.md
                found.append(
                    {
                        "messageId": prefix + md.msg_id.hex(),
                        "correlationId": prefix + md.correl_id.hex(),
                        "format": md.format,
                    }
                )
        finally:
            source.close()
        exchange.answer_json(200, {"messages": found})
