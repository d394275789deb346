"""The client of MyOpenQ over blocking sockets: what `mqbridge.moq` exports (myopenq.md M-006, M-091)."""

from __future__ import annotations

import random
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.myopenq import (
    Answered,
    BareRequest,
    Browse,
    Code,
    Command,
    Create,
    Get,
    Initiator,
    MoqError,
    NamedRequest,
    Put,
    QueueType,
    Request,
    Stamps,
    build_packet,
    write_request,
)

DEFAULT_SERVER: Final = "127.0.0.1"
DEFAULT_PORT: Final = 9803
DEFAULT_SIZE: Final = 1024
"""Most messages of a queue, and longest message in bytes, where nothing is said."""
_READ: Final = 1 << 16
_STAMPS: Final = 9_000_000_000


class Unreachable(MQBridgeError):
    """No connection, or no answer: what was asked may have been done or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How a server is reached.

    ``framed``: the mode of its door. ``sign``: send digests, so that a repeat with the same ``stamp`` is known.
    ``secret``: key of the digests. ``trusted``: PEM file or folder of the authorities that the server's certificate
    must come from; with it, or ``tls``, the connection is inside TLS. ``certificate``: PEM file of our key and
    certificates. ``timeout``: seconds to connect, and to await an answer.
    """

    framed: bool = False
    sign: bool = False
    secret: bytes = b""
    tls: bool = False
    trusted: str = ""
    certificate: str = ""
    timeout: float = 30.0


class MoqClient:
    """Calls a server of MyOpenQ: a connection for each command in plain mode, one for all in framed mode.

    Every command raises `MoqError` where the server refuses, `Unreachable` where it does not answer, and ``ValueError``
    for what no packet can hold. ``stamp``: of the packet; the same stamp and values make the same packet, which a
    server that has done it does not do again. Packets with digests get stamps that never make two of them equal.
    """

    def __init__(self, server: str = DEFAULT_SERVER, port: int = DEFAULT_PORT, access: Access | None = None) -> None:
        self._where = server, port
        self._access = access or Access()
        self._stamps = Stamps()
        # Only a door of ours has secrets, and it does not read the time in a stamp; so programs that begin in the same
        # second make different packets.
        self._offset = random.SystemRandom().randrange(_STAMPS) - int(time.time()) if self._access.secret else 0
        self._socket: socket.socket | None = None
        self._machine = Initiator(framed=self._access.framed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, if one is open; the next command opens another."""
        connected, self._socket = self._socket, None
        if connected is not None:
            with suppress(OSError):
                connected.close()

    # Commands

    def create(self, queue: Create, *, stamp: int | None = None) -> None:
        """Define a queue."""
        self._ask(queue, stamp)

    def delete(self, queue: str, *, stamp: int | None = None) -> None:
        """Delete a queue with its messages."""
        self._ask(NamedRequest(Command.DELETE, queue), stamp)

    def shutdown(self, *, stamp: int | None = None) -> None:
        """End the server."""
        self._ask(BareRequest(Command.SHUTDOWN), stamp)

    def put(self, queue: str, text: bytes, *, stamp: int | None = None) -> None:
        """Put a message."""
        self._ask(Put(queue, text), stamp)

    def get(self, queue: str, wait: int = 0, *, stamp: int | None = None) -> bytes:
        """Take the oldest message; in framed mode ``wait`` seconds for one."""
        return self._ask(Get(queue, wait), stamp)

    def browse(self, queue: str, number: int = 1) -> bytes:
        """Read the message at a position, from 1."""
        return self._ask(Browse(queue, number))

    def display(self, queue: str) -> str:
        """Describe a queue: ``name=…;size=…;…``."""
        return self._ask(NamedRequest(Command.DISPLAY, queue)).decode("latin-1")

    def count(self, queue: str) -> int:
        """The number of messages on a queue."""
        answer = self._ask(NamedRequest(Command.COUNT, queue))
        try:
            return int(answer)
        except ValueError:
            raise MoqError(Code.MALFORMED, f"{answer[:40]!r} is no number of messages") from None

    def purge(self, queue: str, *, stamp: int | None = None) -> None:
        """Remove all messages of a queue."""
        self._ask(NamedRequest(Command.PURGE, queue), stamp)

    # Connection

    def _ask(self, request: Request, stamp: int | None = None) -> bytes:
        access = self._access
        command, variable = write_request(request, access.framed)
        if stamp is None:
            stamp = self._stamps.stamp(command.value.encode() + variable, int(time.time()) + self._offset)
        packet = build_packet(command, variable, stamp, sign=access.sign, secret=access.secret)
        within = access.timeout + (request.wait if isinstance(request, Get) else 0)
        try:
            return self._exchange(packet, within)
        except OSError as error:
            self.close()
            host, port = self._where
            raise Unreachable(f"{host}({port}): {error.strerror or error}") from error

    def _exchange(self, packet: bytes, within: float) -> bytes:
        if self._socket is None:
            self._socket = self._connect()
            self._machine = Initiator(framed=self._access.framed)
        connected, machine = self._socket, self._machine
        until = time.monotonic() + within
        machine.ask(packet, 0.0, within)
        if connected.gettimeout() != within:
            connected.settimeout(within)
        connected.sendall(machine.take())
        while True:
            if time.monotonic() >= until:
                raise TimeoutError("no answer in time")
            for event in machine.receive_data(connected.recv(_READ)):
                if not self._access.framed:
                    self.close()
                if isinstance(event, Answered):
                    return event.answer.check()
                raise ConnectionError(event.reason)

    def _connect(self) -> socket.socket:
        access, (host, port) = self._access, self._where
        connected = socket.create_connection((host, port), access.timeout)
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not (access.tls or access.trusted or access.certificate):
                return connected
            context = ssl.create_default_context()
            if access.trusted:
                context = ssl.create_default_context(cafile=access.trusted)
                context.check_hostname = False  # the authority is the operator's own
            if access.certificate:
                context.load_cert_chain(access.certificate)
            return context.wrap_socket(connected, server_hostname=host)
        except BaseException:
            connected.close()
            raise


def local_queue(name: str, size: int = DEFAULT_SIZE, length: int = DEFAULT_SIZE, timeout: int = 0) -> Create:
    """A local queue, for `MoqClient.create`. ``size``: most messages; ``length``: longest message in bytes;
    ``timeout``: seconds that a message may stay, 0 for ever; other values need framed mode."""
    return Create(name, size, length, QueueType.LOCAL, timeout=timeout)


def remote_queue(
    name: str,
    address: str,
    port: int = DEFAULT_PORT,
    size: int = DEFAULT_SIZE,
    length: int = DEFAULT_SIZE,
    *,
    timeout: int = 0,
    remote_name: str = "",
) -> Create:
    """A remote queue, for `MoqClient.create`; as `local_queue`. ``address``, ``port``: of the other server.
    ``remote_name``: of the queue there, the same where it is blank; others need framed mode."""
    return Create(name, size, length, QueueType.REMOTE, address, port, timeout, remote_name)
