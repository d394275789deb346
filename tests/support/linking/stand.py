"""A link at a queue manager, with a provider played by hand: requests are noted, events are given."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.effects import AbandonProvider, ConnectToProvider, Log, SendToProvider
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.mapping import MessageMapping
from mqbridge.bridge.agents.linking.provider import (
    Accepted,
    Attached,
    Credit,
    DeliveryState,
    Lost,
    Opened,
    Outcome,
    ProviderEvent,
    Received,
)
from mqbridge.bridge.agents.linking.settings import LinkSettings, ReceiveEnd, SendEnd
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects
from mqbridge.bridge.store.interface import StoreError, Unit
from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, BodyKind
from mqbridge.mappings.message import Message
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.host import NOW, FailingStore

from .broker import digest_of
from .mapping import PlainMapping

SOURCE, SINK, DEAD = "TO.STOCK", "FROM.STOCK", "DLQ"
STOCK_IN, STOCK_OUT = "stock.in", "stock.out"


class NotedConnection:
    """A `ProviderConnection` that notes what it is asked: name of the request and its arguments."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def attach_sender(self, handle: int, address: str) -> None:
        self.asked.append(("attach_sender", handle, address))

    def attach_receiver(self, handle: int, address: str) -> None:
        self.asked.append(("attach_receiver", handle, address))

    def grant_credit(self, handle: int, number: int) -> None:
        self.asked.append(("grant_credit", handle, number))

    def send(self, handle: int, tag: bytes, message: AmqpMessage, *, settled: bool = False) -> None:
        self.asked.append(("send", handle, tag, message))

    def settle(self, handle: int, delivery: int, state: DeliveryState) -> None:
        self.asked.append(("settle", delivery, state))

    def detach(self, handle: int) -> None:
        self.asked.append(("detach", handle))

    def close(self) -> None:
        self.asked.append(("close",))


class StandStore(FailingStore):
    """Notes the units that it commits."""

    def __init__(self, tables: Any = None) -> None:
        super().__init__(tables)
        self.units: list[Unit] = []

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        if self.failure is None:
            self.units += units
        return super().commit(units)


