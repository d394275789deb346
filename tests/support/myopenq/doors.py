"""Doors of MyOpenQ over real sockets: packets as bytes, and answers as they come."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Self

from mqbridge.bridge.client.myopenq import Access, MoqClient
from mqbridge.protocol.myopenq import Answer, AnswerReader, Create, QueueType, Request, build_packet, write_request
from support.processes.running_service import MakeService, RunningService

HOST = "127.0.0.1"
TIMEOUT = 30.0


def write_configuration(folder: Path, *doors: str, more: str = "") -> tuple[str, ...]:
    """Write a configuration with doors, tables of TOML without their heads. Returns the options that name it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "doors.toml"
    endpoint = "endpoint = 'tcp:0:interface=127.0.0.1'"
    tables = [f"[[myopenq]]\nname = 'D{number}'\n{endpoint}\n{each}\n" for number, each in enumerate(doors)]
    file.write_text("".join(tables) + more, encoding="utf-8")
    return ("--config", str(file))


def serve(make_service: MakeService, folder: Path, *doors: str, more: str = "", name: str = "EARTH") -> RunningService:
    """A running queue manager with doors D0, D1 …"""
    return make_service(name, options=write_configuration(folder, *doors, more=more))


def port_of(service: RunningService, door: str = "D0") -> int:
    """The port of a door."""
    return int(service.ready["myopenq"][door]["port"])


def client_of(service: RunningService, door: str = "D0", **access: object) -> MoqClient:
    """A client of a door."""
    return MoqClient(HOST, port_of(service, door), Access(**access))  # type: ignore[arg-type]


def local(name: str, size: int = 100, length: int = 100, timeout: int = 0) -> Create:
    """A local queue."""
    return Create(name, size, length, QueueType.LOCAL, timeout=timeout)


def packet(request: Request, stamp: int = 1, *, framed: bool = False, sign: bool = False) -> bytes:
    """The bytes of a packet."""
    return build_packet(*write_request(request, framed), stamp, sign=sign)


def exchange(port: int, data: bytes, step: int = 0, source: str = HOST) -> bytes:
    """Send bytes on a connection of their own, ``step`` at a time, and return all that comes back until it ends."""
    with socket.create_connection((HOST, port), TIMEOUT, (source, 0)) as connected:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(data), step or len(data)):
            connected.sendall(data[at : at + (step or len(data))])
        found = b""
        while part := connected.recv(1 << 16):
            found += part
        return found


class FramedLine:
    """A connection in framed mode."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port), TIMEOUT)
        self._reader = AnswerReader(True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, request: Request, stamp: int = 1, *, sign: bool = False) -> Answer:
        """Ask, and await the answer."""
        self.socket.sendall(packet(request, stamp, framed=True, sign=sign))
        return self.answer()

    def answer(self) -> Answer:
        """The next answer."""
        while (found := self._reader.next_answer()) is None:
            data = self.socket.recv(1 << 16)
            assert data, "the door has closed the connection"
            self._reader.receive(data)
        return found
