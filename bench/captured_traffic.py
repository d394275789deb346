"""Captures of any size for the benches: traffic of message channels and clients on a busy network.

Eight of ten data packets hold one segment with a message, one holds a short segment of the other end; some segments
take five packets; there are acknowledgements without data. Packets are made by patching headers, so a GiB takes some
seconds.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.captures.vectors import thesis

MESSAGE = thesis(3)
CONFIRM = MESSAGE[:4] + (28).to_bytes(4, "big") + MESSAGE[8:28]
LONG = MESSAGE[:4] + (6028).to_bytes(4, "big") + MESSAGE[8:28] + bytes(6000)
PACKET_DATA = 1460
FILLING = bytes(400)  # data of a message
SYN, ACK, PSH_ACK = 2, 16, 24

_RECORD = struct.Struct("<IIII").pack
_IPV4 = struct.Struct(">HHHHBBH8s").pack
_TCP = struct.Struct(">HHIIBBHHH").pack
_ETHERNET = bytes(12) + b"\x08\x00"


class Writer:
    """Writes packets of connections from many clients to one server."""

    def __init__(self, path: Path, connections: int) -> None:
        self.file = path.open("wb", buffering=1 << 20)
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        self.size = self.packets = 0
        server = bytes((10, 1, 0, 1))
        clients = [bytes((10, 0, number >> 8, number & 255)) for number in range(connections)]
        self.addresses = [(client + server, server + client) for client in clients]
        self.sent = [[1000, 5000] for _ in clients]
        for number in range(connections):
            self.packet(number, 0, SYN, shift=-1)
            self.packet(number, 1, SYN | ACK, shift=-1)
            self.packet(number, 0, ACK)

    def packet(self, number: int, side: int, flags: int, data: bytes = b"", shift: int = 0) -> None:
        """One packet of a connection; ``side`` 1: of the server."""
        sent = self.sent[number]
        ports = (1414, 20000 + number) if side else (20000 + number, 1414)
        length = 54 + len(data)
        ip = _IPV4(0x4500, length - 14, self.packets & 0xFFFF, 0x4000, 64, 6, 0, self.addresses[number][side])
        words = (sent[side] + shift) & 0xFFFFFFFF, sent[1 - side] & 0xFFFFFFFF, 0x50, flags, 65535, 0, 0
        self.packets += 1
        seconds, rest = divmod(self.packets, 10_000)
        record = _RECORD(1_700_000_000 + seconds, rest * 100, length, length)
        self.file.write(b"".join((record, _ETHERNET, ip, _TCP(*ports, *words), data)))
        self.size += 16 + length
        sent[side] += len(data)


def make_capture(
    path: Path, *, packets: int | None = None, size: int | None = None, connections: int = 100, messages: bool = False
) -> int:
    """Write a capture of so many packets or bytes; return the number of packets. ``messages``: longer ones."""
    random = Random(1)
    writer = Writer(path, connections)
    message = MESSAGE
    if messages:
        length = len(MESSAGE) + len(FILLING)
        message = MESSAGE[:4] + length.to_bytes(4, "big") + MESSAGE[8:] + FILLING
    while writer.packets < packets if packets is not None else writer.size < (size or 0):
        number, kind = random.randrange(connections), random.random()
        if kind < 0.80:
            writer.packet(number, 0, PSH_ACK, message)
        elif kind < 0.85:
            for place in range(0, len(LONG), PACKET_DATA):
                writer.packet(number, 0, ACK, LONG[place : place + PACKET_DATA])
        else:
            writer.packet(number, 1, PSH_ACK, CONFIRM)
        if kind < 0.15:
            writer.packet(number, 1, ACK)
    writer.file.close()
    return writer.packets
