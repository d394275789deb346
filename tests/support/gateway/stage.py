"""A stage for plays with whole queue managers: operators type, programs put and get, lines break, partners talk.

:class:`Stage` has the clock and the network, :class:`Station` is a queue manager with its channels on it. Nothing goes
wrong unless the play says so. Partners played by hand are in ``channels.partner``.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.queue_manager import Cursor, GetOptions, MQError, PutOptions
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import Objects, define_supplied
from mqbridge.bridge.security.tls import (
    DistinguishedName,
    PeerCertificate,
    TlsConnection,
    TlsFault,
    TlsOffer,
    cipher_spec,
)
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQRQ, SegmentType
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import Segment, SegmentReader
from support.queue_manager.direct_calls import browse
from support.queue_manager.faulty_store import FaultyStore
from support.simulation.clock import SimulatedClock
from support.simulation.network import CALLER, Endpoint, Network, Stream
from support.simulation.node import Node, NodeEnd

Scissors = Callable[[bool, Segment], bool]
"""Told of each segment on the wire and whether the caller sends it; true: the line breaks there."""


class WatchedStream(Stream):
    """A connection that can break before or after a segment of the play's choice."""

    network: WatchedNetwork

    def __init__(self, network: Network, caller: str) -> None:
        super().__init__(network, caller)
        self._readers = (SegmentReader(1 << 30), SegmentReader(1 << 30))
        self._ended = False

    def send(self, side: int, data: bytes) -> None:
        if self._ended or self.broken:
            return
        end = self._cut_at(side, data)
        super().send(side, data[:end])
        if end is not None:
            self._ended = True
            self.network.clock.at(max(self.arrival) + 0.001, self._break)

    def _cut_at(self, side: int, data: bytes) -> int | None:
        """How much of the data still passes; None for all of it."""
        network, reader = self.network, self._readers[side]
        before = reader.offset + len(reader.rest)
        try:
            for segment in reader.feed(data):
                if network.scissors is not None and network.scissors(side == 0, segment):
                    network.scissors = None
                    place = reader.offset if network.cut_behind else reader.offset - segment.length
                    return max(place - before, 0)
        except FramingError:
            pass  # no segments: there is nothing to watch on this side any more
        return None

    def _break(self) -> None:
        self.broken = True
        for side in (0, 1):
            self._hang_up(side)


class WatchedNetwork(Network):
    """A network of such connections; ``down`` refuses new ones."""

    stream_type = WatchedStream
    scissors: Scissors | None = None
    cut_behind = False

    @property
    def down(self) -> bool:
        return self.refuse_rate == 1.0

    @down.setter
    def down(self, value: bool) -> None:
        self.refuse_rate = 1.0 if value else 0.0


class Stage:
    """Simulated time and network, and the queue managers on it by name."""

    def __init__(self) -> None:
        self.clock = SimulatedClock()
        self.random = Random(20030615)
        self.network = WatchedNetwork(self.clock, self.random, delay=0.0005)
        self.stations: dict[str, Station] = {}
        self.by_hand: PeerCertificate | None = None
        """What partners played by hand show when they are called with TLS."""

    def station(self, name: str, script: str = "", **limits: Any) -> Station:
        """A queue manager with the supplied objects, and those of an MQSC script; ``limits``: ``[channels]``."""
        station = self.stations[name] = Station(self, name, ChannelLimits(**limits))
        station.boot()
        station.types_all(script)
        return station

    def wait(self, seconds: float = 2.0) -> None:
        """Time passes."""
        end = self.clock.now + seconds
        self.clock.run(end, lambda: False)
        self.clock.now = end

    def wait_until(self, condition: Callable[[], object], seconds: float = 120.0) -> None:
        """Time passes until something is so; it must be before the seconds are over."""
        if not condition():
            assert self.clock.run(self.clock.now + seconds, lambda: bool(condition())), "it did not come to that"

    def cut_lines(self) -> None:
        """Every connection breaks now; both ends learn of it at once."""
        for stream in self.network.open_streams():
            assert isinstance(stream, WatchedStream)
            stream._break()

    def cut_when(
        self, kind: SegmentType, *, sender: bool | None = None, flags: int | None = None, skip: int = 0, after: bool
    ) -> None:
        """The line will break before, or right ``after``, a segment: the first that fits, or after ``skip`` others.

        ``sender``: by whom it is sent, the end that opened the connection or the other one.
        """
        left = [skip]

        def scissors(by_caller: bool, segment: Segment) -> bool:
            fits = segment.type == kind and sender in (None, by_caller) and flags in (None, segment.flags1)
            if fits:
                left[0] -= 1
            return fits and left[0] < 0

        self.network.scissors, self.network.cut_behind = scissors, after

    def call(self, host: str, endpoint: Callable[[Stream], Endpoint], address: str = CALLER) -> bool:
        """A connection from outside; whether somebody listens there."""
        outcome: list[bool] = []

        def made(stream: Stream) -> Endpoint:
            outcome.append(True)
            return endpoint(stream)

        self.network.connect(host, made, lambda: outcome.append(False), address)
        self.wait_until(lambda: outcome)
        return outcome[0]


