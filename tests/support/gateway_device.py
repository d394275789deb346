"""A device for tests of a gateway: a queue manager in memory, and a thread-free host over one blocking socket."""

from __future__ import annotations

import http.client
import json
import random
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner, Result

from mqbridge.bridge.cli import cli
from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Alarm, Effect
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.settings import NetworkSettings, Peer
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.authenticators import Authenticator, ByCertificate, ByKey, NoProof
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Call, Done, Outcome, Put
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import HEAD, Frame, FrameReader
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import text_message, text_of
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.token import Token, fingerprint_of
from support.processes.running_service import MakeService, RunningService

TEXT: Final = "text"
LIMIT: Final = 60.0
CHANNEL: Final = "MQe-Channel"


def gateway_of(
    make_service: MakeService, folder: Path, text: str, name: str = "EARTH", **options: Any
) -> RunningService:
    """A queue manager with a configuration."""
    file = folder / "queue-manager.toml"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return make_service(name, options=("--config", str(file)), **options)


def operate(service: RunningService, name: str, *arguments: str) -> Result:
    """Run a command of `mqbridge everyplace`."""
    given = ["everyplace", name, "--data", str(service.data), *arguments]
    return CliRunner().invoke(cli, given, prog_name="mqbridge", catch_exceptions=False)


def enrol(service: RunningService, name: str, *arguments: str) -> dict[str, Any]:
    """Enrol a device; what the gateway says."""
    result = operate(service, "enrol", name, "--host", "localhost", "--json", *arguments)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.output))


class DeviceCredentials:
    """A device with a key, a certificate, or nothing."""

    def __init__(self, key: bytes = b"", *, certified: bool = False) -> None:
        self.key = key
        self.certified = certified

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        if self.certified:
            return (ByCertificate(peer.certificate_name),)
        return (ByKey(self.key, peer.binding),) if self.key else (NoProof(),)

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        raise EveryplaceError(Code.AUTHENTICATE, "nobody calls a device")

    def proved(self, name: str, incarnation: bytes) -> None:
        raise AssertionError("nobody calls a device")


