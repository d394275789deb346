"""A gateway with HTTP listeners, devices of their own program, and raw requests."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.device.device_file import Gateway
from mqbridge.bridge.everyplace.network.settings import NetworkSettings
from mqbridge.bridge.everyplace.secrets import FINGERPRINT, KEY
from mqbridge.everyplace import QueueManager
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.handshakes import Hello, write_greeting
from mqbridge.protocol.everyplace.token import NO_FINGERPRINT, Token
from support.gateway_device import enrol
from support.processes.running_service import RunningService
from support.tls.authority import Authority

PATH = "/servlet/MQe"
CONFIGURATION = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "http"
endpoint = "tcp:0:interface=127.0.0.1"
timeout = 2
max = 60

[[everyplace.listener]]
name = "secure"
adapter = "https"
endpoint = "tcp:0:interface=127.0.0.1"
certificate = "hub.pem"
key = "hub.key"

[[everyplace.listener]]
name = "stream"
adapter = "tls"
endpoint = "tcp:0:interface=127.0.0.1"
certificate = "hub.pem"
key = "hub.key"

[[everyplace.listener]]
name = "clear"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""


class Web:
    """A gateway with HTTP listeners, and what stands in front of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open: list[Any] = []
        self.numbers = 0
        self.authority = Authority()
        own = self.authority.issue("CN=HUB", hosts=("localhost",))
        (folder / "hub.pem").write_bytes(own.certificates_pem)
        (folder / "hub.key").touch(mode=0o600)
        (folder / "hub.key").write_bytes(own.key_pem)
        self.trusted = self.authority.trust_file(folder / "authority.pem")
        (folder / "queue-manager.toml").write_text(CONFIGURATION, encoding="utf-8")
        options = ("--config", str(folder / "queue-manager.toml"))
        self.service = RunningService(folder, options=options)

    def port(self, listener: str = "plain") -> int:
        return int(self.service.ready["everyplace"][listener].rpartition(":")[2].partition("/")[0])

    def moon(
        self,
        adapter: str,
        port: int,
        ask: Callable[[str], tuple[str, str] | None] | None = None,
        enrolled: Sequence[str] = (),
        **properties: str,
    ) -> QueueManager:
        """A device of its own program, with what proves who it is. ``enrolled``: more words for its enrolment."""
        self.numbers += 1
        name = f"MOON{self.numbers}"
        token = Token.parse(enrol(self.service, name, *enrolled)["token"])
        connection = ConnectionDefinition("HUB", adapter, f"localhost:{port}", PATH)
        secrets = {KEY: token.key(name)}
        if token.fingerprint != NO_FINGERPRINT and adapter == "https":
            secrets[FINGERPRINT] = token.fingerprint
        found = QueueManager.create(
            self.folder / f"{name}.mqe",
            name,
            Gateway(connection, ("JUPITER",), secrets),
            ask=ask,
            properties=properties,
            network=NetworkSettings(retry_first=0.05, retry_most=0.5, pull_wait=1.0),
        )
        self.open.append(found)
        return found

    def close_devices(self) -> None:
        while self.open:
            self.open.pop().close()


@contextmanager
def running_web(folder: Path) -> Iterator[Web]:
    """Such a gateway as it runs, and JUPITER enrolled at it."""
    found = Web(folder)
    try:
        found.service.start()
        enrol(found.service, "JUPITER")
        yield found
    finally:
        found.close_devices()
        found.service.close()


def raw(web: Web, data: bytes, *, half: bool = False) -> bytes:
    """What the listener answers to bytes."""
    with socket.create_connection(("127.0.0.1", web.port()), 10) as found:
        found.sendall(data)
        if half:
            found.shutdown(socket.SHUT_WR)
        answer = b""
        while data := found.recv(1 << 16):
            answer += data
        return answer


def post(body: bytes, *headers: str, path: str = PATH, method: str = "POST", version: str = "1.1") -> bytes:
    lines = [f"{method} {path} HTTP/{version}", "Host: hub", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


HELLO = Frame(Kind.HELLO, 7, write_greeting(Hello("JUPITER", "", bytes(8), 0, bytes(32), ("key",)))).encode()


def length(body: bytes) -> str:
    return f"Content-Length: {len(body)}"
