"""One end of a benched channel: a queue manager with store, agents and sockets in a process of its own.

    python bench/channel_worker.py receive FOLDER PORT PAIRS [ATTRIBUTE=VALUE]...
    python bench/channel_worker.py send FOLDER PORT PAIRS [ATTRIBUTE=VALUE]...

The attributes are those of the channels, and ``keys=FOLDER``: a key repository of both ends. Commands come on standard
input, a line each, and answers go to standard output as JSON lines: ``put COUNT SIZE PERSISTENCE``, ``start``,
``stop``, ``wait COUNT`` (until so many messages have arrived), ``clear``, ``running``, ``memory``, ``count``
(heartbeats from now on), ``counted`` (what came since, by channel), ``idle COUNT`` (routes of other queues that have
nothing to do), ``links COUNT PORT`` (the same, links to the provider at this port), ``end``.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from installed_reactor import reactor
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineReceiver

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.routing.reading import read_routes
from mqbridge.bridge.agents.routing.registering import add_routes
from mqbridge.bridge.config import Configuration, LinkSettings, RouteSettings
from mqbridge.bridge.config.carrier_settings import LinkReceiveSettings, LinkSendSettings
from mqbridge.bridge.config.settings import QueueManagerSettings
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.listeners import Listeners
from mqbridge.bridge.endpoints.tap import Tap
from mqbridge.bridge.queue_manager import PutOptions, QueueManager, UnitOfWork
from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_channel_user
from mqbridge.bridge.queue_manager.putting.put import put
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.service.garbage import exempt_from_collection
from mqbridge.bridge.service.links import Links
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.tls.contexts import TlsContexts
from mqbridge.bridge.tls.key_repository import KeyRepository
from mqbridge.mappings.body import Body
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE, SegmentType
from mqbridge.protocol.framing import SMALLEST_SEGMENT

UNIT = 500
DEEP = 999_999_999
LARGEST = 104_857_600
POLL = 0.002
TYPE = 9
"""Offset of the segment type."""
PATTERN = bytes(range(1, 256)) * (1 << 12)
"""Data of messages, repeated."""


def queue_name(pair: int) -> str:
    return f"XMIT.{pair}"


class HeartbeatTap(Tap):
    """Counts heartbeats by connection."""

    def __init__(self, heartbeats: Counter[ConversationDriver]) -> None:
        self._heartbeats = heartbeats

    def received(self, connection: ConversationDriver, data: bytes) -> None:
        if len(data) == SMALLEST_SEGMENT and data[TYPE] == SegmentType.HEARTBEAT:
            self._heartbeats[connection] += 1


class Worker(LineReceiver):
    """Executes the commands, one after the other."""

    delimiter = b"\n"

    def __init__(self, role: str, folder: str, port: int, pairs: int, attributes: dict[str, Any]) -> None:
        self.role, self.port, self.pairs = role, port, pairs
        now = time.time()
        name = "EARTH" if role == "send" else "SATURN"
        keys = attributes.pop("keys", "")
        self.store = LmdbStore(folder)
        objects = Objects(name, now)
        objects.define(Kind.QLOCAL, "TARGET", {"MAXDEPTH": DEEP, "MAXMSGL": LARGEST}, now, supplied=True)
        objects.alter(Kind.QMGR, name, {"MAXMSGL": LARGEST}, now)
        for pair in range(pairs):
            channel: dict[str, Any] = {"MAXMSGL": LARGEST, "CHLTYPE": "RCVR", "HBINT": 30}
            if role == "send":
                queue = {"USAGE": "XMITQ", "MAXDEPTH": DEEP, "MAXMSGL": LARGEST}
                objects.define(Kind.QLOCAL, queue_name(pair), queue, now, supplied=True)
                remote = {"RNAME": "TARGET", "RQMNAME": "SATURN", "XMITQ": queue_name(pair)}
                objects.define(Kind.QREMOTE, f"REMOTE.{pair}", remote, now, supplied=True)
                channel |= {"CHLTYPE": "SDR", "XMITQ": queue_name(pair), "CONNAME": f"127.0.0.1({port})"}
                channel |= {"SHORTTMR": 1, "DISCINT": 0, "BATCHLIM": 0}
            objects.define(Kind.CHANNEL, f"BENCH.{pair}", channel | attributes, now, supplied=True)
        define_channel_user(objects, now)
        self.store.commit([objects.operations()])
        self.manager = QueueManager(name, self.store, objects, now)
        self.gateway = Gateway(self.manager, self.store, ChannelLimits(max_per_address=10_000), now)
        self.driver = Driver(reactor, self.gateway, self.store, _quiet)
        if keys:
            self.driver.tls = TlsContexts(KeyRepository(Path(keys)), f"ibmwebspheremq{name.lower()}")
        self.driver.start()
        exempt_from_collection()
        self.heartbeats: Counter[ConversationDriver] = Counter()
        self.links: Links | None = None

    def say(self, **values: Any) -> None:
        self.sendLine(json.dumps(values).encode())

    def connectionMade(self) -> None:
        if self.role == "receive":
            endpoint = f"tcp:{self.port}:interface=127.0.0.1"
            Listeners(self.driver).listen(endpoint).addCallback(lambda listener: self.say(port=listener.port))
        else:
            self.say(ready=True)

    def lineReceived(self, line: bytes) -> None:
        verb, *words = line.decode().split()
        getattr(self, f"do_{verb}")(*map(int, words))

    def connectionLost(self, reason: Any = None) -> None:
        del reason
        if reactor.running:
            if self.links is not None:
                self.links.stop()
            self.driver.stop()
            self.store.close()
            reactor.stop()

    # Commands

    def message(self, body: Body, persistence: int) -> Message:
        """A message with data."""
        return Message.build(body, format="MQSTR", persistence=persistence)

    def do_put(self, count: int, size: int, persistence: int) -> None:
        core = self.manager.connections.core
        targets = [resolve(core, f"REMOTE.{pair}", "") for pair in range(self.pairs)]
        options = PutOptions()

        def some(left: int) -> None:
            unit, now = UnitOfWork(), time.time()
            together = min(UNIT, left, max((64 << 20) // max(size, 1), 1))
            for number in range(left, left - together, -1):
                writer = BodyWriter(core.store, bool(persistence), core.store_error)
                for start in range(0, size, len(PATTERN)):
                    writer.write(PATTERN[: size - start])
                message = self.message(writer.finish(), persistence)
                put(core, targets[number % self.pairs], message, options, unit, now)
            on_complete(commit(core, unit, now), lambda error: reactor.callLater(0, done, left - together, error))
            self.driver.pump()

        def done(left: int, error: Any) -> None:
            if error is not None:
                raise SystemExit(str(error))
            if left:
                some(left)
            else:
                self.say(put=count)

        some(count)

    def do_start(self) -> None:
        for pair in range(self.pairs):
            if not self.gateway.channel_manager.channels.named(f"BENCH.{pair}").active:
                self.gateway.channel_manager.starter.start(f"BENCH.{pair}")
        self.driver.pump()
        self.say(started=time.perf_counter())

    def do_stop(self) -> None:
        """Stop the channels normally, so that messages can be put before the next measurement."""
        channel_manager = self.gateway.channel_manager
        for pair in range(self.pairs):
            for end in channel_manager.channels.named(f"BENCH.{pair}").ends():
                end.stop(MQMODE.QUIESCE, time.time())
        self.driver.pump()

        channels = [channel_manager.channels.named(f"BENCH.{pair}") for pair in range(self.pairs)]
        self.say_when(lambda: not any(channel.active for channel in channels), stopped=True)

    def do_wait(self, count: int) -> None:
        queue = self.manager.queue("TARGET")
        assert queue is not None

        def check() -> None:
            if queue.depth - queue.uncommitted_puts >= count:
                self.say(arrived=time.perf_counter(), **usage())
            else:
                reactor.callLater(POLL, check)

        check()

    def do_clear(self) -> None:
        self.manager.clear_queue("TARGET", time.time(), lambda error: self.say(cleared=error is None))
        self.driver.pump()

    def do_running(self) -> None:
        ends = [end for channel in self.gateway.channel_manager.channels for end in channel.ends()]
        self.say(running=sum(end.status == "RUNNING" for end in ends), **usage())

    def do_count(self) -> None:
        self.heartbeats.clear()
        self.driver.tap = HeartbeatTap(self.heartbeats)
        self.say(**usage())

    def do_counted(self) -> None:
        """Heartbeats by channel, of those that run; a partner's answers count as well as its questions."""
        ends = [end for channel in self.gateway.channel_manager.channels for end in channel.ends()]
        counts = [self.heartbeats[end.connection] for end in ends if end.status == "RUNNING"]
        self.say(least=min(counts, default=0), most=max(counts, default=0), running=len(counts), **usage())

    def do_idle(self, count: int) -> None:
        """Start routes between queues that stay empty."""
        settings = []
        for number in range(count):
            source, target = self.define(f"IDLE.{number}", f"IDLE.{number}.OUT")
            settings.append(RouteSettings(name=f"idle{number}", source=source, to=target))
        self.add_routes(settings)
        exempt_from_collection()
        self.say(idle=count)

    def do_links(self, count: int, port: int) -> None:
        """Start links between queues and addresses that stay empty, both ways."""
        settings = []
        for number in range(count):
            source, target = self.define(f"LINK.{number}", f"LINK.{number}.IN")
            send = [LinkSendSettings(queue=source, address=f"in.{number}")]
            receive = [LinkReceiveSettings(address=f"out.{number}", queue=target)]
            endpoint = f"tcp:127.0.0.1:{port}"
            settings.append(LinkSettings(name=f"idle{number}", endpoint=endpoint, send=send, receive=receive))
        self.add_links(settings)
        links = [each for each in self.gateway.carriers if each.kind == "link"]
        for link in links:
            link.start(self.driver.now())
        self.driver.pump()
        self.say_when(
            lambda: all(each.status(self.driver.now()).state is CarrierState.RUNNING for each in links), links=count
        )

    def define(self, *queues: str) -> tuple[str, ...]:
        """Define local queues. Returns their names."""
        for queue in queues:
            self.manager.submit(self.manager.objects.define(Kind.QLOCAL, queue, {}, time.time()).operations)
        return queues

    def add_links(self, settings: list[LinkSettings]) -> None:
        """Register links."""
        named = QueueManagerSettings(name=self.manager.name)
        self.links = Links(Configuration(queue_manager=named, links=settings))
        self.links.make(self.gateway)
        self.links.open(self.gateway, self.driver, lambda: KeyRepository(Path()))
        self.driver.pump()

    def say_when(self, condition: Callable[[], bool], **values: Any) -> None:
        """Answer as soon as a condition is met."""
        if condition():
            self.say(**values)
        else:
            reactor.callLater(POLL, lambda: self.say_when(condition, **values))

    def add_routes(self, settings: list[RouteSettings]) -> None:
        """Register and start routes."""
        carriers = self.gateway.carriers
        add_routes(carriers, self.gateway.channel_manager, read_routes(settings))
        carriers.start_all(time.time())
        self.driver.pump()

    def do_memory(self) -> None:
        self.say(**usage())

    def do_end(self) -> None:
        self.transport.loseConnection()


def _quiet(*_: object) -> None:
    """No log."""


def usage() -> dict[str, float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {"cpu": used.ru_utime + used.ru_stime}
    for line in Path("/proc/self/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key in ("RssAnon", "VmRSS"):
            found[key] = int(value.split()[0])
    return found


def main() -> None:
    role, folder, port, pairs, *attributes = sys.argv[1:]
    given: dict[str, Any] = {}
    for attribute in attributes:
        name, _, value = attribute.partition("=")
        given[name] = int(value) if value.isdigit() else value
    StandardIO(Worker(role, folder, int(port), int(pairs), given))
    reactor.run()


if __name__ == "__main__":
    main()
