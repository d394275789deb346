"""What is said on one connection, and what the connection offers to whoever says it.

A :class:`Conversation` joins a protocol machine to the queue manager. Its driver (`gateway.conversation_driver`) knows
five things of it: bytes in, completions in, time, bytes out, and its status row. After each turn the driver looks for
what there is to send, and when the conversation is to be called next. So a conversation tells nobody that it has
something to say; only what comes from elsewhere (an outcome, a command) asks for a turn, by `PartnerConnection.wake`.
"""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.queue_manager.control import StatusRow


class Outbox(Protocol):
    """Bytes out: what waits to be sent. `protocol.channel.wire.Wire` is one."""

    @property
    def wants_to_send(self) -> bool:
        """Whether `take` would give something."""
        ...

    @property
    def buffered(self) -> int:
        """Bytes that wait and are in memory."""
        ...

    def take(self, limit: int) -> list[bytes]:
        """Pieces to be written, about ``limit`` bytes. Raises `MQBridgeError` where they cannot be read."""
        ...


class Conversation(Protocol):
    """One end of a connection. Times are seconds since the epoch."""

    @property
    def out(self) -> Outbox:
        """Bytes out."""
        ...

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes in; no bytes: the connection is gone, and nothing is called any more."""
        ...

    def wake(self, now: float) -> None:
        """Completions in: outcomes have come, a command was given, or the conversation has just begun."""
        ...

    def writable(self, now: float) -> None:
        """The transport has taken all there was, and takes more."""
        ...

    def next_timeout(self) -> float | None:
        """When `timeout` is to be called at the latest; None for never."""
        ...

    def timeout(self, now: float) -> None:
        """Does what is due. A call before `next_timeout` changes nothing."""
        ...

    def row(self) -> StatusRow | None:
        """Its row of DISPLAY CHSTATUS; None while it is not known which channel it belongs to."""
        ...


class PartnerConnection(Protocol):
    """The connection that a conversation takes place on.

    ``user``: whom the channel runs as by the channel authentication records; None: whom its definition names.
    ``reads_while_stalled``: whether the partner is read even while it takes nothing of what is sent.
    """

    user: str | None
    reads_while_stalled: bool

    @property
    def address(self) -> str:
        """The partner's host."""
        ...

    @property
    def peer(self) -> str:
        """The partner as ``host(port)``."""
        ...

    def wake(self) -> None:
        """Asks for a turn: `Conversation.wake` is called soon, and what there is to send is sent."""
        ...

    def pause(self) -> None:
        """Leaves further bytes of the partner in the socket."""
        ...

    def resume(self) -> None:
        """Reads again."""
        ...

    def close(self, *, abort: bool = False) -> None:
        """Ends the connection after what is still to be sent; at once with ``abort``."""
        ...

    def continue_with(self, conversation: Conversation) -> None:
        """Another conversation goes on with the connection; it is woken."""
        ...
