"""The recording proxy passes TLS on unchanged: bytes, half-closes and resets."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.endpoints import TCP4ServerEndpoint

from mqbridge.bridge.endpoints.proxy import RecordingProxy
from mqbridge.captures.recording.capture_file import CaptureFile
from support.channels.socket_partner import PATIENCE, SocketListener
from support.processes.reactor_thread import ReactorThread
from support.tls.endpoints import Estate, tls_socket

MIB = 1 << 20
TEXT = b"a secret that passes" * 1000
HELLO = bytes.fromhex("16 0301 0005 0100000100")
"""The beginning of a conversation in TLS."""


class ProxyHost:
    """A proxy in front of a listener, in a thread."""

    def __init__(self, target: SocketListener, file: Path) -> None:
        self.thread = ReactorThread()
        self.file = file
        self.recording = CaptureFile(file, time.time())
        self.proxy = RecordingProxy(
            self.thread.reactor, "127.0.0.1", target.port, self.recording, time.time, lambda problem: None
        )
        endpoint = TCP4ServerEndpoint(self.thread.reactor, 0, interface="127.0.0.1")
        self._listening = self.thread.call(endpoint.listen, self.proxy)
        self.port = int(self._listening.getHost().port)

    def recorded(self) -> bytes:
        """The capture, when all connections have ended."""
        self.thread.until(lambda: not self.proxy.open, "the end of all connections")
        self.thread.call(self.recording.tick, time.time())
        return self.file.read_bytes()

    def close(self) -> None:
        self.thread.call(self._listening.stopListening)
        self.thread.until(lambda: not self.proxy.open, "the end of all connections")
        self.thread.call(self.recording.close)
        self.thread.stop()


@pytest.fixture
def target() -> Iterator[SocketListener]:
    with SocketListener() as listener:
        yield listener


@pytest.fixture
def host(target: SocketListener, tmp_path: Path) -> Iterator[ProxyHost]:
    made = ProxyHost(target, tmp_path / "capture.pcap")
    yield made
    made.close()


class Server(threading.Thread):
    """The called end: accepts one connection inside TLS and runs ``action`` on it."""

    def __init__(self, target: SocketListener, context: ssl.SSLContext, action: Any) -> None:
        super().__init__(daemon=True)
        self._accept = target.socket.accept
        self._context = context
        self._action = action
        self.problem: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            plain, _ = self._accept()
            plain.settimeout(PATIENCE)
            with self._context.wrap_socket(plain, server_side=True, suppress_ragged_eofs=False) as inside:
                self._action(inside)
        except BaseException as error:
            self.problem = error

    def ended(self) -> BaseException | None:
        self.join(PATIENCE)
        assert not self.is_alive()
        return self.problem


def echo(inside: ssl.SSLSocket) -> None:
    """Everything again, up to the partner's close_notify."""
    while data := inside.recv(65536):
        inside.sendall(data)
    inside.unwrap()


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_tls_passes_unread(host: ProxyHost, target: SocketListener, tmp_path: Path, version: str) -> None:
    estate = Estate(tmp_path)
    server = Server(target, estate.server(version=version), echo)
    with tls_socket(host.port, estate.client(version=version)) as client:
        client.sendall(TEXT)
        back = b""
        while len(back) < len(TEXT):
            back += client.recv(65536)
        assert back == TEXT
        client.unwrap()  # close_notify both ways
    assert server.ended() is None
    recorded = host.recorded()
    assert len(recorded) > 2 * len(TEXT)
    assert TEXT[:20] not in recorded


def test_back_pressure_passes_the_proxy(host: ProxyHost, target: SocketListener, tmp_path: Path) -> None:
    estate, may_read = Estate(tmp_path), threading.Event()
    got: list[int] = []

    def slow(inside: ssl.SSLSocket) -> None:
        assert may_read.wait(PATIENCE)
        while data := inside.recv(MIB):
            got.append(len(data))
        inside.unwrap()

    server = Server(target, estate.server(), slow)
    with tls_socket(host.port, estate.client()) as client:
        client.settimeout(0.3)
        sent = 0
        with suppress(TimeoutError):
            while sent < 64 * MIB:
                sent += client.send(bytes(65536))
        assert sent < 32 * MIB
        may_read.set()
        client.settimeout(PATIENCE)
        client.unwrap()
    assert server.ended() is None
    assert sum(got) >= sent


def test_a_fin_stays_a_half_close(host: ProxyHost, target: SocketListener) -> None:
    """The caller's FIN reaches the called end, which goes on sending."""
    plain = socket.create_connection(("127.0.0.1", host.port), PATIENCE)
    far, _ = target.socket.accept()
    far.settimeout(PATIENCE)
    with plain, far:
        plain.sendall(HELLO)
        plain.shutdown(socket.SHUT_WR)
        seen = b""
        while piece := far.recv(100):
            seen += piece
        assert seen == HELLO
        far.sendall(HELLO[::-1] * 1000)
        far.shutdown(socket.SHUT_WR)
        seen = b""
        while piece := plain.recv(65536):
            seen += piece
        assert seen == HELLO[::-1] * 1000


def test_a_reset_stays_a_reset(host: ProxyHost, target: SocketListener) -> None:
    plain = socket.create_connection(("127.0.0.1", host.port), PATIENCE)
    plain.sendall(HELLO)
    far, _ = target.socket.accept()
    with far:
        far.settimeout(PATIENCE)
        assert far.recv(100)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        plain.close()
        with pytest.raises(ConnectionResetError):
            far.recv(100)
