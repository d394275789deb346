"""TLS sessions made in memory: what both ends put on the wire, and the keys that read it."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mqbridge.captures import Direction

OPENSSL = shutil.which("openssl")

#: Bytes sent in clear by a direction of a session, in order.
Sent = tuple[Direction, bytes]


class Tls(Enum):
    """Version of a session."""

    V1_2 = ssl.TLSVersion.TLSv1_2
    V1_3 = ssl.TLSVersion.TLSv1_3


@cache
def certificate() -> tuple[str, str]:
    """A self-made certificate and its key, as text. Skips the test where openssl is not installed."""
    if OPENSSL is None:
        pytest.skip("openssl is not installed")
    with TemporaryDirectory() as folder:
        key, made = Path(folder, "key.pem"), Path(folder, "certificate.pem")
        command = [
            OPENSSL,
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=mq.example.com",
        ]
        subprocess.run([*command, "-keyout", key, "-out", made], check=True, capture_output=True, timeout=60)
        return made.read_text("ascii"), key.read_text("ascii")


class TlsSession:
    """Two ends joined in memory; ``wire`` is what passed, in order, after the handshake was made."""

    def __init__(self, version: Tls, server_name: str | None, keylog: Path | None = None) -> None:
        self.wire: list[Sent] = []
        made, key = certificate()
        client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        client.check_hostname = False
        client.verify_mode = ssl.CERT_NONE
        if keylog is not None:
            client.keylog_filename = str(keylog)
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with TemporaryDirectory() as folder:
            Path(folder, "certificate.pem").write_text(made + key, "ascii")
            server.load_cert_chain(Path(folder, "certificate.pem"))
        for context in (client, server):
            context.minimum_version = context.maximum_version = version.value
        self._incoming = {direction: ssl.MemoryBIO() for direction in Direction}
        self._outgoing = {direction: ssl.MemoryBIO() for direction in Direction}
        ends = Direction.INITIATOR, Direction.RESPONDER
        self._ends = {
            end: context.wrap_bio(
                self._incoming[end],
                self._outgoing[end],
                server_side=end is Direction.RESPONDER,
                server_hostname=server_name if end is Direction.INITIATOR else None,
            )
            for end, context in zip(ends, (client, server), strict=True)
        }
        waiting = set(ends)
        while waiting:
            for end in ends:
                if end in waiting:
                    try:
                        self._ends[end].do_handshake()
                        waiting.discard(end)
                    except ssl.SSLWantReadError:
                        pass
                    self._pass(end)

    def send(self, direction: Direction, data: bytes) -> None:
        """One end sends; the other takes it."""
        for start in range(0, len(data), 1 << 14):
            piece = data[start : start + (1 << 14)]
            assert self._ends[direction].write(piece) == len(piece)
            self._pass(direction)
        got = b""
        while len(got) < len(data):
            got += self._ends[direction.other].read(1 << 16)
        assert got == data

    def close(self, direction: Direction) -> None:
        """One end says that it sends no more."""
        with suppress(ssl.SSLWantReadError):
            self._ends[direction].unwrap()
        self._pass(direction)

    def _pass(self, direction: Direction) -> None:
        data = self._outgoing[direction].read()
        if data:
            self.wire.append((direction, data))
            self._incoming[direction.other].write(data)


@cache
def hellos(version: Tls, server_name: str | None) -> tuple[bytes, bytes]:
    """What the client and the server send first."""
    (_, client), (_, server), *_ = TlsSession(version, server_name).wire
    return client, server
