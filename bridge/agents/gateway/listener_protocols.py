"""The protocols of a listener: a table, searched with the first bytes that a partner sends.

A further protocol takes one row before the last one, and one class: a `Conversation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.gateway.inbound_handshake import InboundHandshake
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.mappings.moment import Time

MOST_FIRST_BYTES: Final = 64
"""Number of bytes within which a protocol must be recognised."""


@dataclass(frozen=True, slots=True)
class ListenerProtocol:
    """One row of the table.

    ``recognises``: whether the first bytes (possibly none yet) belong to this protocol; None if more are needed.
    ``begin``: creates the conversation of a connection accepted at a time.
    """

    name: str
    recognises: Callable[[bytes], bool | None]
    begin: Callable[[ChannelManager, PartnerConnection, Time], Conversation]


PROTOCOLS: Final = (ListenerProtocol("MQ channels", lambda _: True, InboundHandshake),)
"""The first row that recognises the bytes decides; the last one accepts everything."""


def begin(
    protocols: Sequence[ListenerProtocol], host: ChannelManager, connection: PartnerConnection, now: Time
) -> Conversation:
    """Return the first conversation of a connection: that of its protocol if no bytes are needed to know it."""
    chosen = _chosen(protocols, b"")
    return (
        ProtocolDetection(protocols, host, connection, now) if chosen is None else chosen.begin(host, connection, now)
    )


def _chosen(protocols: Sequence[ListenerProtocol], first: bytes) -> ListenerProtocol | None:
    *others, last = protocols
    for each in others:
        recognised = each.recognises(first)
        if recognised:
            return each
        if recognised is None and len(first) < MOST_FIRST_BYTES:
            return None
    return last


class _Nothing:
    """Nothing to send."""

    __slots__ = ()
    wants_to_send = False
    buffered = 0

    def take(self, limit: int) -> list[bytes]:
        """Return no bytes."""
        return []


class ProtocolDetection:
    """The conversation on a connection whose protocol is not known yet. A silent or closed one gets the last row's."""

    __slots__ = ("_connection", "_due", "_first", "_host", "_protocols", "_since")

    out = _Nothing()

    def __init__(
        self, protocols: Sequence[ListenerProtocol], host: ChannelManager, connection: PartnerConnection, now: Time
    ) -> None:
        self._protocols = protocols
        self._host = host
        self._connection = connection
        self._since = now
        self._due = now + host.settings.handshake_timeout
        self._first = b""

    def receive_data(self, data: bytes, now: Time) -> None:
        """Select the protocol by the bytes received so far."""
        self._first += data
        chosen = _chosen(self._protocols, self._first) if data else self._protocols[-1]
        if chosen is not None:
            conversation = self._continue(chosen, now)
            if not data:
                conversation.receive_data(b"", now)

    def wake(self, now: Time) -> None:
        """Nothing is awaited."""

    def writable(self, now: Time) -> None:
        """Nothing to send."""

    def next_timeout(self) -> float | None:
        """End of the time for the handshake."""
        return self._due

    def timeout(self, now: Time) -> None:
        """No protocol was recognised: let the last one handle the silence."""
        if now >= self._due:
            self._continue(self._protocols[-1], now).timeout(now)

    def row(self) -> StatusRow | None:
        """None: the channel is not known."""
        return None

    def _continue(self, chosen: ListenerProtocol, now: Time) -> Conversation:
        """Hand over to a protocol as if it had had the connection from its start."""
        conversation = chosen.begin(self._host, self._connection, self._since)
        self._connection.continue_with(conversation)
        if self._first:
            conversation.receive_data(self._first, now)
        return conversation