def certificate(subject: str, issuer: str = "CN=authority,O=Space", serial: int = 0x2A) -> PeerCertificate:
    """A certificate, with names as IBM MQ displays them."""
    return PeerCertificate(_name(subject), _name(issuer), serial)


def _name(text: str) -> DistinguishedName:
    parts = [part.partition("=") for part in reversed(text.split(","))]
    return DistinguishedName(tuple((kind, value) for kind, _, value in parts))


class Station(Node):
    """A queue manager, its operator and its programs."""

    def __init__(self, stage: Stage, name: str, limits: ChannelLimits) -> None:
        self.stage = stage
        self.lines: list[str] = []
        store = FaultyStore(stage.random)
        super().__init__(name, stage.clock, stage.network, stage.random, [], self.lines.append, store)
        self.limits = limits
        self.certificate: PeerCertificate | None = certificate(f"CN={name},O=Space")
        """What it shows in handshakes, of which the stage plays the outcome alone."""

    def agrees(self, offer: TlsOffer | None, stream: Stream) -> TlsConnection | TlsFault | None:
        """The outcome of a handshake without OpenSSL, by the same rules; a partner played by hand agrees to all."""
        if offer is None:
            return None
        other = stream.ends[1]
        if not isinstance(other, NodeEnd):
            return TlsConnection("TLSV13", offer.cipher_specs[0], offer.server_name, certificate=self.stage.by_hand)
        theirs = other.node.gateway.connections.answering_offer(other.connection, offer.server_name)
        common = [each for each in theirs.cipher_specs if each in offer.cipher_specs]
        if not common:
            text, kind = "no common CipherSpec", int(MQRQ.SSL_HANDSHAKE_ERROR)
            fault = TlsFault("AMQ9616", (text,), qualifier=kind, stage=text, return_code=402)
            driver = other.connection
            other.node.call(lambda: other.node.gateway.connections.tls_failed(driver, fault, self.clock.now))
            return fault
        spec = cipher_spec(common[0])
        assert spec is not None
        name = offer.server_name
        assert isinstance(other.node, Station)
        other.connection.tls = TlsConnection(spec.protocol, spec.name, name, theirs.channel, "", self.certificate)
        return TlsConnection(spec.protocol, spec.name, name, offer.channel, "", other.node.certificate)

    def define_first(self, objects: Objects, now: float) -> None:
        define_supplied(objects, now)

    def restart(self, seconds: float = 2.0) -> None:
        """The process dies and comes back."""
        self.kill()
        self.stage.wait(seconds)
        assert self.alive

    # Operators

    def enters(self, command: str) -> CommandReply:
        """The reply to an MQSC command, good or bad."""
        replies: list[CommandReply] = []
        commands = Commands(self.manager, self.control, self.clock.now)
        self.call(lambda: commands.execute(command, self.clock.now, replies.append))
        self.stage.wait_until(lambda: replies)
        return replies[0]

    def types(self, command: str) -> CommandReply:
        """The reply to a command that must succeed."""
        reply = self.enters(command)
        assert reply.ok, reply.responses
        return reply

    def types_all(self, script: str) -> None:
        """Commands, one a line."""
        for line in filter(None, map(str.strip, script.splitlines())):
            self.types(line)

    def is_refused(self, command: str, amq: str) -> None:
        """A command that must fail, with this message."""
        reply = self.enters(command)
        assert not reply.ok, reply.responses
        assert [response.amq for response in reply.responses] == [amq], reply.responses

    def rows(self, command: str) -> list[dict[str, str]]:
        """The rows of a DISPLAY; none where it finds nothing."""
        reply = self.enters(command)
        return [{keyword: cell.text for keyword, cell in row.items()} for row in reply.rows]

    def row(self, channel: str, *, saved: bool = False) -> dict[str, str]:
        """The one row of DISPLAY CHSTATUS for a channel."""
        (row,) = self.rows(f"DISPLAY CHSTATUS('{channel}') {'SAVED' if saved else ''} ALL")
        return row

    def status(self, channel: str) -> str:
        """STATUS of a channel; INACTIVE where DISPLAY CHSTATUS has no row, several words where it has several."""
        words = sorted(row["STATUS"] for row in self.rows(f"DISPLAY CHSTATUS('{channel}') ALL"))
        return " ".join(words) or "INACTIVE"

    def logged(self, amq: str) -> list[str]:
        """What the operator was told under this message id."""
        return [line.split(" ", 2)[2] for line in self.lines if line.startswith(f"{self.name} {amq} ")]

    # Programs

    def put(self, queue: str, data: bytes = b"data", queue_manager: str = "", **fields: Any) -> Message:
        """A program puts a message, persistent unless it says otherwise, and waits until it is on disk."""
        message = Message.build(data, **{"format": "MQSTR", "persistence": 1, "expiry": -1, **fields})
        done: list[MQError | None] = []

        def put() -> None:
            target = self.manager.resolve(queue, queue_manager)
            self.manager.put(target, message, PutOptions(), None, self.clock.now, done.append)

        self.call(put)
        self.stage.wait_until(lambda: done)
        assert done == [None]
        return message

    def put_many(self, queue: str, *data: bytes, **fields: Any) -> None:
        """Messages in one unit of work: they become visible together."""
        unit = self.manager.begin()
        target = self.manager.resolve(queue)
        done: list[MQError | None] = []
        for each in data:
            message = Message.build(each, **{"format": "MQSTR", "persistence": 1, "expiry": -1, **fields})
            self.manager.put(target, message, PutOptions(), unit, self.clock.now)
        self.call(lambda: self.manager.commit(unit, self.clock.now, done.append))
        self.stage.wait_until(lambda: done)
        assert done == [None]

    def get(self, queue: str) -> Message | None:
        """A program gets the next message, for good."""
        found: list[Any] = []
        source = self.manager.local_queue(queue)
        self.call(lambda: found.append(self.manager.get(source, GetOptions(), None, self.clock.now)))
        self.stage.wait(0.05)
        return None if found[0] is None else found[0].message

    def got(self, queue: str) -> Message:
        """The next message, which must be there."""
        message = self.get(queue)
        assert message is not None, f"nothing on {queue} of {self.name}"
        return message

    def contents(self, queue: str) -> list[bytes]:
        """Data of all messages of a queue, browsed."""
        cursor, found = Cursor(), []
        source, options = self.manager.local_queue(queue), GetOptions(MQGMO.BROWSE_NEXT)
        while (got := browse(self.manager, source, cursor, options, self.clock.now)) is not None:
            found.append(got.message.data)
        return found

    def depth(self, queue: str) -> int:
        """CURDEPTH: visible or not."""
        found = self.manager.queue(queue)
        assert found is not None, queue
        return found.depth


