"""The connection of a sender to the other manager: one packet is asked at a time."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.mappings.moment import Time
from mqbridge.protocol.myopenq import Answer, Answered, Initiator
from mqbridge.protocol.myopenq.initiator import Event

from .definition import RemoteQueue
from .effects import CallManager, LeaveManager, SendToManager


class ConnectionUser(Protocol):
    """The sender, as its connection sees it."""

    def connected(self, now: Time) -> None:
        """The connection is there."""
        ...

    def answered(self, answer: Answer, now: Time) -> None:
        """What was asked is answered."""
        ...

    def unanswered(self, reason: str, now: Time) -> None:
        """There is no connection, or what was asked gets no answer. One that ends while nothing is asked is not
        reported."""
        ...


class ManagerConnection:
    """A `ManagerCaller`. ``calling``: it is being made; ``asked``: an answer is awaited."""

    __slots__ = ("_host", "_initiator", "_queue", "_user", "asked", "calling")

    def __init__(self, host: CarrierHost, queue: RemoteQueue, user: ConnectionUser) -> None:
        self._host = host
        self._queue = queue
        self._user = user
        self._initiator: Initiator | None = None
        self.calling = self.asked = False

    @property
    def name(self) -> str:
        """See `ManagerCaller.name`."""
        return self._queue.name

    @property
    def address(self) -> str:
        """See `ManagerCaller.address`."""
        return self._queue.address

    @property
    def port(self) -> int:
        """See `ManagerCaller.port`."""
        return self._queue.port

    # The sender's side

    @property
    def open(self) -> bool:
        """Whether packets can be asked."""
        return self._initiator is not None

    @property
    def next_timeout(self) -> float | None:
        """When `timeout` is to be called."""
        return None if self._initiator is None else self._initiator.next_timeout

    def call(self) -> None:
        """Make the connection, if it is not being made."""
        if not self.calling:
            self.calling = True
            self._host.emit(CallManager(self))

    def ask(self, packet: bytes, now: Time) -> None:
        """Send a packet."""
        assert self._initiator is not None
        self.asked = True
        self._initiator.ask(packet, now)
        self._host.emit(SendToManager(self))

    def leave(self) -> None:
        """End at once; nothing is reported of it."""
        if self.calling or self._initiator is not None:
            self._initiator, self.calling, self.asked = None, False, False
            self._host.emit(LeaveManager(self))

    def timeout(self, now: Time) -> None:
        """Give up an answer that has not come in time."""
        if self._initiator is not None:
            self._take(self._initiator.timeout(now), now)

    # The endpoint's side

    def connected(self, now: Time) -> None:
        """See `ManagerCaller.connected`."""
        self._host.now = now
        self.calling, self._initiator = False, Initiator(framed=True)
        self._user.connected(now)

    def failed(self, reason: str, now: Time) -> None:
        """See `ManagerCaller.failed`."""
        self._host.now = now
        self.calling = False
        self._user.unanswered(reason, now)

    def receive(self, data: bytes, now: Time) -> None:
        """See `ManagerCaller.receive`."""
        self._host.now = now
        if self._initiator is not None:
            self._take(self._initiator.receive_data(data), now)

    def take(self) -> bytes:
        """See `ManagerCaller.take`."""
        return b"" if self._initiator is None else self._initiator.take()

    def _take(self, events: list[Event], now: Time) -> None:
        for event in events:
            asked, self.asked = self.asked, False
            if isinstance(event, Answered):
                self._user.answered(event.answer, now)
                continue
            self.leave()
            if asked:
                self._user.unanswered(event.reason, now)
