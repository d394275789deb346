"""The driver of one partner's connection, for conversations of any protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mqbridge.bridge.agents.conversation import Conversation
from mqbridge.bridge.agents.unsent_budget import UnsentBudget
from mqbridge.bridge.security.tls import TlsConnection, TlsFault
from mqbridge.bridge.store.interface import StoreError
from mqbridge.mappings.moment import Time
from mqbridge.protocol.errors import MQBridgeError


class Send:
    """Write what ``connection.data_to_send()`` returns, as fast as the transport takes it."""

    __slots__ = ("connection",)

    def __init__(self, connection: ConversationDriver) -> None:
        self.connection = connection


@dataclass(slots=True, eq=False)
class CloseConnection:
    """Close the connection after writing what ``data_to_send()`` still returns; with ``abort`` at once."""

    connection: ConversationDriver
    abort: bool = False


@dataclass(slots=True, eq=False)
class Resume:
    """Read again from a ``paused`` connection."""

    connection: ConversationDriver


class DriverHost(Protocol):
    """What a driver needs from the keeper of all connections."""

    unsent: UnsentBudget
    ready: dict[ConversationDriver, None]
    """Drivers whose conversations have requested a turn."""
    moved: dict[ConversationDriver, None]
    """Drivers that have had a turn since deadlines were last read."""

    def emit(self, effect: Send | CloseConnection | Resume) -> None:
        """Add an effect."""
        ...

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message."""
        ...

    def forget(self, driver: ConversationDriver) -> None:
        """The connection is gone."""
        ...


class ConversationDriver:
    """An endpoint's handle of a connection, and the conversation's view of it; see `PartnerConnection`.

    ``conversation`` is set by the creator. While ``paused`` the endpoint does not read. Nothing may be called after
    `lost`.
    """

    __slots__ = (
        "_broken",
        "_host",
        "_send_asked",
        "address",
        "carried",
        "channel_named",
        "closing",
        "conversation",
        "counted",
        "gone",
        "paused",
        "peer",
        "reads_while_stalled",
        "stalled",
        "tls",
        "tls_fault",
        "user",
    )  # fmt: skip

    def __init__(self, host: DriverHost, address: str, port: int, tls: TlsConnection | None = None) -> None:
        self._host = host
        self.address = address
        self.peer = f"{address}({port})"
        self.conversation: Conversation
        self.user: str | None = None
        self.tls = tls
        self.tls_fault: TlsFault | None = None
        self.carried = False
        """Whether it belongs to a carrier, which ends it itself."""
        self.channel_named = ""
        """The channel that the partner's hello names; blank for none."""
        self.reads_while_stalled = self.paused = False
        self.closing = self.gone = self.stalled = False
        self.counted = 0
        """Unsent bytes of this connection that are included in the total of all connections."""
        self._send_asked = self._broken = False

    # The endpoint's side: bytes that came go to `conversation.receive_data`, then the turn ends

    def lost(self, now: Time) -> None:
        """The transport is closed, by either end."""
        if not self.gone:
            self.gone = True
            self.conversation.receive_data(b"", now)
            self._host.forget(self)

    def timeout(self, now: Time) -> None:
        """A deadline has passed."""
        self.conversation.timeout(now)
        self.turn_ends()

    def writable(self, now: Time) -> None:
        """The transport has taken all of `data_to_send` and can take more."""
        if not self.gone:
            self.conversation.writable(now)
            self.turn_ends()

    @property
    def wants_to_send(self) -> bool:
        """Whether `data_to_send` would return anything."""
        return self.conversation.out.wants_to_send

    def data_to_send(self, limit: int = 65536) -> list[bytes]:
        """Return pieces to write, about ``limit`` bytes; call it again when the transport has taken them."""
        self._send_asked = False
        if self._broken:
            return []
        try:
            return self.conversation.out.take(limit)
        except (MQBridgeError, StoreError) as error:  # the rest of a long message cannot be read
            self._broken = True
            self._host.log("AMQ9206", self.peer, str(error))
            self.close(abort=True)
            return []
        finally:
            if self.stalled:
                self.count_unsent()
                self.stalled = self.counted > 0

    def stalls(self) -> None:
        """The transport takes no more for now: include waiting bytes in the total of unsent bytes until `data_to_send`
        returns them."""
        self.stalled = True
        self.count_unsent()

    def count_unsent(self) -> None:
        """Include the waiting bytes in the total of unsent bytes."""
        buffered = 0 if self.gone else self.conversation.out.buffered
        self._host.unsent.total += buffered - self.counted
        self.counted = buffered

    # Turns

    def turn(self, now: Time) -> None:
        """Take the turn that `wake` has requested."""
        if not self.gone:
            self.conversation.wake(now)
            self.turn_ends()

    def turn_ends(self) -> None:
        """Emit `Send` if bytes wait, and have the next deadline read."""
        if self.gone:
            return
        if self.stalled:
            self.count_unsent()
        if not self._send_asked and self.conversation.out.wants_to_send:
            self._send_asked = True
            self._host.emit(Send(self))
        self._host.moved[self] = None

    # The conversation's side

    def wake(self) -> None:
        """Request a turn."""
        if not self.gone:
            self._host.ready[self] = None

    def pause(self) -> None:
        """Stop reading from the socket."""
        self.paused = True

    def resume(self) -> None:
        """Read from the socket again."""
        self.paused = False
        self._host.emit(Resume(self))

    def close(self, *, abort: bool = False) -> None:
        """Close the connection after sending what waits."""
        if not self.closing:
            self.closing = True
            self._host.emit(CloseConnection(self, abort))

    def continue_with(self, conversation: Any) -> None:
        """Hand the connection to another conversation."""
        self.conversation = conversation
        self.wake()
