"""Why TLS failed."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import MQBridgeError


class TlsError(MQBridgeError):
    """A handshake or a session failed. ``amq`` and ``inserts``: the operator message. ``reason``: for a program that
    connects. ``permanent``: nothing changes if the channel is started again, so it becomes STOPPED and not RETRYING."""

    def __init__(
        self,
        text: str,
        *,
        amq: str = "AMQ9665",
        inserts: tuple[str | int, ...] = (),
        reason: MQRC = MQRC.SSL_INITIALIZATION_ERROR,
        permanent: bool = True,
    ) -> None:
        super().__init__(text)
        self.amq = amq
        self.inserts = inserts or (text,)
        self.reason = reason
        self.permanent = permanent
