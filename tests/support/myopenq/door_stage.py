"""A door of MyOpenQ without sockets: a queue manager on a store in memory, its driver, and callers."""

from __future__ import annotations

from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.myopenq.asking import Asking, Written
from mqbridge.bridge.agents.myopenq.definitions import Definitions
from mqbridge.bridge.agents.myopenq.digest_lists import DigestLists
from mqbridge.bridge.agents.myopenq.door import Door
from mqbridge.bridge.agents.myopenq.queues import Queues
from mqbridge.bridge.agents.myopenq.settings import DoorSettings
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.effects import Log
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects, define_supplied
from mqbridge.protocol.myopenq import (
    Answer,
    Create,
    Packet,
    PacketReader,
    QueueType,
    Request,
    build_packet,
    write_request,
)
from support.queue_manager.host import NOW, FailingStore

LOCAL = "127.0.0.1"


class Caller:
    """One packet, and what became of it. ``written``: whom to tell that the answer was written, in framed mode."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.written: Written | None = None
        self.asking: Asking | None = None

    def take(self, answer: Answer, written: Written | None) -> None:
        self.answers.append(answer)
        self.written = written

    @property
    def code(self) -> int | None:
        """The code of its answer, 0 for success; None while there is none."""
        assert len(self.answers) < 2
        return self.answers[0].code if self.answers else None

    @property
    def payload(self) -> bytes:
        assert len(self.answers) == 1
        return self.answers[0].payload


def packet_of(data: bytes, *, framed: bool = True) -> Packet:
    """The packet of its bytes."""
    reader = PacketReader(framed)
    reader.receive(data)
    found = reader.next_packet()
    assert found is not None
    assert not reader.pending
    return found


class DoorStage:
    """A queue manager ``EARTH`` with one door; ``settings`` of the door. ``reads``: answers are written at once."""

    def __init__(self, *, framed: bool = True, **settings: Any) -> None:
        self.settings = DoorSettings(name="DOOR", **{"framed": framed, "max_message": 1024} | settings)
        self.now = NOW
        self.store = FailingStore()
        objects = Objects("EARTH", NOW)
        define_supplied(objects, NOW)
        self.store.commit([objects.operations()])
        self.hold = False
        self.reads = True
        self.shut_down = 0
        self.log: list[Log] = []
        self._boot(objects)

    def _boot(self, objects: Objects) -> None:
        self.manager = QueueManager("EARTH", self.store, objects, self.now)
        self.gateway = Gateway(self.manager, self.store, ChannelLimits(), self.now)
        host = self.gateway.channel_manager
        self.definitions = Definitions(self.store)
        self.lists = DigestLists(self.store)
        self.queues = Queues(host, self.definitions)
        self.door = Door(host, self.settings, self.queues, self.lists, Random(1))
        self.door.shut_down = self._shut_down
        self.gateway.carriers.add(self.door)
        self.door.start(self.now)
        self.pump()

    def _shut_down(self) -> None:
        self.shut_down += 1

    def restart(self) -> None:
        """The process dies, with all that is not committed, and starts again."""
        self.store = FailingStore(self.store._tables)
        self.hold = False
        self.now += 10
        objects = Objects("EARTH", self.now)
        objects.load(self.store.records(TABLE))
        self._boot(objects)

    # Driving

    def pump(self) -> None:
        """Do all that is pending; with ``hold`` nothing is committed."""
        while True:
            self.gateway.settle(self.now)
            for effect in self.gateway.take_effects():
                if isinstance(effect, Log):
                    self.log.append(effect)
            if self.hold:
                return
            pending = self.manager.take_commits()
            if not pending:
                if not self.gateway.has_more:
                    return
                continue
            errors = self.store.commit([each.operations for each in pending])
            for each, error in zip(pending, errors, strict=True):
                self.gateway.committed(each, error, self.now)

    def release(self) -> None:
        """Commit again."""
        self.hold = False
        self.pump()

    def advance(self, seconds: float) -> None:
        """Let time pass, with its deadlines."""
        until = self.now + seconds
        while True:
            due = self.gateway.next_timeout()
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            self.gateway.timeout(self.now)
            self.pump()
        self.now = until
        self.gateway.timeout(self.now)
        self.pump()

    # Calling

    def send(self, data: bytes, address: str = LOCAL) -> Caller:
        """Ask what the bytes of one packet ask."""
        caller = Caller()
        caller.asking = self.door.ask(packet_of(data, framed=self.settings.framed), address, caller.take, self.now)
        self.pump()
        if self.reads and caller.written is not None:
            caller.written(True)
            self.pump()
        return caller

    def packet(self, request: Request, stamp: int = 1, *, sign: bool = False, secret: bytes = b"") -> bytes:
        """The bytes of a packet."""
        return build_packet(*write_request(request, self.settings.framed), stamp, sign=sign, secret=secret)

    def ask(self, request: Request, stamp: int = 1, *, sign: bool = False, address: str = LOCAL) -> Caller:
        """Ask a request."""
        return self.send(self.packet(request, stamp, sign=sign), address)

    def create(self, name: str, size: int = 100, length: int = 100, **values: Any) -> Caller:
        """Create a local queue."""
        return self.ask(Create(name, size, length, QueueType.LOCAL, **values))

    # Looking

    def texts(self, name: str) -> list[bytes]:
        """What is on a queue, by way of the queue manager."""
        queue = self.manager.queue(name)
        assert queue is not None
        found = [self.manager.message_at(queue, place, self.now) for place in range(queue.visible)]
        return [message.data for message in found if message is not None]

    def define(self, name: str, kind: Kind = Kind.QLOCAL, **attributes: Any) -> None:
        """Define a queue as an operator does."""
        self.manager.submit(self.manager.objects.define(kind, name, attributes, self.now).operations)
        self.pump()