class StreamTransport:
    """Frames over a socket. ``context``: of TLS; the name of the gateway is not checked, its key is by the token."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None = None) -> None:
        raw = socket.create_connection((host, port), LIMIT)
        self.binding = b""
        self.socket: Any = raw
        if context is not None:
            try:
                self.socket = context.wrap_socket(raw, server_hostname=host)
            except OSError:
                raw.close()
                raise
            self.binding = fingerprint_of(self.socket.getpeercert(binary_form=True))
        self.socket.settimeout(0.02)

    def send(self, data: bytes) -> None:
        self.socket.settimeout(LIMIT)
        self.socket.sendall(data)
        self.socket.settimeout(0.02)

    def receive(self) -> bytes | None:
        """What has come; None if nothing has."""
        try:
            return bytes(self.socket.recv(1 << 16))
        except (TimeoutError, ssl.SSLWantReadError):
            return None

    def close(self) -> None:
        self.socket.close()


class HttpTransport:
    """One frame a POST."""

    def __init__(
        self, connection: http.client.HTTPConnection, path: str, headers: dict[str, str] | None = None
    ) -> None:
        self.connection = connection
        self.path = path
        self.headers = headers or {}
        self.channel = ""
        self.binding = b""
        self.answers: list[bytes] = []
        self.statuses: list[int] = []
        if isinstance(connection, http.client.HTTPSConnection):
            connection.connect()
            self.binding = fingerprint_of(connection.sock.getpeercert(binary_form=True))

    def send(self, data: bytes) -> None:
        for frame in FrameReader().receive(data):
            self.post(frame)

    def post(self, frame: Frame) -> None:
        headers = self.headers | ({CHANNEL: self.channel} if self.channel else {})
        self.connection.request("POST", self.path, frame.encode(), headers)
        response = self.connection.getresponse()
        body = response.read()
        self.statuses.append(response.status)
        if response.status != 200:
            raise EveryplaceError(
                Code.AUTHENTICATE if response.status in (401, 407) else Code.ADAPTER_EXCEPTION,
                f"HTTP {response.status}",
            )
        assert response.headers["Content-Length"] == str(len(body))
        self.channel = response.headers.get(CHANNEL, self.channel)
        if body:
            assert HEAD.unpack_from(body)[0] == len(body) - 4
            self.answers.append(body)

    def receive(self) -> bytes | None:
        return self.answers.pop(0) if self.answers else None

    def close(self) -> None:
        self.connection.close()


class Device:
    """One device. ``connect``: opens its transport."""

    def __init__(
        self,
        name: str,
        gateway: str,
        connect: Callable[[], StreamTransport | HttpTransport],
        token: str = "",
        *,
        tables: MemoryTables | None = None,
        pull_wait: float = 0.3,
        certified: bool = False,
    ) -> None:
        self.name = name
        self.gateway = gateway
        self.connect = connect
        self.key = Token.parse(token).key(name) if token else b""
        self.tables = tables or MemoryTables()
        self.store = MemoryStore(self.tables)
        self.transport: StreamTransport | HttpTransport | None = None
        self.line: CallingLine | None = None
        self.effects: list[Effect] = []
        self.errors: list[EveryplaceError] = []
        if tables is None:
            operations = create(self.store, name, random.randbytes(8))
            assert self.store.commit([operations]) == [None]
        self.manager = QueueManager(self.store, random.Random(1))
        settings = NetworkSettings(retry_first=0.05, retry_most=0.2, pull_wait=pull_wait)
        self.network = Network(
            self.manager, DeviceCredentials(self.key, certified=certified), random.Random(2), settings
        )
        if tables is None:
            self._expect(
                lambda then: self.manager.define_connection(
                    ConnectionDefinition(gateway, adapter="tcp", endpoint="gateway:8081"), then
                )
            )
            self.define(QueueKind.LOCAL, "REPLIES", name)

    # Definitions

    def define(self, kind: QueueKind, queue: str, owner: str, **values: Any) -> None:
        definition = QueueDefinition(kind, Address(queue, owner))
        for key, value in values.items():
            definition.set(getattr(rows, key), value)
        self._expect(lambda then: self.manager.define_queue(definition, then))

    def sends_to(self, queue: str, owner: str) -> None:
        """An asynchronous remote queue, which the gateway reaches."""
        if owner not in (self.gateway, *self.manager.connections):
            via = ConnectionDefinition(owner, via=self.gateway)
            self._expect(lambda then: self.manager.define_connection(via, then))
        self.define(QueueKind.REMOTE, queue, owner, MODE=rows.ASYNCHRONOUS)

    def pulls(self) -> None:
        """A home-server queue."""
        self.define(QueueKind.HOME_SERVER, "HOME", self.gateway, POLL_INTERVAL=50)

    def _expect(self, start: Callable[[Callable[[Outcome], None]], None]) -> None:
        found: list[Outcome] = []
        start(found.append)
        self.write()
        assert found == [Done()], found

    # Programs

    def put(self, address: str, text: str) -> None:
        message = Message()
        message.put(TEXT, text)
        outcome = self.call(Put(Address.parse(address, self.name), message))
        assert outcome == Done(), outcome

    def put_for_mq(self, address: str, text: str) -> None:
        """A message that a program of MQ gets as a text."""
        outcome = self.call(Put(Address.parse(address, self.name), text_message(text)))
        assert outcome == Done(), outcome

    def texts_of_mq(self, queue: str) -> list[str]:
        """The texts that programs of MQ have put."""
        outcome = self.call(Browse(Address(queue, self.name), Fields()))
        assert isinstance(outcome, Browsed), outcome
        return [text_of(each) for each in outcome.messages]

    def texts(self, queue: str) -> list[str]:
        outcome = self.call(Browse(Address(queue, self.name), Fields()))
        assert isinstance(outcome, Browsed), outcome
        return [each.get(TEXT) for each in outcome.messages]

    def count(self, queue: str) -> int:
        """How many messages are on a local queue."""
        return self.waiting(queue, self.name)

    def call(self, call: Call) -> Outcome:
        found: list[Outcome] = []
        self.manager.call(call, found.append, time.time())
        self.write()
        if not found:
            self.run_until(lambda: bool(found))
        return found[0]

    def waiting(self, queue: str, owner: str) -> int:
        found = self.manager.queues.named(Address(queue, owner))
        assert found is not None
        assert found.messages is not None
        return len(found.messages)

    @property
    def alarms(self) -> list[str]:
        return [each.text for each in self.effects if isinstance(each, Alarm)]

    # Host

    def write(self) -> None:
        while commits := self.manager.take_commits():
            for pending in commits:
                self.manager.committed(pending, self.store.commit([pending.operations])[0])

    def step(self) -> None:
        """Do everything that can be done now."""
        now = time.time()
        self.network.timeout(now)
        self.network.go_on(now)
        self.write()
        for definition in self.network.openings(now):
            try:
                self.transport = self.connect()
                peer = Peer("gateway", definition.name, bool(self.transport.binding), self.transport.binding)
                self.line = self.network.opened(definition.name, time.time(), peer)
            except (OSError, EveryplaceError) as error:
                wrapped = (
                    error if isinstance(error, EveryplaceError) else EveryplaceError(Code.ADAPTER_EXCEPTION, str(error))
                )
                self.errors.append(wrapped)
                self.cut()
                self.network.failed(definition.name, wrapped, time.time())
        self._carry()
        self.write()
        self.effects += self.network.take_effects()

    def _carry(self) -> None:
        transport, line = self.transport, self.line
        if transport is None or line is None:
            time.sleep(0.01)
            return
        try:
            for each in self.network.lines_to_send():
                if each is line and (data := line.take()):
                    transport.send(data)
            if line.ended:
                self.cut()
                return
            data = transport.receive()
            if data == b"":
                self.cut()
            elif data is not None:
                line.receive_data(data, time.time())
        except (OSError, EveryplaceError, http.client.HTTPException) as error:
            self.errors.append(
                error if isinstance(error, EveryplaceError) else EveryplaceError(Code.ADAPTER_EXCEPTION, str(error))
            )
            self.cut()

    def cut(self) -> None:
        """Lose the connection."""
        transport, self.transport = self.transport, None
        line, self.line = self.line, None
        if transport is not None:
            transport.close()
        if line is not None:
            line.cut(time.time())

    def run_until(self, condition: Callable[[], Any], limit: float = LIMIT) -> None:
        until = time.monotonic() + limit
        while not condition():
            self.step()
            self.write()
            if time.monotonic() > until:
                raise AssertionError(f"not within {limit} seconds; alarms {self.alarms}, errors {self.errors[-3:]}")

    def close(self) -> None:
        self.cut()
