"""``GET …/admin/qmgr`` and ``GET …/admin/qmgr/{qmgr}``: the one queue manager that is here."""

from __future__ import annotations

from .handlers import Handler


class QueueManagers(Handler):
    """Answers with name and state."""

    changes = False

    async def run(self) -> None:
        """See the class."""
        self.exchange.answer_json(200, {"qmgr": [{"name": self.context.name, "state": "running"}]})
