"""Connections of clients to a host in this process, and the conversations on them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.framing import Segment, SegmentReader
from support.wire.on_the_wire import OnTheWire
from support.wire.program import Exchange, Gone

if TYPE_CHECKING:
    from support.wire.host import WireHosting

T = TypeVar("T")
CALLER, PORT = "127.0.0.1", 5000
LONGEST_SEGMENT = 1 << 20


class WireSharedConversation:
    """One conversation of a connection. Every call of `perform` is one call of the program, whole."""

    def __init__(self, line: WireConnection, number: int) -> None:
        self.line = line
        self.number = number
        self.came: deque[Segment] = deque()

    def perform(self, call: Exchange[T]) -> T:
        """What a call gives. Raises `Gone` when the connection ends meanwhile, and what the call raises."""
        try:
            self.say(next(call))
            while True:
                self.say(call.send(self.next()))
        except StopIteration as end:
            result: T = end.value
            return result

    def start(self, call: Exchange[T]) -> Pending[T]:
        """Makes a call that may wait."""
        return Pending(self, call)

    def say(self, data: bytes) -> None:
        self.line.send(data)

    def next(self) -> Segment:
        if not self.came:
            raise Gone("nothing comes")
        return self.came.popleft()

    def hang_up(self) -> None:
        """The conversation is over; what the client has to say of that it has said."""
        self.line.conversations.pop(self.number, None)


class WireConnection(WireSharedConversation, OnTheWire):
    """A connection to a host, and its first conversation."""

    def __init__(self, host: WireHosting) -> None:
        super().__init__(self, 1)
        self.host = host
        self.ended = False
        self.conversations: dict[int, WireSharedConversation] = {}
        self._last = 1
        self._reader = SegmentReader(LONGEST_SEGMENT)
        connection = host.gateway.connections.inbound(CALLER, PORT, host.now)
        assert connection is not None
        self.connection: ConversationDriver = connection
        host.lines[connection] = self
        host.pump()

    def conversation(self) -> WireSharedConversation:
        """One more conversation; clients number them oddly."""
        self._last += 2
        conversation = self.conversations[self._last] = WireSharedConversation(self, self._last)
        return conversation

    @property
    def now(self) -> float:  # type: ignore[override]
        """The time of the host."""
        return self.host.now

    def send(self, data: bytes) -> None:
        if data and not self.ended:
            self.passes("client", data)
            self.connection.conversation.receive_data(data, self.host.now)
            self.connection.turn_ends()
            self.host.pump()

    def hang_up(self) -> None:
        """The client is gone without a word."""
        if not self.ended:
            self.ended = True
            self.connection.lost(self.host.now)
            self.host.pump()

    def sent(self) -> None:
        """The host has something for us."""
        while pieces := self.connection.data_to_send(65536):
            self.passes("we", b"".join(pieces))
            for segment in self._reader.feed(b"".join(pieces)):
                self.conversations.get(segment.conversation_id or 0, self).came.append(segment)
        self.connection.writable(self.host.now)


class Pending(Generic[T]):
    """A call under way."""

    def __init__(self, conversation: WireSharedConversation, call: Exchange[T]) -> None:
        self._conversation, self._call = conversation, call
        self._outcome: list[T | MQError] = []
        conversation.say(next(call))

    @property
    def done(self) -> bool:
        """Whether it has ended by what has come so far."""
        while not self._outcome and self._conversation.came:
            try:
                self._conversation.say(self._call.send(self._conversation.came.popleft()))
            except StopIteration as end:
                self._outcome.append(end.value)
            except MQError as error:
                self._outcome.append(error)
        return bool(self._outcome)

    @property
    def result(self) -> T:
        """What it gave. Raises what it raised."""
        assert self.done
        (outcome,) = self._outcome
        if isinstance(outcome, MQError):
            raise outcome
        return outcome

    @property
    def reason(self) -> int:
        """The reason with which it has failed, else 0."""
        assert self.done
        (outcome,) = self._outcome
        return outcome.reason if isinstance(outcome, MQError) else 0
