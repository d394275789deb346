"""A connection to the scripted provider: requests and events on their way, cut between any two of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from mqbridge.bridge.agents.linking.provider import (
    Attached,
    Credit,
    DeliveryState,
    Opened,
    Outcome,
    ProviderEvent,
    Received,
    Refused,
)
from mqbridge.mappings.amqp import AmqpMessage
from support.simulation.clock import SimulatedClock

from .broker import Broker, BrokerQueue, digest_of

SYNC = 0.003
"""Mean seconds in which a message reaches the broker's disk."""


@dataclass
class _Sender:
    """``limit``: number of deliveries that the broker allows altogether. ``sent``: by the link."""

    address: str
    limit: int
    sent: int = 0
    arrived: int = 0


@dataclass
class _Receiver:
    handle: int
    queue: BrokerQueue
    credit: int = 0
    unsettled: dict[int, AmqpMessage] = field(default_factory=dict)
    wake: Callable[[], None] = lambda: None


class BrokerConnection:
    """A `ProviderConnection` to a `Broker`. ``deliver``: takes events at the link's side. ``flush`` sends requests."""

    def __init__(
        self,
        broker: Broker,
        clock: SimulatedClock,
        random: Random,
        deliver: Callable[[list[ProviderEvent]], None],
        *,
        delay: float = 0.001,
        window: int = 100,
        refuses: Callable[[str], Refused | None] = lambda _: None,
    ) -> None:
        self.broker, self.clock, self.random = broker, clock, random
        self._deliver = deliver
        self._delay = delay
        self._window = window
        self._refuses = refuses
        self.broken = False
        self._waiting: list[Callable[[], None]] = []
        self._requests: deque[Callable[[], None]] = deque()
        self._events: deque[ProviderEvent] = deque()
        self._senders: dict[int, _Sender] = {}
        self._receivers: dict[int, _Receiver] = {}
        self._syncing = clock.now
        self._delivery = 0
        self.closed: Callable[[], None] = lambda: None

    # The link's requests

    def attach_sender(self, handle: int, address: str) -> None:
        self._waiting.append(lambda: self._attach_sender(handle, address))

    def attach_receiver(self, handle: int, address: str) -> None:
        self._waiting.append(lambda: self._attach_receiver(handle, address))

    def grant_credit(self, handle: int, number: int) -> None:
        assert number > 0
        self._waiting.append(lambda: self._grant(handle, number))

    def send(self, handle: int, tag: bytes, message: AmqpMessage, *, settled: bool = False) -> None:
        sender = self._senders[handle]
        sender.sent += 1
        assert sender.sent <= sender.limit, "sent without credit"
        self._waiting.append(lambda: self._send(handle, tag, message, settled))

    def settle(self, handle: int, delivery: int, state: DeliveryState) -> None:
        self._waiting.append(lambda: self._settle(handle, delivery, state))

    def detach(self, handle: int) -> None:
        self._waiting.append(lambda: self._detach(handle))

    def close(self) -> None:
        self._waiting.append(lambda: self.closed())

    @property
    def unsettled(self) -> int:
        """Number of deliveries that the link has not settled."""
        return sum(len(each.unsettled) for each in self._receivers.values())

    # On the way

    def flush(self) -> None:
        """Sends the requests that wait."""
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._requests.append(request)
            self._later(self._next_request)

    def _later(self, action: Callable[[], None]) -> None:
        self.clock.after(self.random.random() * self._delay, action)

    def _next_request(self) -> None:
        if not self.broken and self._requests:
            self._requests.popleft()()

    def tell(self, event: ProviderEvent) -> None:
        """Sends an event to the link."""
        self._events.append(event)
        self._later(self._next_events)

    def _next_events(self) -> None:
        """Some of the events arrive, as one read from a socket."""
        if self.broken or not self._events:
            return
        number = self.random.randint(1, min(len(self._events), 20))
        self._deliver([self._as_seen(self._events.popleft()) for _ in range(number)])

    def _as_seen(self, event: ProviderEvent) -> ProviderEvent:
        """Credit without what was sent since the broker gave it, as AMQP counts it."""
        if isinstance(event, Credit):
            return Credit(event.handle, event.number - self._senders[event.handle].sent)
        return event

    def break_off(self) -> None:
        """Nothing arrives any more, at either side; what was delivered and not settled returns to its queue."""
        if self.broken:
            return
        self.broken = True
        for handle in list(self._receivers):
            self._detach(handle)

    # The broker's side

    def open(self) -> None:
        self.tell(Opened("broker", "scripted", anonymous_relay=True))

    def _attach_sender(self, handle: int, address: str) -> None:
        refusal = self._refuses(address)
        if refusal is not None:
            self.tell(refusal._replace(handle=handle))
            return
        self._senders[handle] = _Sender(address, self._window)
        self.tell(Attached(handle, address=address))
        self.tell(Credit(handle, self._window))

    def _attach_receiver(self, handle: int, address: str) -> None:
        refusal = self._refuses(address)
        if refusal is not None:
            self.tell(refusal._replace(handle=handle))
            return
        receiver = self._receivers[handle] = _Receiver(handle, self.broker.queue(address))
        receiver.wake = lambda: self._distribute(receiver)
        receiver.queue.consumers.append(receiver.wake)
        self.tell(Attached(handle, address=address))

    def _send(self, handle: int, tag: bytes, message: AmqpMessage, settled: bool) -> None:
        sender, life = self._senders[handle], self.broker.lives
        sender.arrived += 1
        address = sender.address or message.properties.to
        assert address

        def stored() -> None:
            if self.broker.lives != life:
                return  # it died before
            state = self.broker.put(address, message)
            if self.broken:
                return
            if not settled:
                self.tell(Outcome(handle, tag, state))
            sender.limit += 1
            self.tell(Credit(handle, sender.limit))

        self._syncing = max(self._syncing, self.clock.now) + self.random.expovariate(1 / SYNC) * 0.1
        self.clock.at(self._syncing, stored)

    def _grant(self, handle: int, number: int) -> None:
        receiver = self._receivers.get(handle)
        if receiver is not None:
            receiver.credit += number
            self._distribute(receiver)

    def _distribute(self, receiver: _Receiver) -> None:
        while receiver.credit > 0 and receiver.queue.messages:
            message = receiver.queue.messages.popleft()
            receiver.credit -= 1
            self._delivery += 1
            receiver.unsettled[self._delivery] = message
            tag = self._delivery.to_bytes(4, "big")
            self.tell(Received(receiver.handle, self._delivery, message, digest_of(message), tag))

    def _settle(self, handle: int, delivery: int, state: DeliveryState) -> None:
        receiver = self._receivers.get(handle)
        if receiver is not None:
            message = receiver.unsettled.pop(delivery)
            self.broker.settle(receiver.queue, message, state, self.clock.now)

    def _detach(self, handle: int) -> None:
        self._senders.pop(handle, None)
        receiver = self._receivers.pop(handle, None)
        if receiver is not None:
            receiver.queue.consumers.remove(receiver.wake)
            self.broker.give_back(receiver.queue, list(receiver.unsettled.values()))
