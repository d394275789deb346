"""Many devices of Everyplace in one thread of one process, each with a socket of its own; their stores are in memory.

As the program of a process it takes orders from standard input and answers on standard output, JSON in lines, so that
what the devices use of a processor can be told from what the gateway uses.
"""

from __future__ import annotations

import json
import os
import random
import selectors
import socket
import ssl
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.settings import NetworkSettings, Peer
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.authenticators import Authenticator, ByKey
from mqbridge.protocol.everyplace.calls import Done, Get, Got, Outcome, Put
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import text_message, text_of
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.token import Token, fingerprint_of

LIMIT: Final = 300.0
READ: Final = 1 << 16


class _Key:
    """Credentials of a device with a key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        """By its key."""
        return (ByKey(self._key, peer.binding),)

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        """Nobody calls a device."""
        raise EveryplaceError(Code.AUTHENTICATE, "nobody calls a device")

    def proved(self, name: str, incarnation: bytes) -> None:
        """Nobody calls a device."""


class Device:
    """One device: a queue manager in memory, and its socket."""

    def __init__(self, name: str, gateway: str, token: str, compressors: tuple[str, ...] = ()) -> None:
        self.name, self.gateway = name, gateway
        self.store = MemoryStore(MemoryTables())
        source = random.Random(name)
        self.store.commit([create(self.store, name, source.randbytes(8))])
        self.manager = QueueManager(self.store, source)
        settings = NetworkSettings(compressors=compressors)
        self.network = Network(self.manager, _Key(Token.parse(token).key(name)), source, settings)
        self.line: CallingLine | None = None
        self.socket: Any = None
        self.unsent = b""
        self._define(lambda then: self.manager.define_connection(connection(gateway), then))

    def route(self, queue: str, owner: str) -> None:
        """An asynchronous remote queue, reached over the gateway."""
        if owner != self.gateway:
            via = ConnectionDefinition(owner, via=self.gateway)
            self._define(lambda then: self.manager.define_connection(via, then))
        definition = QueueDefinition(QueueKind.REMOTE, Address(queue, owner))
        definition.set(rows.MODE, rows.ASYNCHRONOUS)
        self._define(lambda then: self.manager.define_queue(definition, then))

    def pulls(self) -> None:
        """A home-server queue, and a local queue for what it pulls."""
        for kind, name, owner in (
            (QueueKind.LOCAL, "REPLIES", self.name),
            (QueueKind.HOME_SERVER, "HOME", self.gateway),
        ):
            definition = QueueDefinition(kind, Address(name, owner))
            if kind is QueueKind.HOME_SERVER:
                definition.set(rows.POLL_INTERVAL, 1000)
            self._define(lambda then, definition=definition: self.manager.define_queue(definition, then))

    def _define(self, start: Callable[[Callable[[Outcome], None]], None]) -> None:
        found: list[Outcome] = []
        start(found.append)
        self.write()
        if found != [Done()]:
            raise RuntimeError(f"{found}")

    def put(self, address: Address, message: Message, now: float) -> None:
        """Put a message; it is in the store when `write` returns."""
        self.manager.call(Put(address, message), lambda _: None, now)

    def waiting(self, address: Address) -> int:
        """Messages on a queue."""
        queue = self.manager.queues.named(address)
        return 0 if queue is None or queue.messages is None else len(queue.messages)

    def write(self) -> None:
        """Commit what is to be committed, together."""
        while commits := self.manager.take_commits():
            found = self.store.commit([each.operations for each in commits])
            for pending, error in zip(commits, found, strict=True):
                self.manager.committed(pending, error)


def connection(gateway: str) -> ConnectionDefinition:
    """The connection to the gateway; its address is not used here."""
    return ConnectionDefinition(gateway, adapter="tls", endpoint="gateway:8081")


class Fleet:
    """Devices, their sockets, and the loop that serves them. ``tls``: connect inside TLS, without a look at names."""

    def __init__(self, gateway: str, host: str, port: int, *, tls: bool) -> None:
        self._gateway, self._address = gateway, (host, port)
        self._context: ssl.SSLContext | None = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self._context.check_hostname = False
            self._context.verify_mode = ssl.CERT_NONE
        self._selector = selectors.DefaultSelector()
        self.devices: list[Device] = []
        self.sent = self.received = 0
        self.watch: Callable[[Device], None] = lambda _: None
        """Is told of each device to which something has come."""

    def add(self, name: str, token: str, compressors: tuple[str, ...] = ()) -> Device:
        """Add a device."""
        found = Device(name, self._gateway, token, compressors)
        self.devices.append(found)
        return found

    def drive(self, done: Callable[[], bool], limit: float = LIMIT) -> None:
        """Serve them until a condition holds. Raises `TimeoutError`."""
        until = time.monotonic() + limit
        due = 0.0
        for each in self.devices:
            self._go_on(each, time.time())
        while not done():
            for key, _ in self._selector.select(0.02):
                self._read(key.data)
            if time.monotonic() > due:
                due = time.monotonic() + 0.05
                now = time.time()
                for each in self.devices:
                    each.network.timeout(now)
                    self._go_on(each, now)
                if time.monotonic() > until:
                    raise TimeoutError(f"not within {limit:g} seconds: {self._alarms()}")

    def close(self) -> None:
        """Close their sockets."""
        for each in self.devices:
            self._cut(each, time.time())

    def _alarms(self) -> list[object]:
        return [effect for each in self.devices for effect in each.network.take_effects()][:3]

    def _go_on(self, device: Device, now: float) -> None:
        device.write()
        device.network.go_on(now)
        device.write()
        for definition in device.network.openings(now):
            self._open(device, definition, now)
        self._send(device, now)

    def _open(self, device: Device, definition: ConnectionDefinition, now: float) -> None:
        binding = b""
        try:
            found: Any = socket.create_connection(self._address, 30)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is not None:
                found = self._context.wrap_socket(found)
                binding = fingerprint_of(found.getpeercert(binary_form=True))
        except OSError as error:
            device.network.failed(definition.name, EveryplaceError(Code.ADAPTER_EXCEPTION, str(error)), now)
            return
        found.setblocking(False)
        device.socket = found
        self._selector.register(found, selectors.EVENT_READ, device)
        peer = Peer("gateway", "", self._context is not None, binding)
        device.line = device.network.opened(definition.name, now, peer)

    def _send(self, device: Device, now: float) -> None:
        line = device.line
        for each in device.network.lines_to_send():
            if each is line:
                device.unsent += each.take()
        while device.unsent and device.socket is not None:
            try:
                count = device.socket.send(device.unsent)
            except (BlockingIOError, ssl.SSLWantWriteError):
                return
            except OSError:
                self._cut(device, now)
                return
            self.sent += count
            device.unsent = device.unsent[count:]
        if line is not None and line.ended:
            self._cut(device, now)

    def _read(self, device: Device) -> None:
        now = time.time()
        while device.line is not None:
            try:
                data = device.socket.recv(READ)
            except (BlockingIOError, ssl.SSLWantReadError):
                break
            except OSError:
                data = b""
            if not data:
                self._cut(device, now)
                break
            self.received += len(data)
            device.line.receive_data(data, now)
            if self._context is None or not device.socket.pending():
                break
        self._go_on(device, now)
        self.watch(device)

    def _cut(self, device: Device, now: float) -> None:
        found, device.socket = device.socket, None
        line, device.line = device.line, None
        device.unsent = b""
        if found is not None:
            self._selector.unregister(found)
            found.close()
        if line is not None:
            line.cut(now)


def arrivals(fleet: Fleet, count: int) -> dict[str, list[float]]:
    """Wait for so many messages whose text is the time when they were put; return how old each was, in seconds."""
    found: list[float] = []
    print(json.dumps({"waits": count}), flush=True)

    def take(device: Device) -> None:
        queue = Address("REPLIES", device.name)
        while device.waiting(queue):
            outcomes: list[Outcome] = []
            device.manager.call(Get(queue, Fields()), outcomes.append, time.time())
            device.write()
            if not (outcomes and isinstance(outcomes[0], Got)):
                return
            found.append(time.time() - float(text_of(outcomes[0].message)))

    fleet.watch = take
    fleet.drive(lambda: len(found) >= count)
    fleet.watch = lambda _: None
    return {"ages": found}


def main() -> int:
    order = json.loads(sys.stdin.readline())
    fleet = Fleet(order["gateway"], order["host"], order["port"], tls=order["adapter"] == "tls")
    target = Address.parse(order["target"], "")
    for name, token in order["devices"].items():
        device = fleet.add(name, token)
        device.route(*target)
        if order.get("pulls"):
            device.pulls()
    warm = text_message("warm")
    for device in fleet.devices:
        device.put(target, warm.copy(), time.time())
    fleet.drive(lambda: not any(device.waiting(target) for device in fleet.devices))
    print(json.dumps({"ready": len(fleet.devices), "pid": os.getpid()}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "arrivals" in order:
            print(json.dumps(arrivals(fleet, order["arrivals"])), flush=True)
            continue
        if "idle" in order:
            used = time.process_time()
            until = time.monotonic() + order["idle"]
            fleet.drive(lambda until=until: time.monotonic() > until)
            print(json.dumps({"cpu": time.process_time() - used}), flush=True)
            continue
        if "drain" in order:
            fleet.drive(lambda: not any(device.waiting(target) for device in fleet.devices))
            print(json.dumps({}), flush=True)
            continue
        message = text_message("x" * order["size"])
        began, used = time.monotonic(), time.process_time()
        for device in fleet.devices:
            now = time.time()
            for _ in range(order["each"]):
                device.put(target, message.copy(), now)
            device.write()
        if "put" in order:
            print(json.dumps({}), flush=True)
            continue
        filled, sent = time.monotonic(), fleet.sent + fleet.received
        fleet.drive(lambda: not any(device.waiting(target) for device in fleet.devices))
        ended = time.monotonic()
        count = order["each"] * len(fleet.devices)
        found = {"seconds": ended - filled, "filled": filled - began, "count": count}
        found |= {"cpu": time.process_time() - used, "bytes": fleet.sent + fleet.received - sent}
        print(json.dumps(found), flush=True)
    fleet.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
