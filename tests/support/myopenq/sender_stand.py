"""Senders at a queue manager, with the other manager played by hand: packets are noted, answers are given."""

from __future__ import annotations

from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.myopenq.sending.context import SendingContext
from mqbridge.bridge.agents.myopenq.sending.effects import CallManager, LeaveManager, SendToManager
from mqbridge.bridge.agents.myopenq.sending.sender import Sender
from mqbridge.bridge.agents.myopenq.sending.senders import Senders
from mqbridge.bridge.agents.myopenq.sending.stamps_on_disk import TABLE
from mqbridge.bridge.queue_manager import GetOptions, PutOptions
from mqbridge.bridge.queue_manager.effects import Log
from mqbridge.bridge.queue_manager.objects import TABLE as OBJECTS
from mqbridge.bridge.queue_manager.objects import Kind, Objects
from mqbridge.mappings.message import Message
from mqbridge.protocol.myopenq import SUCCESS, Answer, Code, Create, Packet, PacketReader, QueueType
from support.linking.stand import StandStore
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.host import NOW

QUEUE = "ORDERS"


class SenderStand:
    """Queue manager EARTH with remote queues that lead to one other manager. ``hold`` keeps commits waiting."""

    def __init__(self, *names: str, **context: Any) -> None:
        self.queues = [remote_queue(each, f"THERE.{each}") for each in names or (QUEUE,)]
        self.given = context
        self.now = NOW
        self.hold = False
        self.store = StandStore()
        self.logged: list[tuple[Any, ...]] = []
        objects = Objects("EARTH", NOW)
        for each in self.queues:
            objects.define(Kind.QLOCAL, each.queue, {"MSGDLVSQ": "FIFO"}, NOW)
        self.store.commit([objects.operations()])
        self._boot(objects)

    def _boot(self, objects: Objects) -> None:
        self.connected: dict[Any, PacketReader] = {}
        self.calling: list[Any] = []
        self.packets: list[tuple[str, Packet]] = []
        self.left = 0
        self.manager = DirectQueueManager("EARTH", self.store, objects, self.now)
        self.gateway = Gateway(self.manager, self.store, ChannelLimits(), self.now)
        context = SendingContext(self.gateway.channel_manager, Random(1), **self.given)
        self.senders = Senders(self.gateway.carriers, context, self.queues)
        self.gateway.carriers.start_all(self.now)
        self.pump()

    def restart(self) -> None:
        """The process is gone and starts again, without connecting."""
        self.now += 10
        self.hold = False
        self.store = StandStore(self.store._tables)
        objects = Objects("EARTH", self.now)
        objects.load(self.store.records(OBJECTS))
        self._boot(objects)

    def pump(self) -> None:
        gateway, manager = self.gateway, self.manager
        while True:
            gateway.settle(self.now)
            effects = gateway.take_effects()
            for effect in effects:
                self._perform(effect)
            pending = [] if self.hold else manager.take_commits()
            answers = self.store.commit([each.operations for each in pending])
            for each, error in zip(pending, answers, strict=True):
                gateway.committed(each, error, self.now)
            if not pending and not effects:
                return

    def _perform(self, effect: Any) -> None:
        if isinstance(effect, Log):
            self.logged.append((effect.amq, *effect.inserts))
        elif isinstance(effect, CallManager):
            self.calling.append(effect.sender)
        elif isinstance(effect, LeaveManager):
            self.left += 1
            self.connected.pop(effect.sender, None)
            self.calling = [each for each in self.calling if each is not effect.sender]
        elif isinstance(effect, SendToManager):
            reader = self.connected[effect.sender]
            reader.receive(effect.sender.take())
            self.packets += [(effect.sender.name, each) for each in reader.packets()]

    def let_commit(self) -> None:
        """Does the commits that were held."""
        self.hold = False
        self.pump()

    def sender(self, name: str = QUEUE) -> Sender:
        (found,) = self.gateway.carriers.named(name)
        assert isinstance(found, Sender)
        return found

    # The other manager

    def accept(self) -> None:
        """It accepts the connections that senders wait for."""
        calling, self.calling = self.calling, []
        assert calling, "nobody calls"
        for each in calling:
            self.connected[each] = PacketReader(framed=True)
            each.connected(self.now)
        self.pump()

    def unreachable(self) -> None:
        for each in list(self.calling):
            self.calling.remove(each)
            each.failed("connection refused", self.now)
        self.pump()

    def sent(self) -> list[Packet]:
        """The packets since the last call."""
        found, self.packets = self.packets, []
        return [packet for _, packet in found]

    def receive(self, data: bytes, name: str = QUEUE) -> None:
        """Bytes of it come; none mean that the connection has ended."""
        (connection,) = [each for each in self.connected if each.name == name]
        connection.receive(data, self.now)
        self.pump()

    def answer(self, answer: Answer = SUCCESS, name: str = QUEUE) -> None:
        self.receive(answer.framed(), name)

    def refuse(self, code: int, name: str = QUEUE) -> None:
        self.answer(Answer(code, Code(code).phrase.encode()), name)

    def cut(self, name: str = QUEUE) -> None:
        self.receive(b"", name)

    def takes_all(self) -> list[bytes]:
        """It stores whatever comes, until nothing does; the texts."""
        texts = []
        while self.packets:
            name, packet = self.packets.pop(0)
            texts.append(text_of(packet))
            self.answer(name=name)
        return texts

    # The queue manager

    def put(self, *bodies: bytes, queue: str = QUEUE, **fields: Any) -> None:
        for body in bodies:
            message = Message.build(body, **({"persistence": 1, "expiry": -1} | fields))
            self.manager.put(self.manager.resolve(queue), message, PutOptions(), None, self.now, None)
        self.pump()

    def contents(self, queue: str = QUEUE) -> list[bytes]:
        """The messages of a queue that a program can get, which leave it."""
        found, source = [], self.manager.local_queue(queue)
        while (got := self.manager.get(source, GetOptions(), None, self.now)) is not None:
            found.append(got.message.data)
        self.pump()
        return found

    def hidden(self, queue: str = QUEUE) -> int:
        """Number of messages that are held."""
        found = self.manager.queue(queue)
        assert found is not None
        return found.uncommitted_gets

    def rows(self) -> dict[bytes, bytes]:
        """What the senders have on disk, without the highest time stamp."""
        return {key: value for key, value in self.store.records(TABLE) if key}

    def delete(self, queue: str = QUEUE) -> None:
        """Have a sender end because its queue is deleted."""
        self.senders.deleting(queue)
        self.pump()

    def wait(self, seconds: float) -> None:
        """Time passes; what is due happens at its time."""
        end = self.now + seconds
        while (due := self.gateway.next_timeout()) is not None and due <= end:
            self.now = max(self.now, due)
            self.gateway.timeout(self.now)
            self.pump()
        self.now = end


def remote_queue(name: str, remote_name: str) -> Create:
    return Create(name, 1000, 99_999, QueueType.REMOTE, "10.0.0.2", 9803, remote_name=remote_name)


def text_of(packet: Packet) -> bytes:
    """The text of a PUT."""
    return packet.variable[37:]
