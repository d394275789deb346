"""``GET /mqbridge/v1/qmgr/{qmgr}/definitions``: all definitions as an MQSC script."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.mqsc import dump

from .exchange import TEXT
from .handlers import Handler


class DefinitionsScript(Handler):
    """The handler that returns the script."""

    changes = False
    whole = True

    async def run(self) -> None:
        """See the class."""
        lines = [*dump(self.context.manager.objects, self.context.now()), ""]
        self.exchange.answer(200, TEXT, "\n".join(lines).encode())
