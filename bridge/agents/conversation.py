"""Interfaces of a conversation, which is one end of a connection, and of the connection that it uses.

A :class:`Conversation` joins a protocol machine to the queue manager. Its driver (`gateway.conversation_driver`) uses
five things: bytes in, completions in, timeouts, bytes out, and the status row. After each turn the driver sends what
waits and asks for the next timeout, so a conversation need not announce that it has data to send. Only what comes from
elsewhere (an outcome, a command) must request a turn, with `PartnerConnection.wake`.
"""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.security.tls import TlsConnection, TlsFault
from mqbridge.mappings.moment import Time


class Outbox(Protocol):
    """Bytes waiting to be sent. `protocol.channel.wire.Wire` is one."""

    @property
    def wants_to_send(self) -> bool:
        """Whether `take` would return anything."""
        ...

    @property
    def buffered(self) -> int:
        """Bytes waiting in memory."""
        ...

    def take(self, limit: int) -> list[bytes]:
        """Return pieces to be written, about ``limit`` bytes in all. Raises `MQBridgeError` if they cannot be read."""
        ...


class Conversation(Protocol):
    """One end of a connection. Times are seconds since the epoch."""

    @property
    def out(self) -> Outbox:
        """The bytes to be sent."""
        ...

    def receive_data(self, data: bytes, now: Time) -> None:
        """Process received bytes. No bytes mean that the connection is gone; nothing is called afterwards."""
        ...

    def wake(self, now: Time) -> None:
        """Take a turn: outcomes have arrived, a command was given, or the conversation has just begun."""
        ...

    def writable(self, now: Time) -> None:
        """The transport has taken all bytes and can take more."""
        ...

    def next_timeout(self) -> float | None:
        """Latest time at which `timeout` must be called; None for never."""
        ...

    def timeout(self, now: Time) -> None:
        """Do what is due. A call before `next_timeout` changes nothing."""
        ...

    def row(self) -> StatusRow | None:
        """Its row of DISPLAY CHSTATUS; None until its channel is known."""
        ...


class PartnerConnection(Protocol):
    """The connection that a conversation uses.

    ``paused``: whether it is not read. ``user``: the user that the channel runs as according to CHLAUTH records; None:
    the one in its definition. ``reads_while_stalled``: whether to read from a partner that does not take what is sent
    to it. ``tls``: what was agreed with the partner, before its first bytes are received; None on a plain connection.
    ``tls_fault``: why TLS has ended the connection, set before the conversation is told of its end.
    """

    paused: bool
    user: str | None
    reads_while_stalled: bool
    tls: TlsConnection | None
    tls_fault: TlsFault | None

    @property
    def address(self) -> str:
        """The partner's host."""
        ...

    @property
    def peer(self) -> str:
        """The partner as ``host(port)``."""
        ...

    def wake(self) -> None:
        """Request a turn: `Conversation.wake` is called soon, then waiting bytes are sent."""
        ...

    def pause(self) -> None:
        """Stop reading from the socket."""
        ...

    def resume(self) -> None:
        """Read from the socket again."""
        ...

    def close(self, *, abort: bool = False) -> None:
        """Close the connection after sending what waits; with ``abort`` at once."""
        ...

    def continue_with(self, conversation: Conversation) -> None:
        """Hand the connection to another conversation, which is woken."""
        ...
