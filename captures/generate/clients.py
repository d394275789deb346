"""Conversations of clients: our client's and server's machines joined in memory, with canned answers.

A :class:`ClientTraffic` defines the calls of a program; its queue manager is a list of messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypeAlias

from mqbridge.captures.generate.channels import made_text, message_id
from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.captures.generate.run import MachineRun
from mqbridge.protocol.channel import ChannelRequested, Responder
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.mqi import (
    Call,
    Close,
    Connect,
    Delivery,
    Get,
    Inquire,
    MessagesWanted,
    Open,
    Put,
    ServerConnection,
    ServerParameters,
)
from mqbridge.protocol.mqi_client import Call as Made
from mqbridge.protocol.mqi_client import ClientConnection, ClientParameters, GetParameters, ObjectName, opened
from mqbridge.protocol.structures.md import MD

ALL_OPTIONS: Final = MQOO.OUTPUT | MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.INQUIRE
"""MQOO of a program that uses its queue in every way."""

Answer: TypeAlias = Callable[["ClientRun", Any], bool]
"""Answers a call in place of the canned answer; returns False if it does not."""


@dataclass(slots=True, kw_only=True)
class ClientTraffic:
    """Actions of one client.

    ``puts``: bytes of each message to put. ``gets``: number of messages to get afterwards. ``browses``, ``inquiries``
    and ``empty_gets`` (gets that find nothing): their number. ``syncpoint``: puts and gets are committed,
    ``commit_every`` at a time. ``think``: seconds between two calls. ``work``: seconds that the queue manager needs per
    call. ``refuse``: reason codes by class of call. ``program``: actions in place of all these calls. ``client``,
    ``server``: further parameters of each end.
    """

    channel: str = "DEV.APP.SVRCONN"
    queue_manager: str = "QM1"
    queue: str = "DEV.QUEUE.1"
    user: str = "app"
    puts: Sequence[int] = (100, 200)
    gets: int = 0
    browses: int = 0
    empty_gets: int = 0
    inquiries: int = 0
    syncpoint: bool = False
    commit_every: int = 1
    persistent: bool = True
    wait: float = 0.0
    think: float = 0.001
    work: float = 0.000_3
    quiet: float = 0.0
    disconnects: bool = True
    asynchronous: bool = False
    refuse: dict[type, int] = field(default_factory=dict)
    answers: dict[type, Answer] = field(default_factory=dict)
    program: Callable[[ClientRun], Any] | None = None
    client: dict[str, Any] = field(default_factory=dict)
    server: dict[str, Any] = field(default_factory=dict)
    end: End = End.CLOSED


class ClientRun(MachineRun):
    """Run of one program from its connection to its end."""

    def __init__(self, traffic: ClientTraffic, random: Random, now: float) -> None:
        super().__init__(random, now)
        self.traffic = traffic
        parameters: dict[str, Any] = {
            "channel_name": traffic.channel,
            "queue_manager": traffic.queue_manager,
            "user": traffic.user,
            "max_message_length": 4_194_304,
            "nonce": random.randbytes(12),
        }
        self.client = ClientConnection(ClientParameters(**{**parameters, **traffic.client}), now)
        definition: dict[str, Any] = {
            "channel_name": traffic.channel,
            "queue_manager": traffic.queue_manager,
            "queue_manager_id": f"{traffic.queue_manager}_2026-01-01_00.00.00",
            "nonce": random.randbytes(12),
        }
        self.definition = ServerParameters(**{**definition, **traffic.server})
        self.responder = Responder(now)
        self.server: ServerConnection | None = None
        self.queue: list[tuple[bytes, bytes]] = []
        self.delivery: Delivery | None = None
        self.handle = 0

    def run(self) -> MadeConversation:
        """Connect, make all calls, disconnect; return the conversation."""
        traffic = self.traffic
        self.pump()
        if self.client.connected:
            (self.traffic.program or ClientRun.work)(self)
            self.let_pass(traffic.quiet)
            if traffic.disconnects and not self.client.link.closed:
                self.done(self.client.calls.disconnect(self.now))
        self.conversation.ended = self.now
        self.conversation.end = traffic.end
        return self.conversation

    def open(self, options: int = ALL_OPTIONS) -> bool:
        """Open the queue; return whether that succeeded."""
        call = self.done(self.client.calls.open(ObjectName(name=self.traffic.queue), options, self.now))
        if not call.failed:
            self.handle = opened(call).handle
        return not call.failed

    def close(self) -> None:
        """Close the queue."""
        self.done(self.client.calls.close_object(self.handle, 0, self.now))

    def work(self) -> None:
        """Make the calls between connecting and disconnecting."""
        traffic = self.traffic
        if not self.open():
            return
        for number, size in enumerate(traffic.puts):
            self.put(size)
            self.commit_after(number)
        for number in range(traffic.browses):
            option = MQGMO.BROWSE_NEXT if number else MQGMO.BROWSE_FIRST
            self.get(int(option))
        for _ in range(traffic.inquiries):
            self.done(self.client.calls.inquire(self.handle, (3,), 0, self.now))
        for number in range(traffic.gets):
            self.get(MQGMO.SYNCPOINT if traffic.syncpoint else MQGMO.NO_SYNCPOINT)
            self.commit_after(number)
        for _ in range(traffic.empty_gets):
            self.queue.clear()
            self.get(MQGMO.NO_SYNCPOINT)
        self.close()

    def commit_after(self, number: int) -> None:
        """Commit if the unit of work is full."""
        if self.traffic.syncpoint and (number + 1) % self.traffic.commit_every == 0:
            self.done(self.client.calls.commit(self.now))

    def put(self, size: int) -> Made:
        """Put one message."""
        traffic = self.traffic
        assert self.client.agreed is not None
        order = self.client.link.wire.writer.order
        descriptor = MD.codec(order)(
            version=2,
            format=b"MQSTR   ",
            coded_char_set_id=819,
            persistence=int(traffic.persistent),
            msg_id=bytes(24),
        ).build()
        options = MQPMO.SYNCPOINT if traffic.syncpoint else MQPMO.NO_SYNCPOINT
        options |= MQPMO.ASYNC_RESPONSE if traffic.asynchronous else 0
        self.conversation.messages += 1
        return self.done(
            self.client.calls.put(self.handle, descriptor, made_text(size, self.random), options, self.now)
        )

    def get(self, options: int) -> Made:
        """Get or browse one message."""
        traffic = self.traffic
        wanted = GetParameters(options=options | (MQGMO.WAIT if traffic.wait else 0), wait=traffic.wait or 0.0)
        call = self.client.calls.get(self.handle, wanted, self.now)
        self.pump()
        if not call.done:
            self.let_pass(traffic.wait + 1.0)
        if not call.failed:
            self.conversation.messages += 1
        self.now += traffic.think
        return call

    def done(self, call: Made) -> Made:
        """Carry bytes until a call is done, then wait for the think time."""
        self.pump()
        if not call.done and not self.client.link.closed:
            raise RuntimeError(f"call {call.type:#x} of a made client was never answered")
        self.now += self.traffic.think
        return call

    def machine(self, direction: Direction) -> Any:
        """Return the client, or the server, a responder at first."""
        return self.client if direction is Direction.INITIATOR else self.server or self.responder

    # The queue manager

    def act(self, direction: Direction, events: Iterable[Any]) -> None:
        """Answer the events of the server; the program asks the client itself."""
        if direction is Direction.INITIATOR:
            return
        for event in events:
            if isinstance(event, Call):
                self.now += self.traffic.work
                other = self.traffic.answers.get(type(event))
                if other is None or not other(self, event):
                    self._answer_call(event)
            elif isinstance(event, ChannelRequested):
                self.server, more = ServerConnection.answering(self.responder, self.definition, self.now)
                self.act(direction, more)
            elif isinstance(event, MessagesWanted):
                self.now += self.traffic.work
                self.delivery = event.delivery
                self._deliver()

    def _answer_call(self, call: Call) -> None:
        server = self.server
        assert server is not None
        reason = self.traffic.refuse.get(type(call))
        if reason is not None:
            server.replies.refuse(call, reason)
        elif isinstance(call, Connect):
            name = self.traffic.queue_manager[:12].encode().ljust(12)
            server.replies.connect(call, connection_id=b"AMQC" + name + self.random.randbytes(8))
        elif isinstance(call, Open):
            server.replies.open(call, 2, persistence=0, put_response=1, read_ahead=0, property_control=0)
        elif isinstance(call, Put):
            md = MD.codec(call.order).parse(call.descriptor)
            number = len(self.queue) + 1
            md.msg_id = message_id(self.traffic.queue_manager, number, self.random, self.now)
            call.descriptor = md.build()
            data = call.data if isinstance(call.data, bytes) else b"".join(call.data)
            self.queue.append((call.descriptor, data))
            if call.wanted:
                server.replies.answer(call)
        elif isinstance(call, Get):
            self._reply_get(server, call)
        elif isinstance(call, Inquire):
            server.replies.inquire(call, [7] * call.int_attr_count, b"")
        elif isinstance(call, Close):
            self.queue[:0] = call.unreceived
            server.replies.answer(call)
        elif call.wanted:
            server.replies.answer(call)

    def _reply_get(self, server: ServerConnection, call: Get) -> None:
        browse = int(call.options.record.options) & (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT)
        if not self.queue:
            server.replies.refuse(call, MQRC.NO_MSG_AVAILABLE)
            return
        call.descriptor, data = self.queue[0] if browse else self.queue.pop(0)
        server.replies.get(call, data)

    def _deliver(self) -> None:
        delivery, server = self.delivery, self.server
        if delivery is None or server is None:
            return
        while delivery.ready:
            if not self.queue:
                server.deliveries.no_message(delivery)
                return
            browse = delivery.options & (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT)
            descriptor, data = self.queue[0] if browse else self.queue.pop(0)
            server.deliveries.send(
                delivery,
                descriptor,
                data,
                token=self.random.randbytes(16),
                queue=self.traffic.queue.encode(),
                reference=(descriptor, data),
            )
            if browse:
                return


def client_conversation(traffic: ClientTraffic, random: Random, now: float) -> MadeConversation:
    """Return what a client and its queue manager send from the first byte to the last."""
    return ClientRun(traffic, random, now).run()