class Stand:
    """Queue manager EARTH with the queues of one link. ``hold`` keeps commits waiting until `pump`."""

    def __init__(self, mapping: MessageMapping | None = None, seed: int = 1, **settings: Any) -> None:
        given: dict[str, Any] = {
            "name": "warehouse",
            "send": (SendEnd(SOURCE, STOCK_IN),),
            "receive": (ReceiveEnd(STOCK_OUT, SINK),),
        }
        self.settings = LinkSettings(**(given | settings))
        self.mapping = mapping or PlainMapping()
        self.random = Random(seed)
        self.now = NOW
        self.hold = False
        self.store = StandStore()
        self.logged: list[tuple[Any, ...]] = []
        self.effects: list[Any] = []
        objects = Objects("EARTH", NOW)
        for name in (SOURCE, SINK, DEAD):
            objects.define(Kind.QLOCAL, name, {}, NOW)
        objects.alter(Kind.QMGR, "EARTH", {"DEADQ": DEAD}, NOW)
        self.store.commit([objects.operations()])
        self._boot(objects)

    def _boot(self, objects: Objects) -> None:
        self.connection = NotedConnection()
        self.manager = DirectQueueManager("EARTH", self.store, objects, self.now)
        self.gateway = Gateway(self.manager, self.store, ChannelLimits(), self.now)
        self.link = Link(self.settings, self.gateway.channel_manager, self.mapping, self.random)
        self.gateway.carriers.add(self.link)
        self.pump()

    def restart(self) -> None:
        """The process is gone and starts again, without connecting."""
        self.now += 10
        self.hold = False
        self.store = StandStore(self.store._tables)
        objects = Objects("EARTH", self.now)
        objects.load(self.store.records(TABLE))
        self.effects.clear()
        self._boot(objects)

    def pump(self) -> None:
        gateway, manager = self.gateway, self.manager
        while True:
            gateway.settle(self.now)
            for effect in gateway.take_effects():
                if isinstance(effect, Log):
                    self.logged.append((effect.amq, *effect.inserts))
                else:
                    self.effects.append(effect)
            pending = [] if self.hold else manager.take_commits()
            if not pending:
                return
            answers = self.store.commit([each.operations for each in pending])
            for each, error in zip(pending, answers, strict=True):
                gateway.committed(each, error, self.now)

    def let_commit(self) -> None:
        """Does the commits that were held."""
        self.hold = False
        self.pump()

    # The provider

    def start(self, *, credit: int = 100) -> None:
        """The link connects, and all its ends are attached."""
        self.link.start(self.now)
        self.pump()
        self.opens(credit=credit)

    def opens(self, *, credit: int = 100, anonymous_relay: bool = True) -> None:
        """The provider opens the connection and attaches all ends."""
        assert self.took(ConnectToProvider), "the link does not connect"
        self.connection = NotedConnection()
        self.link.connected(self.connection, self.now)
        self.receive(Opened("broker", "scripted", anonymous_relay))
        self.attach(credit=credit)

    def attach(self, *, credit: int = 100) -> None:
        """The provider attaches the ends that ask for it."""
        for request in list(self.connection.asked):
            if request[0].startswith("attach"):
                self.connection.asked.remove(request)
                self.receive(Attached(request[1], address=request[2]))
                if request[0] == "attach_sender" and credit:
                    self.receive(Credit(request[1], credit))

    def receive(self, *events: ProviderEvent) -> None:
        self.link.receive(events, self.now)
        self.pump()

    def lose(self) -> None:
        self.receive(Lost("cut"))

    def reconnect(self, *, credit: int = 100) -> None:
        """The connection is lost and made again."""
        self.lose()
        self.wait(60)
        self.opens(credit=credit)

    def took(self, kind: type) -> list[Any]:
        """The effects of a kind since the last call."""
        found = [each for each in self.effects if isinstance(each, kind)]
        self.effects = [each for each in self.effects if not isinstance(each, kind)]
        return found

    @property
    def given_up(self) -> bool:
        """Whether the link has given up a connection since the last call."""
        return bool(self.took(AbandonProvider))

    @property
    def flushed(self) -> bool:
        """Whether the link has asked for its requests to be sent since the last call."""
        return bool(self.took(SendToProvider))

    def asked(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of requests of a name since the last call."""
        found = [each[1:] for each in self.connection.asked if each[0] == name]
        self.connection.asked = [each for each in self.connection.asked if each[0] != name]
        return found

    def sent(self) -> list[tuple[int, bytes, AmqpMessage]]:
        """Handle, tag and message of what was sent since the last call."""
        return self.asked("send")  # type: ignore[return-value]

    def settles(self, sent: Sequence[tuple[int, bytes, AmqpMessage]], state: DeliveryState | None = None) -> None:
        """The provider states one outcome of several messages."""
        self.receive(*[Outcome(handle, tag, state or Accepted()) for handle, tag, _ in sent])

    def deliver(self, *messages: AmqpMessage, handle: int = 2, first: int = 1, settled: bool = False) -> None:
        """The provider delivers messages together."""
        events = [
            Received(handle, first + index, each, digest_of(each), settled=settled)
            for index, each in enumerate(messages)
        ]
        self.receive(*events)

    # The queue manager

    def alter(self, name: str, **attributes: Any) -> None:
        change = self.manager.objects.alter(Kind.QLOCAL, name, attributes, self.now)
        self.manager.submit(change.operations)
        self.manager.objects_changed(self.now)
        self.pump()

    def define(self, name: str, **attributes: Any) -> None:
        change = self.manager.objects.define(Kind.QLOCAL, name, attributes, self.now)
        self.manager.submit(change.operations)
        self.pump()

    def types(self, command: str) -> CommandReply:
        """The reply to an operator's command."""
        replies: list[CommandReply] = []
        commands = Commands(self.manager, Control(self.gateway.channel_manager), self.now)
        commands.execute(command, self.now, replies.append)
        self.pump()
        return replies[0]

    def put(self, body: bytes = b"data", queue: str = SOURCE, **fields: Any) -> Message:
        message = Message.build(body, **({"persistence": 1, "expiry": -1} | fields))
        from mqbridge.bridge.queue_manager import PutOptions

        self.manager.put(self.manager.resolve(queue), message, PutOptions(), None, self.now, None)
        self.pump()
        return message

    def contents(self, queue: str) -> list[Message]:
        """The messages of a queue, which leave it."""
        from mqbridge.bridge.queue_manager import GetOptions

        found, source = [], self.manager.local_queue(queue)
        while (got := self.manager.get(source, GetOptions(), None, self.now)) is not None:
            found.append(got.message)
        self.pump()
        return found

    def depth(self, queue: str) -> int:
        found = self.manager.queue(queue)
        assert found is not None
        return found.depth

    def hidden(self, queue: str) -> int:
        """Number of messages that are got and not committed."""
        found = self.manager.queue(queue)
        assert found is not None
        return found.uncommitted_gets

    def rows(self, table: str) -> list[bytes]:
        return [value for _, value in self.store.records(table)]

    def wait(self, seconds: float) -> None:
        """Time passes; what is due happens at its time."""
        end = self.now + seconds
        while (due := self.gateway.next_timeout()) is not None and due <= end:
            self.now = max(self.now, due)
            self.gateway.timeout(self.now)
            self.pump()
            if self.took(ConnectToProvider):
                self.effects.append(ConnectToProvider(self.link))
                return
        self.now = end


def amqp(
    body: bytes = b"data", identifier: str | None = "ID:1", *, durable: bool = True, **properties: Any
) -> AmqpMessage:
    """A message of the provider."""
    return AmqpMessage(BodyKind.DATA, body, AmqpProperties(message_id=identifier, **properties), durable=durable)