SENDER = """
    DEFINE QLOCAL({to}) USAGE(XMITQ) {queue}
    DEFINE CHANNEL({own}.{to}) CHLTYPE(SDR) XMITQ({to}) CONNAME({to}) {channel}
    DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME({to})
"""
RECEIVER = """
    DEFINE QLOCAL(TARGET)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE CHANNEL({other}.{own}) CHLTYPE(RCVR) {channel}
"""
TRIGGERED = "TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)"


def earth_and_saturn(
    sender: str = "", receiver: str = "", queue: str = "", *, start: bool = True, **limits: Any
) -> tuple[Stage, Station, Station]:
    """EARTH sends to SATURN: channel EARTH.SATURN, remote queue FAR at EARTH, queues TARGET and DLQ at SATURN.

    The strings are further attributes of sender, receiver and transmission queue.
    """
    stage = Stage()
    if "SHORTTMR" not in sender:
        sender += " SHORTTMR(5)"
    earth = stage.station("EARTH", SENDER.format(own="EARTH", to="SATURN", channel=sender, queue=queue))
    saturn = stage.station("SATURN", RECEIVER.format(other="EARTH", own="SATURN", channel=receiver), **limits)
    if start:
        earth.types("START CHANNEL(EARTH.SATURN)")
        stage.wait_until(lambda: earth.status("EARTH.SATURN") == "RUNNING")
    return stage, earth, saturn
