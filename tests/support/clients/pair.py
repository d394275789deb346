"""Our client's machine and our server's machine joined without sockets, with a small queue manager of one queue.

``pair.client`` and ``pair.server`` are the machines; :meth:`ClientPair.pump` carries bytes both ways until nothing
moves, :meth:`ClientPair.done` makes a call and gives it back when it is done. ``pair.queue`` holds descriptors and
data; a queue manager's side that the tests want otherwise goes into ``pair.answers`` by the type of the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mqbridge.protocol.channel import ChannelRequested, Responder
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.mqi import (
    Backout,
    Call,
    Close,
    Commit,
    Connect,
    Delivery,
    Disconnect,
    Get,
    Inquire,
    MessagesWanted,
    Open,
    Put,
    Put1,
    ServerConnection,
    ServerParameters,
    Set,
    Subscribe,
    SubscriptionRequest,
)
from mqbridge.protocol.mqi_client import Call as Made
from mqbridge.protocol.mqi_client import ClientConnection, ClientParameters
from mqbridge.protocol.structures.md import MD

CHANNEL = "DEV.APP.SVRCONN"
CONNECTION_ID = b"AMQCQM1".ljust(24, b"\1")


@dataclass(slots=True)
class ClientPair:
    """Both ends of a connection."""

    client: ClientConnection
    definition: ServerParameters
    responder: Responder | None
    server: ServerConnection | None = None
    now: float = 1000.0
    queue: list[tuple[bytes, bytes]] = field(default_factory=list)
    answers: dict[type, Callable[[Any], None]] = field(default_factory=dict)
    client_events: list[Any] = field(default_factory=list)
    server_events: list[Any] = field(default_factory=list)
    sent: bytearray = field(default_factory=bytearray)
    """What the server has sent."""
    delivery: Delivery | None = None
    cuts: Iterator[int] | None = None
    """Lengths of the pieces in which bytes arrive; whole writes when None."""
    hears: Callable[[str, bytes], None] | None = None
    """Called with all that passes, and who said it: ``client`` or ``server``."""

    def pump(self) -> None:
        """Carry bytes until nothing moves."""
        while True:
            there = b"".join(drained(self.client))
            back = b"".join(drained(self._machine))
            if not there and not back:
                return
            self.sent += back
            if self.hears is not None:
                self.hears("client", there)
                self.hears("server", back)
            for piece in self._pieces(there):
                self._server_hears(piece)
            for piece in self._pieces(back):
                self.client_events += self.client.link.receive_data(piece, self.now)

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        at = 0
        while at < len(data):
            size = len(data) - at if self.cuts is None else next(self.cuts, len(data))
            yield data[at : at + size]
            at += size

    @property
    def _machine(self) -> Any:
        return self.server or self.responder

    def _server_hears(self, data: bytes) -> None:
        if self.server is None:
            assert self.responder is not None
            for event in self.responder.link.receive_data(data, self.now):
                if isinstance(event, ChannelRequested):
                    self.server, events = ServerConnection.answering(self.responder, self.definition, self.now)
                    self._answer(events)
            return
        self._answer(self.server.link.receive_data(data, self.now))

    def _answer(self, events: list[Any]) -> None:
        self.server_events += events
        for event in events:
            answer = self.answers.get(type(event)) or getattr(self, f"_{type(event).__name__.lower()}", None)
            if answer is not None:
                answer(event)

    def done(self, call: Made) -> Made:
        """Carry bytes until a call is done."""
        self.pump()
        assert call.done, call.type
        return call

    def after(self, seconds: float) -> None:
        """Time passes at both ends."""
        end = self.now + seconds
        while True:
            self.pump()
            dues = (self.client.link.next_timeout(), self._machine.link.next_timeout())
            due = min((time for time in dues if time is not None), default=end + 1)
            if due > end:
                break
            self.now = max(self.now, due)
            self.client_events += self.client.link.timeout(self.now)
            self.server_events += self._machine.link.timeout(self.now)
        self.now = end

    # A small queue manager

    def _connect(self, call: Connect) -> None:
        assert self.server is not None
        self.server.replies.connect(call, connection_id=CONNECTION_ID, tag=b"tag")

    def _open(self, call: Open) -> None:
        assert self.server is not None
        self.server.replies.open(call, 2, persistence=0, put_response=1, read_ahead=0, property_control=0)

    def _put(self, call: Put) -> None:
        assert self.server is not None
        md = MD.codec(call.order).parse(call.descriptor)
        md.msg_id = (len(self.queue) + 1).to_bytes(24, "big")
        call.descriptor = md.build()
        self.queue.append((call.descriptor, b"".join(call.data) if isinstance(call.data, list) else call.data))
        self.server.replies.answer(call)
        self.deliver()

    def _put1(self, call: Put1) -> None:
        self._put(call)

    def _messageswanted(self, event: MessagesWanted) -> None:
        self.delivery = event.delivery
        self.deliver()

    def deliver(self) -> None:
        """Give what is wanted."""
        delivery = self.delivery
        if delivery is None or self.server is None:
            return
        while delivery.ready:
            if not self.queue:
                self.server.deliveries.no_message(delivery)
                return
            descriptor, data = self.queue[0]
            limit = delivery.max_length
            cut = 0 <= limit < len(data)
            if not cut:
                self.queue.pop(0)
            self.server.deliveries.send(
                delivery,
                descriptor,
                data[:limit] if cut else data,
                full_length=len(data),
                reason=int(MQRC.TRUNCATED_MSG_FAILED) if cut else 0,
                token=b"t" * 16,
                queue=b"Q",
                reference=(descriptor, data),
            )

    def _get(self, call: Get) -> None:
        assert self.server is not None
        if not self.queue:
            self.server.replies.refuse(call, MQRC.NO_MSG_AVAILABLE)
            return
        call.descriptor, data = self.queue.pop(0)
        self.server.replies.get(call, data)

    def _inquire(self, call: Inquire) -> None:
        assert self.server is not None
        self.server.replies.inquire(
            call, [7] * call.int_attr_count, b"TEXT".ljust(48) if call.char_attr_length else b""
        )

    def _subscribe(self, call: Subscribe) -> None:
        assert self.server is not None
        self.server.replies.subscribe(call, handle=4, subscription=6)

    def _subscriptionrequest(self, call: SubscriptionRequest) -> None:
        assert self.server is not None
        call.options.num_pubs = 3
        self.server.replies.answer(call)

    def _close(self, call: Close) -> None:
        assert self.server is not None
        self.queue[:0] = call.unreceived
        self.server.replies.answer(call)

    def _plain(self, call: Call) -> None:
        assert self.server is not None
        self.server.replies.answer(call)

    def _set(self, call: Set) -> None:
        self._plain(call)

    def _commit(self, call: Commit) -> None:
        self._plain(call)

    def _backout(self, call: Backout) -> None:
        self._plain(call)

    def _disconnect(self, call: Disconnect) -> None:
        self._plain(call)


def drained(machine: Any) -> Iterator[bytes]:
    """All that a machine has to send."""
    while pieces := machine.link.wire.take():
        yield from pieces


def client_pair(
    *,
    server: dict[str, Any] | None = None,
    cuts: Iterator[int] | None = None,
    hears: Callable[[str, bytes], None] | None = None,
    **client: Any,
) -> ClientPair:
    """A client and a queue manager that have not spoken yet; ``client`` and ``server`` are changes of parameters."""
    parameters = ClientParameters(
        **{"channel_name": CHANNEL, "queue_manager": "QM1", "user": "app", "max_message_length": 4_194_304, **client}
    )
    definition = ServerParameters(**{"channel_name": CHANNEL, "queue_manager": "QM1", **(server or {})})
    pair = ClientPair(ClientConnection(parameters, 1000.0), definition, Responder(1000.0))
    pair.cuts, pair.hears = cuts, hears
    return pair


def connected_pair(**changes: Any) -> ClientPair:
    """The same, connected."""
    pair = client_pair(**changes)
    pair.pump()
    assert pair.client.connected, pair.client_events
    return pair
