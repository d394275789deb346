"""One connection of a partner: bytes from and to the endpoint, events to the end that handles them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from mqbridge.bridge.agents.gateway.effects import Resume
from mqbridge.bridge.store.interface import StoreError
from mqbridge.protocol.channel import BatchFailed, Closed
from mqbridge.protocol.channel.link import Link
from mqbridge.protocol.errors import MQBridgeError

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager

Event: TypeAlias = Any
"""Events of channels, or those of clients: of the kind that the machine gives and the end takes."""


class Machine(Protocol):
    """What the machines of responders, senders, receivers and clients have in common."""

    @property
    def link(self) -> Link[Any]:
        """The connection that the machine stands on."""
        ...


class End(Protocol):
    """What handles the events of a connection: the greeting of a new one, a receiving end or a sending end."""

    @property
    def machine(self) -> Machine:
        """The machine of the wire that it joins to the queue manager."""
        ...

    def handle(self, event: Event, now: float) -> None:
        """Acts on one event."""
        ...

    def writable(self, now: float) -> None:
        """The endpoint has taken what there was to send; more may be made."""
        ...

    def drained(self, now: float) -> None:
        """All events of the bytes that came have been handled or are held back."""
        ...

    def next_timeout(self) -> float | None:
        """A deadline of the end's own."""
        ...

    def timeout(self, now: float) -> None:
        """The time of `next_timeout` has come."""
        ...


class Connection:
    """What an endpoint holds for a TCP connection.

    ``peer``: the other end as ``host(port)``; ``address``: its host. While ``paused`` the endpoint does not read.
    Nothing may be called after `lost`.
    """

    __slots__ = (
        "_backlog",
        "_broken",
        "_held",
        "address",
        "channel_manager",
        "closing",
        "counted",
        "end",
        "lost_already",
        "peer",
        "send_asked",
        "stalled",
        "user",
    )

    def __init__(self, channel_manager: ChannelManager, address: str, port: int, end: End | None = None) -> None:
        self.channel_manager = channel_manager
        self.address = address
        self.peer = f"{address}({port})"
        self.end: End = end  # type: ignore[assignment]  # set by whoever makes the connection, before it is used
        self.closing = False
        self.lost_already = False
        self.send_asked = False
        self.stalled = False
        self.user: str | None = None
        """Who the channel runs as by the channel authentication records; None: who its definition says."""
        self._held = False
        self.counted = 0
        """Bytes that wait to be sent here and are counted among those that wait everywhere."""
        self._broken = False
        self._backlog: deque[Event] = deque()

    # The endpoint's side

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes came."""
        self.deliver(self.end.machine.link.receive_data(data, now), now)
        self.end.drained(now)
        self.channel_manager.touched(self, now)

    def lost(self, now: float) -> None:
        """The transport is gone, whoever ended it. Events that were kept back count as never received."""
        if self.lost_already:
            return
        self.lost_already = True
        self.drop_held(now)
        if not self.end.machine.link.closed:
            self.deliver(self.end.machine.link.receive_eof(now), now)
        self.channel_manager.forget(self)

    def timeout(self, now: float) -> None:
        """A deadline of the machine or of the end has come."""
        self.deliver(self.end.machine.link.timeout(now), now)
        due = self.end.next_timeout()
        if due is not None and due <= now:
            self.end.timeout(now)
        self.end.drained(now)
        self.channel_manager.touched(self, now)

    def data_to_send(self, limit: int = 65536) -> list[bytes]:
        """Pieces to write, about ``limit`` bytes of them; ask again when the transport has taken them."""
        self.send_asked = False
        if self._broken:
            return []
        try:
            return self.end.machine.link.wire.take(limit)
        except (MQBridgeError, StoreError) as error:  # the rest of a long message cannot be read
            self._broken = True
            self.channel_manager.log("AMQ9206", self.peer, str(error))
            self.channel_manager.close(self, abort=True)
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

    def count_unsent(self, *, gone: bool = False) -> None:
        """Counts what waits to be sent here among what waits everywhere."""
        buffered = 0 if gone else self.end.machine.link.wire.buffered
        self.channel_manager.unsent.total += buffered - self.counted
        self.counted = buffered

    def writable(self, now: float) -> None:
        """All of `data_to_send` is with the transport, and it takes more."""
        if not self.lost_already:
            self.end.writable(now)
            self.channel_manager.touched(self, now)

    @property
    def paused(self) -> bool:
        """Whether the endpoint should leave bytes in the socket for now."""
        return self._held

    # The agents' side

    def deliver(self, events: Sequence[Event], now: float) -> None:
        """Hands events to the end, in order, or keeps them while it is held."""
        if self._backlog or self._held:
            self._backlog.extend(events)
            if self._held and any(isinstance(event, Closed) for event in events):
                self.drop_held(now)
            self._flush(now)
            return
        for index, event in enumerate(events):
            self.end.handle(event, now)
            if self.paused:
                self._backlog.extend(events[index + 1 :])
                return

    def hold(self) -> None:
        """Keeps further events back: a message waits for its next attempt. The partner's silence does not count."""
        self._held = True
        self.end.machine.link.pause()

    def drop_held(self, now: float) -> None:
        """Forgets what was kept back: the message that waits will not be put, so nothing behind it may count.

        That the machine has ended still counts.
        """
        self._held = False
        ending = [event for event in self._backlog if isinstance(event, BatchFailed | Closed)]
        self._backlog.clear()
        for event in ending:
            self.end.handle(event, now)

    def release(self, now: float) -> None:
        """Goes on with the events that were kept back."""
        self._held = False
        self._flush(now)
        if not self.paused:
            self.end.machine.link.resume(now)
            self.channel_manager.emit(Resume(self))
        self.channel_manager.touched(self, now)

    def _flush(self, now: float) -> None:
        while self._backlog and not self._held:
            self.end.handle(self._backlog.popleft(), now)

    def next_timeout(self) -> float | None:
        """The earlier deadline of machine and end."""
        first, second = self.end.machine.link.next_timeout(), self.end.next_timeout()
        if first is None or second is None:
            return first if second is None else second
        return min(first, second)
