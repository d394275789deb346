"""A queue manager MARS with real sockets, in a thread of the test's process: what `bridge.endpoints` is tried on.

The store is one in memory whose commits can be held up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.endpoints.clock import SteadyClock
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.listeners import Listeners
from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects, define_channel_user
from mqbridge.bridge.store.interface import StoreError, Unit
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.mappings.message import Message
from support.processes.reactor_thread import PATIENCE, ReactorThread
from support.queue_manager.direct import DirectQueueManager

LOCAL = "127.0.0.1"


class SlowStore(MemoryStore):
    """A store in memory. While ``may_commit`` is not set, commits wait."""

    def __init__(self) -> None:
        super().__init__()
        self.may_commit = threading.Event()
        self.may_commit.set()

    def commit(self, units: Sequence[Unit]) -> list[StoreError | None]:
        assert self.may_commit.wait(PATIENCE)
        return super().commit(units)


class EndpointHost:
    """The queue manager, its driver and one listener on a free port."""

    def __init__(self, clock: SteadyClock | None = None, **limits: Any) -> None:
        self.thread = ReactorThread()
        self.store = SlowStore()
        self.log: list[tuple[str, ...]] = []
        now = time.time()
        objects = Objects("MARS", now)
        objects.load(self.store.records(TABLE))
        define_channel_user(objects, now)
        self.manager = DirectQueueManager("MARS", self.store, objects, now)
        self.gateway = Gateway(self.manager, self.store, ChannelLimits(**limits), now)
        self.channel_manager = self.gateway.channel_manager
        self.driver = Driver(self.thread.reactor, self.gateway, self.store, self._write, clock=clock)
        self.listeners = Listeners(self.driver)
        self.control = Control(self.channel_manager, self.listeners)
        self.call(self.driver.start)
        self.port = self.call(self.listeners.listen, f"tcp:0:interface={LOCAL}").port
        self.local("TARGET")

    def _write(self, amq: str, inserts: tuple[str | int, ...]) -> None:
        self.log.append((amq, *map(str, inserts)))

    def call(self, action: Any, *arguments: Any, **options: Any) -> Any:
        """Does something in the reactor's thread, and what comes of it."""

        def act() -> Any:
            result = action(*arguments, **options)
            self.driver.pump()
            return result

        return self.thread.call(act)

    def close(self) -> None:
        self.store.may_commit.set()

        def end() -> None:
            self.listeners.close_all()
            for protocol in list(self.driver.protocols.values()):
                protocol.close(abort=True)

        try:
            self.thread.call(end)
            self.thread.until(lambda: not self.driver.protocols, "the end of all connections")
            self.thread.call(self.driver.stop)
        finally:
            self.thread.stop()

    # Objects and commands

    def define(self, kind: Kind, name: str, **attributes: Any) -> None:
        def define() -> None:
            change = self.manager.objects.define(kind, name, attributes, time.time())
            self.manager.objects_changed(time.time())
            self.manager.submit(change.operations)

        self.call(define)
        self.thread.until(lambda: not self.driver.unstored, f"{name} on disk")

    def local(self, name: str, **attributes: Any) -> None:
        self.define(Kind.QLOCAL, name, **{"MAXDEPTH": 100_000, "MAXMSGL": 104_857_600, **attributes})

    def receiver(self, name: str = "VENUS.TO.MARS", **attributes: Any) -> None:
        self.define(Kind.CHANNEL, name, CHLTYPE="RCVR", **attributes)

    def sender(self, connection: str, name: str = "MARS.TO.VENUS", **attributes: Any) -> None:
        """A sender, its transmission queue and a remote queue."""
        self.local("VENUS", USAGE="XMITQ")
        self.define(Kind.QREMOTE, "FAR", RNAME="TARGET", RQMNAME="VENUS", XMITQ="VENUS")
        self.define(Kind.CHANNEL, name, CHLTYPE="SDR", XMITQ="VENUS", CONNAME=connection, **attributes)

    def start(self, name: str = "MARS.TO.VENUS") -> None:
        self.call(lambda: self.control.start(self.definition(name), time.time()))

    def stop(self, name: str = "MARS.TO.VENUS", mode: str = "QUIESCE") -> None:
        self.call(lambda: self.control.stop(self.definition(name), mode, "STOPPED", "", "", time.time()))

    def ping(self, length: int = 64, name: str = "MARS.TO.VENUS") -> list[ControlError | None]:
        outcome: list[ControlError | None] = []
        self.call(lambda: self.control.ping(self.definition(name), length, time.time(), outcome.append))
        return outcome

    def definition(self, name: str) -> Any:
        found = self.manager.objects.channel(name)
        assert found is not None
        return found

    # Messages

    def put(self, data: bytes, queue: str = "FAR", persistence: int = 1) -> None:
        """Puts a message; while commits are not held up, it can be got when this returns."""
        message = Message.build(data, persistence=persistence, expiry=-1)
        self.call(lambda: self.manager.put(self.manager.resolve(queue), message, PutOptions(), None, time.time()))
        if self.store.may_commit.is_set():
            self.thread.until(lambda: not self.driver.unstored, "the message on disk")

    def depth(self, queue: str = "TARGET") -> int:
        found = self.manager.queue(queue)
        assert found is not None
        return found.depth

    def visible(self, queue: str = "TARGET") -> int:
        """Messages that a program can get."""
        found = self.manager.queue(queue)
        assert found is not None
        return found.visible

    # What happens

    def status(self, name: str = "MARS.TO.VENUS") -> str:
        """STATUS of a channel, INACTIVE without a row."""
        rows = self.thread.call(lambda: self.control.statuses(False, time.time()))
        return next((str(row["STATUS"]) for row in rows if row["CHANNEL"] == name), "INACTIVE")

    def until_status(self, status: str, name: str = "MARS.TO.VENUS", within: float = PATIENCE) -> None:
        end = time.monotonic() + within
        while (seen := self.status(name)) != status:
            assert time.monotonic() < end, f"{name} is {seen}, not {status}; log: {self.log}"
            time.sleep(0.005)

    def until_depth(self, depth: int, queue: str = "TARGET") -> None:
        self.thread.until(lambda: self.depth(queue) == depth, f"{depth} messages on {queue}")

    def until_logged(self, amq: str, count: int = 1) -> tuple[str, ...]:
        """The ``count``-th line of that id."""
        found = self.thread.until(
            lambda: [line for line in self.log if line[0] == amq][count - 1 : count], f"{count} times {amq}"
        )
        return found[0]
