"""Captures with all that goes wrong with TCP, made of a seed: to prove that two ways of reading tell the same."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from ipaddress import ip_address
from random import Random

from mqbridge.captures.reading.link_layers import ACK, FIN, PSH, RST, SYN
from support.captures.files import enhanced, interface, section
from support.captures.vectors import thesis

CLIENTS = ["10.0.0.1", "10.0.0.2", "fd00::1"]
SERVERS = ["10.1.0.1", "fd00::2"]
SEGMENT = thesis(3)

HEADS = {
    1: {4: bytes(12) + b"\x08\x00", 6: bytes(12) + b"\x86\xdd"},
    113: {4: bytes(14) + b"\x08\x00", 6: bytes(14) + b"\x86\xdd"},
    276: {4: b"\x08\x00" + bytes(18), 6: b"\x86\xdd" + bytes(18)},
    101: {4: b"", 6: b""},
    0: {4: b"\x02\0\0\0", 6: b"\x1c\0\0\0"},
}
VLAN = {4: bytes(12) + b"\x81\x00\x00\x05\x08\x00", 6: bytes(12) + b"\x81\x00\x00\x05\x86\xdd"}


def some_segment(random: Random) -> bytes:
    """A segment, now and then one that is none."""
    kind = random.random()
    order = random.choice((1, 2, 2, 2))
    size = random.choice((0, 0, 4, 40, 400, 3000))
    if kind < 0.5:
        return SEGMENT
    if kind < 0.75:
        ids = random.choice((b"TSH ", b"TSHC", b"\xe3\xe2\xc8\x40"))
        head = struct.pack(">4sIBBBB8s8s", ids, 28 + size, order, 0x86, 0x30, 0, bytes(8), bytes(8))
    else:
        ids = random.choice((b"TSHM", b"\xe3\xe2\xc8\xd4"))
        numbers = random.randrange(3), random.randrange(3), order, 0x86, 0x30, 0
        head = struct.pack(">4sIIIBBBB8s8s", ids, 36 + size, *numbers, bytes(8), bytes(8))
    if kind > 0.97:
        place = random.choice((0, 3, 4, 6, 8, 16))
        head = head[:place] + b"\xff" + head[place + 1 :]
    return head + random.randbytes(size)


def stream(random: Random, kind: str) -> bytes:
    """What one direction carries."""
    if kind == "tls":
        return b"\x16\x03\x01\x00\x20" + random.randbytes(random.randrange(2000))
    if kind == "other":
        return b"GET / HTTP/1.0\r\n" + random.randbytes(random.randrange(2000))
    return b"".join(some_segment(random) for _ in range(random.randrange(12)))


class Connection:
    """Makes the packets of one connection, in order and without faults: (from the client, flags, ...)."""

    def __init__(self, random: Random) -> None:
        client = random.choice(CLIENTS)
        self.version = ip_address(client).version
        servers = [server for server in SERVERS if ip_address(server).version == self.version]
        self.ends = [
            ip_address(client).packed + b"",
            ip_address(random.choice(servers)).packed,
        ]
        self.ports = [random.choice((2001, 2002, 1414)), random.choice((1414, 1415))]
        self.random = random
        self.kind = random.choice(("mq", "mq", "mq", "mq", "tls", "other"))
        self.sent = [random.choice((1000, 0xFFFFFF00, random.randrange(1 << 32))) for _ in range(2)]
        self.captured = random.choice([(0, 1)] * 8 + [(0,), (1,)])  # sides
        self.side = 0  # of the latest packet

    def packet(self, side: int, flags: int, data: bytes = b"", *, shift: int = 0) -> tuple[int, bytes]:
        """IP version and packet."""
        self.side = side
        ports = self.ports[side], self.ports[1 - side]
        numbers = (self.sent[side] + shift) % (1 << 32), self.sent[1 - side] % (1 << 32)
        options = b"\1\1\1\1" * self.random.choice((0, 0, 0, 3))
        tcp = struct.pack(">HHIIBBHHH", *ports, *numbers, 0x50 + (len(options) << 2), flags, 9, 0, 0) + options + data
        addresses = self.ends[side] + self.ends[1 - side]
        if self.version == 6:
            return 6, struct.pack(">IHBB", 0x60000000, len(tcp), 6, 64) + addresses + tcp
        odd = self.random.random() < 0.03
        extra = b"\1\1\1\0" if odd else b""
        head = 0x46 if odd else 0x45
        ip = struct.pack(">BBHHHBBH", head, 0, 20 + len(extra) + len(tcp), self.random.randrange(65536), 0, 64, 6, 0)
        return 4, ip + addresses + extra + tcp

    def packets(self) -> Iterator[tuple[int, bytes]]:
        """The whole life, or the end of it, as a capture shows it; of some only one side."""
        return (packet for packet in self._sent() if self.side in self.captured)

    def _sent(self) -> Iterator[tuple[int, bytes]]:
        random = self.random
        rest = [stream(random, self.kind), stream(random, self.kind)]
        if random.random() < 0.8:
            yield self.packet(0, SYN, shift=-1)
            yield self.packet(1, SYN | ACK, shift=-1)
            yield self.packet(0, ACK)
        while rest[0] or rest[1]:
            side = random.randrange(2)
            size = random.choice((1, 10, 28, 100, 540, 1400, 1400))
            data, rest[side] = rest[side][:size], rest[side][size:]
            packet = self.packet(side, ACK | PSH if data or random.random() < 0.95 else PSH, data)
            if random.random() < 0.03:  # overlaps what came before
                yield self.packet(side, ACK, b"x" * min(5, size) + data, shift=-min(5, size))
            self.sent[side] += len(data)
            yield packet
            if random.random() < 0.01:
                yield self.packet(side, RST)
                return
            if random.random() < 0.02:  # keep-alive
                yield self.packet(side, ACK, b"\0" * random.randrange(2), shift=-1)
        for side in random.sample((0, 1), random.randrange(3)):
            yield self.packet(side, FIN | ACK)
            self.sent[side] += 1
            yield self.packet(1 - side, ACK)


def fragments(random: Random, packet: bytes) -> list[bytes]:
    """An IPv4 packet in two."""
    cut = 8 * random.randrange(1, max(2, (len(packet) - 20) // 8))
    first, second = packet[20 : 20 + cut], packet[20 + cut :]
    number = random.randrange(65536)
    both = []
    for place, part in ((0x2000, first), (cut // 8, second)):
        both.append(struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(part), number, place, 64, 6, 0) + packet[12:20] + part)
    return both


def faulty_packets(random: Random, connections: int, faults: float) -> list[tuple[int, bytes]]:
    """Packets of some connections, mixed, with losses, copies, changes of order, fragments."""
    lives = [Connection(random).packets() for _ in range(connections)]
    mixed: list[tuple[int, bytes]] = []
    open_lives = lives[:4]
    waiting = lives[4:]
    while open_lives:
        life = random.choice(open_lives)
        packet = next(life, None)
        if packet is None:
            open_lives.remove(life)
            if waiting:
                open_lives.append(waiting.pop())
            continue
        fate = random.random() / faults if faults else 1.0
        if fate < 0.2:
            continue
        mixed.append(packet)
        if fate < 0.5:
            mixed.append(packet)
        elif fate < 0.8 and len(mixed) > 3:
            mixed.insert(-random.randrange(1, 4), mixed.pop())
        elif fate < 0.9 and packet[0] == 4 and packet[1][0] == 0x45 and len(packet[1]) > 60:
            mixed[-1:] = [(4, part) for part in fragments(random, packet[1])]
    return mixed


def faulty_capture(
    seed: int, *, connections: int = 6, faults: float = 0.1, link_type: int = 1, pcapng: bool = False
) -> bytes:
    """The bytes of a capture file."""
    random = Random(seed)
    heads = HEADS[link_type]
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)]
    if pcapng:
        parts = [section(), interface(link_type)]
    for number, (version, packet) in enumerate(faulty_packets(random, connections, faults), 1):
        head = VLAN[version] if link_type == 1 and random.random() < 0.02 else heads[version]
        data = head + packet
        if random.random() < 0.02:
            data += bytes(random.randrange(9))  # what fills short frames up
        original = len(data)
        if random.random() < faults / 20:
            data = data[: random.randrange(len(data))]
        if pcapng:
            parts.append(enhanced(data, number * 1000))
            if random.random() < 0.01:
                parts += [section(), interface(link_type)]
        else:
            parts.append(struct.pack("<IIII", number // 1000, number % 1000 * 1000, len(data), original) + data)
        if random.random() < 0.01 and not pcapng:
            parts.append(struct.pack("<IIII", number // 1000, 0, 40, 40) + head + bytes(40 - len(head)))
    return b"".join(parts)
