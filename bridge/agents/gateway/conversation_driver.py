"""One connection of a partner: drives its conversation, whatever protocol that speaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mqbridge.bridge.agents.conversation import Conversation
from mqbridge.bridge.agents.unsent_budget import UnsentBudget
from mqbridge.bridge.store.interface import StoreError
from mqbridge.protocol.errors import MQBridgeError


@dataclass(slots=True, eq=False)
class Send:
    """``connection.data_to_send()`` has something; write it as the transport takes it."""

    connection: ConversationDriver


@dataclass(slots=True, eq=False)
class CloseConnection:
    """End the connection after what ``data_to_send()`` still gives; at once with ``abort``."""

    connection: ConversationDriver
    abort: bool = False


@dataclass(slots=True, eq=False)
class Resume:
    """Read again from a connection that was ``paused``."""

    connection: ConversationDriver


class DriverHost(Protocol):
    """What a driver needs of those who keep all connections."""

    unsent: UnsentBudget
    ready: dict[ConversationDriver, None]
    """Drivers whose conversations have asked for a turn."""
    moved: dict[ConversationDriver, None]
    """Drivers that have had a turn since deadlines were asked for."""

    def emit(self, effect: Send | CloseConnection | Resume) -> None:
        """Adds an effect."""
        ...

    def log(self, amq: str, *inserts: str | int) -> None:
        """Adds a line for the operator."""
        ...

    def forget(self, driver: ConversationDriver) -> None:
        """The connection is gone."""
        ...


class ConversationDriver:
    """What an endpoint holds for a connection, and what the conversation on it sees of it: see `PartnerConnection`.

    ``conversation`` is set by whoever makes the driver. While ``paused`` the endpoint does not read. Nothing may be
    called after `lost`.
    """

    __slots__ = (
        "_broken", "_host", "_send_asked", "address", "closing", "conversation", "counted", "gone", "paused", "peer",
        "reads_while_stalled", "stalled", "user",
    )  # fmt: skip

    def __init__(self, host: DriverHost, address: str, port: int) -> None:
        self._host = host
        self.address = address
        self.peer = f"{address}({port})"
        self.conversation: Conversation
        self.user: str | None = None
        self.reads_while_stalled = self.paused = False
        self.closing = self.gone = self.stalled = False
        self.counted = 0
        """Bytes that wait to be sent here and are counted among those that wait everywhere."""
        self._send_asked = self._broken = False

    # The endpoint's side: bytes that came go to `conversation.receive_data`, then the turn ends

    def lost(self, now: float) -> None:
        """The transport is gone, whoever ended it."""
        if not self.gone:
            self.gone = True
            self.conversation.receive_data(b"", now)
            self._host.forget(self)

    def timeout(self, now: float) -> None:
        """A deadline has come."""
        self.conversation.timeout(now)
        self.turn_ends()

    def writable(self, now: float) -> None:
        """All of `data_to_send` is with the transport, and it takes more."""
        if not self.gone:
            self.conversation.writable(now)
            self.turn_ends()

    @property
    def wants_to_send(self) -> bool:
        """Whether `data_to_send` would give something."""
        return self.conversation.out.wants_to_send

    def data_to_send(self, limit: int = 65536) -> list[bytes]:
        """Pieces to write, about ``limit`` bytes of them; ask again when the transport has taken them."""
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
        """The transport takes no more now: what waits is counted among what waits everywhere until it has been taken
        by `data_to_send`."""
        self.stalled = True
        self.count_unsent()

    def count_unsent(self) -> None:
        """Counts what waits to be sent here among what waits everywhere."""
        buffered = 0 if self.gone else self.conversation.out.buffered
        self._host.unsent.total += buffered - self.counted
        self.counted = buffered

    # Turns

    def turn(self, now: float) -> None:
        """The turn that `wake` has asked for."""
        if not self.gone:
            self.conversation.wake(now)
            self.turn_ends()

    def turn_ends(self) -> None:
        """Looks for what there is to send, and has the next deadline asked for."""
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
        """Asks for a turn."""
        if not self.gone:
            self._host.ready[self] = None

    def pause(self) -> None:
        """Leaves further bytes in the socket."""
        self.paused = True

    def resume(self) -> None:
        """Reads again."""
        self.paused = False
        self._host.emit(Resume(self))

    def close(self, *, abort: bool = False) -> None:
        """Ends the connection after what it still has to send."""
        if not self.closing:
            self.closing = True
            self._host.emit(CloseConnection(self, abort))

    def continue_with(self, conversation: Any) -> None:
        """Another conversation goes on."""
        self.conversation = conversation
        self.wake()
