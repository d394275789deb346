"""The queue of events between a protocol machine and its agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import BatchFailed, Closed
from mqbridge.protocol.channel.link import Link

EventT = TypeVar("EventT")


class ProtocolMachine(Protocol):
    """What the machines of handshakes, senders, receivers and clients have in common."""

    @property
    def link(self) -> Link[Any]:
        """The link that the machine runs on."""
        ...


class EventQueue:
    """The events of a machine, passed to ``handle`` one at a time.

    Events that result from the agent's own actions are appended and handled in the same turn, so that no event is
    handled inside another. While the queue is ``held``, events wait and the partner is not read.
    """

    __slots__ = ("_connection", "_events", "_handle", "_running", "held", "link")

    def __init__(
        self, machine: ProtocolMachine, handle: Callable[[Any, Time], None], connection: PartnerConnection
    ) -> None:
        self.link = machine.link
        self._handle = handle
        self._connection = connection
        self._events: list[Any] = []  # an empty deque takes ten times the memory, and there are many idle connections
        self._running = False
        self.held = False

    def receive_data(self, data: bytes | None, now: Time) -> None:
        """Process received bytes and all events that follow. Empty ``data``: the connection is gone, and events held
        back are treated as not received. None: only process waiting events."""
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
                handle(events.pop(0), now)
        finally:
            self._running = False

    def timeout(self, now: Time) -> None:
        """Do what is due on the link."""
        self._events.extend(self.link.timeout(now))
        self.run(now)

    def add(self, events: Iterable[Any]) -> None:
        """Append events that an action of the agent has caused."""
        self._events.extend(events)

    def take(self, kind: type[EventT]) -> list[EventT]:
        """Take the next events, as long as they are of one class."""
        events, count = self._events, 0
        for event in events:
            if type(event) is not kind:
                break
            count += 1
        taken = events[:count]
        del events[:count]
        return taken

    def put_back(self, events: Sequence[Any]) -> None:
        """Put events back at the front, in their order."""
        self._events[:0] = events

    def run(self, now: Time) -> None:
        """Handle waiting events, unless they are being handled already or the queue is held."""
        if self._events and not self._running:
            self.receive_data(None, now)

    def hold(self) -> None:
        """Hold further events back. The partner's silence is not timed meanwhile."""
        self.held = True
        self.link.pause()
        self._connection.pause()

    def drop(self) -> None:
        """Discard the events held back: the message in front will not be put, so nothing after it may be processed.

        The end of the machine is still handled.
        """
        self.held = False
        ending = [event for event in self._events if isinstance(event, BatchFailed | Closed)]
        self._events.clear()
        self._events.extend(ending)

    def release(self, now: Time) -> None:
        """Handle the events held back."""
        self.held = False
        self.run(now)
        if not self.held:
            self.link.resume(now)
            self._connection.resume()
