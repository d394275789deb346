"""``GET …/admin/qmgr`` and ``…/admin/qmgr/{qmgr}``: our queue manager, or one that it can reach."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.bridge.queue_manager.mqsc import read_fields
from mqbridge.protocol.constants import MQCC

from .errors import RestError, status_of
from .exchange import GATEWAY
from .handlers import Handler
from .remote_commands import ask_command_server

_STATUS: Final = {"channelInitiatorState": "CHINIT", "ldapConnectionState": "LDAPCONN"}
"""Status attributes of another queue manager, with their keywords in DISPLAY QMSTATUS."""


class QueueManagers(Handler):
    """The handler that returns name and state; for another queue manager its name, and its status if requested."""

    changes = False
    reaches_others = True

    async def run(self) -> None:
        """See the class."""
        exchange = self.exchange
        if not exchange.remote:
            exchange.answer_json(200, {"qmgr": [{"name": self.context.name, "state": "running"}]})
            return
        (answer, *_) = await ask_command_server(exchange, "DISPLAY QMSTATUS ALL")
        if answer.completion == MQCC.FAILED:
            raise RestError(status_of(answer.reason), answer.lines[0], reason=answer.reason, message_id="MQWB0004E")
        fields = {keyword: value or "" for keyword, value in read_fields(answer.lines[1:]).items()}
        found: dict[str, Any] = {"name": fields.get("QMNAME", exchange.remote)}
        if "status" in exchange.query:
            found["status"] = _status(fields)
        exchange.answer_json(200, {"qmgr": [found]}, {GATEWAY: self.context.name})


def _status(fields: dict[str, str]) -> dict[str, Any]:
    status: dict[str, Any] = {name: fields[word].lower() for name, word in _STATUS.items() if word in fields}
    if fields.get("CONNS", "").isdecimal():
        status["connectionCount"] = int(fields["CONNS"])
    if "STARTDA" in fields and "STARTTI" in fields:
        status["started"] = f"{fields['STARTDA']}T{fields['STARTTI'].replace('.', ':')}.000Z"
    return status
