"""From a machine on a link to the agent that acts on its events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.protocol.channel import BatchFailed, Closed
from mqbridge.protocol.channel.link import Link

EventT = TypeVar("EventT")


class ProtocolMachine(Protocol):
    """What the machines of handshakes, senders, receivers and clients have in common."""

    @property
    def link(self) -> Link[Any]:
        """The connection that the machine stands on."""
        ...


class EventQueue:
    """The events of a machine on their way to ``handle``, one after the other.

    What an action of the agent gives is added behind them and handled in the same turn, so that no event is handled
    inside another. While the queue is ``held``, events wait and the partner is not read.
    """

    __slots__ = ("_connection", "_events", "_handle", "_running", "held", "link")

    def __init__(
        self, machine: ProtocolMachine, handle: Callable[[Any, float], None], connection: PartnerConnection
    ) -> None:
        self.link = machine.link
        self._handle = handle
        self._connection = connection
        self._events: deque[Any] = deque()
        self._running = False
        self.held = False

    def receive_data(self, data: bytes | None, now: float) -> None:
        """Bytes in, and whatever follows from them; none: the connection is gone, and events that were kept back count
        as never received. None: only what waits is handled."""
        link, events, handle = self.link, self._events, self._handle
        if data:
            events.extend(link.receive_data(data, now))
        elif data is not None:
            self.drop()
            if not link.closed:
                events.extend(link.receive_eof(now))
        self._running = True
        try:
            while events:
                if self.held:
                    if not link.closed:
                        break
                    self.drop()
                    continue
                handle(events.popleft(), now)
        finally:
            self._running = False

    def timeout(self, now: float) -> None:
        """Does what is due on the link."""
        self._events.extend(self.link.timeout(now))
        self.run(now)

    def add(self, events: Iterable[Any]) -> None:
        """Takes events that an action of the agent has made."""
        self._events.extend(events)

    def take(self, kind: type[EventT]) -> list[EventT]:
        """Take the next events, as long as they are of one class."""
        events, taken = self._events, []
        while events and type(events[0]) is kind:
            taken.append(events.popleft())
        return taken

    def put_back(self, events: Sequence[Any]) -> None:
        """Put events back in front, in their order."""
        self._events.extendleft(reversed(events))

    def run(self, now: float) -> None:
        """Hands on what waits; nothing where that is being done, or events are held."""
        if self._events and not self._running:
            self.receive_data(None, now)

    def hold(self) -> None:
        """Keeps further events back. The partner's silence does not count meanwhile."""
        self.held = True
        self.link.pause()
        self._connection.pause()

    def drop(self) -> None:
        """Forgets what was kept back: the message that waits will not be put, so nothing behind it may count.

        That the machine has ended still counts.
        """
        self.held = False
        ending = [event for event in self._events if isinstance(event, BatchFailed | Closed)]
        self._events.clear()
        self._events.extend(ending)

    def release(self, now: float) -> None:
        """Goes on with the events that were kept back."""
        self.held = False
        self.run(now)
        if not self.held:
            self.link.resume(now)
            self._connection.resume()
