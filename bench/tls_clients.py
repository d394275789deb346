"""Certificates of the TLS benches, and clients that only connect."""

from __future__ import annotations

import socket
import ssl
import sys
import time
from pathlib import Path

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from mqbridge.protocol.mqi_client import ClientConnection, ClientParameters, Closed, Connected
from support.tls.authority import Authority, Issued

STORE_PASSWORD = "changeit"
READ_SIZE = 1 << 16


class Certificates:
    """An authority with P-256 keys, and the forms in which servers and clients want what it issued."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = Authority()
        self.trusted = self.authority.trust_file(folder / "authority.pem")

    def repository(self, folder: Path, queue_manager: str) -> Path:
        """Make a key repository of ours, with the default label of a queue manager."""
        issued = self.authority.issue(f"O=Bench,CN={queue_manager}", curve=True)
        issued.save(folder / f"ibmwebspheremq{queue_manager.lower()}.pem")
        self.authority.trust_file(folder / "trusted" / "authority.pem")
        folder.chmod(0o700)
        return folder

    def key_store(self) -> Path:
        """Make a key store of a Java server."""
        issued: Issued = self.authority.issue("O=Bench,CN=localhost", curve=True)
        protection = BestAvailableEncryption(STORE_PASSWORD.encode())
        store = pkcs12.serialize_key_and_certificates(
            b"server", issued.key, issued.certificate, issued.chain, protection
        )
        file = self.folder / "server.p12"
        file.write_bytes(store)
        return file

    def trust_options(self) -> tuple[str, ...]:
        """Make a trust store of a Java client; the options of its JVM."""
        protection = BestAvailableEncryption(STORE_PASSWORD.encode())
        entry = pkcs12.PKCS12Certificate(self.authority.certificate, b"authority")
        file = self.folder / "trust.p12"
        file.write_bytes(pkcs12.serialize_java_truststore([entry], protection))
        return (
            f"-Djavax.net.ssl.trustStore={file}",
            f"-Djavax.net.ssl.trustStorePassword={STORE_PASSWORD}",
            "-Dcom.ibm.mq.cfg.useIBMCipherMappings=false",
        )

    def context(self) -> ssl.SSLContext:
        """Return a context for clients of TLS 1.3."""
        context = ssl.create_default_context(cafile=str(self.trusted))
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        return context


def open_socket(port: int, context: ssl.SSLContext | None, server_name: str) -> socket.socket:
    """Connect a socket, inside TLS if a context is given."""
    raw = socket.create_connection(("127.0.0.1", port))
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return raw if context is None else context.wrap_socket(raw, server_hostname=server_name)


def connect_client(port: int, channel: str, context: ssl.SSLContext | None, server_name: str) -> socket.socket:
    """Connect a client as far as its MQCONN has been answered; return its socket, on which nothing happens then."""
    door = open_socket(port, context, server_name)
    machine = ClientConnection(ClientParameters(channel_name=channel), time.time())
    while True:
        while pieces := machine.link.wire.take():
            door.sendall(b"".join(pieces))
        data = door.recv(READ_SIZE)
        for event in machine.link.receive_data(data, time.time()) if data else machine.link.receive_eof(time.time()):
            if isinstance(event, Connected):
                return door
            if isinstance(event, Closed):
                raise SystemExit(f"a client could not connect: {event.reason}")
