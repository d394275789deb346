"""Small capture files for tests: written by hand, or made of connections by the recorder."""

from __future__ import annotations

import io
import itertools
import struct
from collections.abc import Iterator
from ipaddress import ip_address

from mqbridge.captures.reading.link_layers import ACK, SYN
from mqbridge.captures.reading.packets import Packet, PacketReader
from mqbridge.captures.reading.records import TLS_KEY_LOG
from mqbridge.captures.recording.recorder import Recorder
from mqbridge.captures.streams.flow_events import Direction, Endpoint
from support.captures.vectors import VECTORS

JMS_CAPTURE = VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"

CLIENT = Endpoint("192.168.0.90", 1061)
SERVER = Endpoint("192.168.0.91", 1414)


def record(
    *sent: tuple[Direction, bytes], client: Endpoint = CLIENT, server: Endpoint = SERVER, **options: int
) -> bytes:
    """Return a pcap of one connection that carries these bytes, one packet or more for each entry."""
    file = io.BytesIO()
    connection = Recorder(file, **options).connect(client, server, 1.0)
    for count, (direction, data) in enumerate(sent):
        connection.send(direction, data, 2.0 + count)
    connection.close(Direction.INITIATOR, 1000.0)
    connection.close(Direction.RESPONDER, 1001.0)
    return file.getvalue()


def pcap(*packets: bytes, order: str = "<", magic: int = 0xA1B2C3D4, link_type: int = 1, ticks: int = 250_000) -> bytes:
    """Return a pcap of these packets, one a second from second 7 on, each ``ticks`` after it."""
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link_type)]
    for second, data in enumerate(packets, 7):
        parts += [struct.pack(order + "IIII", second, ticks, len(data), len(data) + 1), data]
    return b"".join(parts)


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    """Return a pcapng block, its body filled to a multiple of 4."""
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    """Return a pcapng section header."""
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link_type: int = 1, order: str = "<", snap_length: int = 0, **options: bytes) -> bytes:
    """Return a pcapng interface description; options: ``tsresol``, ``tsoffset``."""
    body = struct.pack(order + "HHI", link_type, 0, snap_length)
    for name, code in (("name", 2), ("tsresol", 9), ("tsoffset", 14)):
        if name in options:
            value = options[name]
            body += struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)
    return block(1, body + struct.pack(order + "HH", 0, 0) if options else body, order)


def enhanced(data: bytes, ticks: int, number: int = 0, order: str = "<") -> bytes:
    """Return a pcapng packet block."""
    fields = number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data)
    return block(6, struct.pack(order + "IIIII", *fields) + data, order)


def secrets(keys: bytes, order: str = "<", kind: int = TLS_KEY_LOG, length: int | None = None) -> bytes:
    """Return a pcapng block of keys; ``length``: another one than theirs."""
    return block(10, struct.pack(order + "II", kind, len(keys) if length is None else length) + keys, order)


def as_pcapng(whole: bytes, at: dict[float, bytes], order: str = "<") -> bytes:
    """Return a pcap as pcapng; ``at``: blocks by the share of the packets in front of them."""
    packets = list(PacketReader(io.BytesIO(whole)))
    parts = [section(order), interface(packets[0].link_type, order)]
    blocks = sorted((share * len(packets), added) for share, added in at.items())
    for number, packet in enumerate(packets):
        while blocks and blocks[0][0] <= number:
            parts.append(blocks.pop(0)[1])
        parts.append(enhanced(packet.data, round(packet.time * 1_000_000), order=order))
    return b"".join([*parts, *(added for _, added in blocks)])


class Wire:
    """Makes the packets of one connection (raw IPv4, no checksums), a tenth of a second apart."""

    numbers: Iterator[int]

    def __init__(
        self, client: Endpoint = CLIENT, server: Endpoint = SERVER, numbers: Iterator[int] | None = None
    ) -> None:
        self.numbers = itertools.count(1) if numbers is None else numbers
        self._ends = {"c": (client, server), "s": (server, client)}

    def packet(self, sender: str, flags: int, sequence: int, acknowledgement: int = 0, data: bytes = b"") -> Packet:
        """Return a packet of the client (``"c"``) or the server (``"s"``)."""
        source, target = self._ends[sender]
        tcp = struct.pack(
            ">HHIIBBHHH",
            source.port,
            target.port,
            sequence % (1 << 32),
            acknowledgement % (1 << 32),
            0x50,
            flags,
            9,
            0,
            0,
        )
        addresses = ip_address(source.address).packed + ip_address(target.address).packed
        ip = struct.pack(">HHHHBBH", 0x4500, 40 + len(data), 0, 0, 64, 6, 0) + addresses
        number = next(self.numbers)
        whole = ip + tcp + data
        return Packet(number, number / 10, 101, whole, len(whole))

    def handshake(self, client_first: int = 1000, server_first: int = 5000) -> list[Packet]:
        """Return the three packets after which the ends send ``client_first`` + 1 and ``server_first`` + 1."""
        return [
            self.packet("c", SYN, client_first),
            self.packet("s", SYN | ACK, server_first, client_first + 1),
            self.packet("c", ACK, client_first + 1, server_first + 1),
        ]
