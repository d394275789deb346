"""On every kind of link, in every kind of file, tshark sees the same packets and segments at the same times."""

from __future__ import annotations

import io
import struct
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from scapy.layers.inet import IP, fragment
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting
from scapy.layers.inet6 import fragment6 as fragment_v6

from mqbridge.captures import CapturedSegment, Direction, Endpoint, PacketReader, read_segments
from support.captures.files import JMS_CAPTURE, block, enhanced, interface, pcap, record, section
from support.captures.vectors import thesis
from support.tshark.rows import TsharkPacket, tshark_rows
from support.tshark.run import needs_tshark

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
Wrap = Callable[[bytes], list[bytes]]
ENDS = {
    4: {"client": Endpoint("192.168.0.90", 1061), "server": Endpoint("192.168.0.91", 1414)},
    6: {"client": Endpoint("2001:db8::1", 1061), "server": Endpoint("2001:db8::2", 1414)},
}


@cache
def conversation(version: int) -> tuple[bytes, ...]:
    """The IP packets of one connection that carries segments of both kinds of header and byte order."""
    client = [item for item in read_segments(JMS_CAPTURE) if isinstance(item, CapturedSegment) and item.flow.id == 1]
    sent = [(OUT if number == 2 else IN, thesis(number)) for number in range(1, 7)]
    sent += [(item.direction, item.data) for item in client]
    sent += [(IN, thesis(4) + thesis(3) + thesis(4))]
    whole = record(*sent, segment_size=400, **ENDS[version])
    return tuple(packet.data for packet in PacketReader(io.BytesIO(whole)))


def behind(head: bytes) -> Wrap:
    return lambda packet: [head + packet]


def fragmented(head: bytes) -> Wrap:
    return lambda packet: [head + bytes(part) for part in fragment(IP(packet[:2] + b"\0\0\1\0\0\0" + packet[8:]), 160)]


_count = iter(range(1, 1 << 16))


def fragmented_v6(head: bytes) -> Wrap:
    def wrap(packet: bytes) -> list[bytes]:
        whole = IPv6(packet)
        inner = whole.payload
        whole.remove_payload()
        del whole.nh, whole.plen
        held = whole / IPv6ExtHdrHopByHop() / IPv6ExtHdrFragment(id=next(_count)) / IPv6ExtHdrDestOpt() / inner
        return [head + bytes(part) for part in fragment_v6(held, 200)]

    return wrap


def extended(*headers: type) -> Wrap:
    def wrap(packet: bytes) -> list[bytes]:
        whole = IPv6(packet)
        inner = whole.payload
        whole.remove_payload()
        del whole.nh, whole.plen
        for header in headers:
            whole = whole / header()
        return [bytes(whole / inner)]

    return wrap


MACS = bytes.fromhex("020000000001020000000002")
COOKED = struct.pack(">HHH8s", 0, 1, 6, b"\2\0\0\0\0\1")
COOKED_2 = struct.pack(">HIHBB8s", 0, 3, 1, 0, 6, b"\2\0\0\0\0\1")
ETHERNET_4, ETHERNET_6 = MACS + b"\x08\x00", MACS + b"\x86\xdd"

LINKS: dict[str, tuple[int, int, Wrap]] = {
    "Ethernet": (1, 4, behind(ETHERNET_4)),
    "Ethernet, IPv6": (1, 6, behind(ETHERNET_6)),
    "VLAN": (1, 4, behind(MACS + b"\x81\x00\x00\x0e\x08\x00")),
    "VLAN, IPv6": (1, 6, behind(MACS + b"\x81\x00\x60\x0e\x86\xdd")),
    "QinQ": (1, 4, behind(MACS + b"\x88\xa8\x00\x0e\x81\x00\x00\x0f\x08\x00")),
    "QinQ of old": (1, 4, behind(MACS + b"\x91\x00\x00\x0e\x81\x00\x00\x0f\x08\x00")),
    "cooked": (113, 4, behind(COOKED + b"\x08\x00")),
    "cooked, IPv6": (113, 6, behind(COOKED + b"\x86\xdd")),
    "cooked, VLAN": (113, 4, behind(COOKED + b"\x81\x00\x00\x0e\x08\x00")),
    "cooked 2": (276, 4, behind(b"\x08\x00" + COOKED_2)),
    "cooked 2, IPv6": (276, 6, behind(b"\x86\xdd" + COOKED_2)),
    "raw": (101, 4, behind(b"")),
    "raw, IPv6": (101, 6, behind(b"")),
    "raw of old": (12, 4, behind(b"")),
    "raw of OpenBSD": (14, 4, behind(b"")),
    "IPv4": (228, 4, behind(b"")),
    "IPv6": (229, 6, behind(b"")),
    "null, little-endian": (0, 4, behind(b"\2\0\0\0")),
    "null, big-endian": (0, 4, behind(b"\0\0\0\2")),
    "null, IPv6 of FreeBSD": (0, 6, behind(b"\x1c\0\0\0")),
    "null, IPv6 of macOS": (0, 6, behind(b"\x1e\0\0\0")),
    "null, IPv6 of OpenBSD": (0, 6, behind(b"\0\0\0\x18")),
    "loop": (108, 4, behind(b"\0\0\0\2")),
    "loop, IPv6": (108, 6, behind(b"\0\0\0\x18")),
    "fragments": (1, 4, fragmented(ETHERNET_4)),
    "fragments, IPv6": (1, 6, fragmented_v6(ETHERNET_6)),
    "extension headers": (101, 6, extended(IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, IPv6ExtHdrDestOpt)),
    "a lone fragment header": (101, 6, extended(IPv6ExtHdrFragment, IPv6ExtHdrDestOpt)),
}


def compare(capture: Path) -> list[TsharkPacket]:
    """Packet by packet, segment by segment."""
    rows = tshark_rows(capture)
    with capture.open("rb") as file:
        packets = list(PacketReader(file))
    assert [(row.number, row.length, row.original) for row in rows] == [
        (packet.number, len(packet.data), packet.original_length) for packet in packets
    ]
    for row, packet in zip(rows, packets, strict=True):
        assert abs(float(row.time) - packet.time) < 1e-6
    headers = defaultdict(list)
    ids = defaultdict(list)
    for item in read_segments(capture):
        assert isinstance(item, CapturedSegment)
        one, flow = item.segment, item.flow
        ends = (flow.initiator, flow.responder) if item.direction is IN else (flow.responder, flow.initiator)
        key = item.last_packet, *(f"{end.address} {end.port}" for end in ends)
        luwid = one.luwid.hex()
        ccsid = one.ccsid - (one.ccsid >> 15 << 16)  # tshark shows it with a sign
        headers[key].append((one.length, one.byte_order, one.type, one.flags1, one.flags2, luwid, one.encoding, ccsid))
        if one.header.name == "TSHM":
            ids[key].append((one.conversation_id, one.request_id))
        assert abs(float(rows[item.packet - 1].time) - item.time) < 1e-6
    theirs = {(row.number, row.source, row.destination): row for row in rows if row.headers}
    assert dict(headers) == {key: list(row.headers) for key, row in theirs.items()}
    assert dict(ids) == {key: list(row.conversations) for key, row in theirs.items() if row.conversations}
    return rows


@pytest.mark.parametrize("link", LINKS)
def test_every_link(link: str, tmp_path: Path) -> None:
    link_type, version, wrap = LINKS[link]
    capture = tmp_path / "link.pcap"
    packets = [part for packet in conversation(version) for part in wrap(packet)]
    assert (len(packets) > len(conversation(version))) is ("fragments" in link)
    capture.write_bytes(pcap(*packets, link_type=link_type))
    rows = compare(capture)
    assert sum(len(row.headers) for row in rows) == 6 + 8 + 3


def pcapng(order: str, *options: dict[str, bytes]) -> bytes:
    """The conversation over several sections, each with two interfaces that packets take turns on."""
    parts = []
    packets = conversation(4)
    for start in range(0, len(packets), 10):
        parts += [section(order), *(interface(101, order, **one) for one in options)]
        for number, packet in enumerate(packets[start : start + 10]):
            parts += [
                enhanced(packet, 1_700_000_000_123_456 + number, number % len(options), order),
                block(5, bytes(12), order),
            ]
    return b"".join(parts)


FILES: dict[str, bytes] = {
    **{
        f"pcap {order} {magic:x}": pcap(*conversation(4), order=order, magic=magic, ticks=ticks, link_type=101)
        for order in "<>"
        for magic, ticks in ((0xA1B2C3D4, 250_001), (0xA1B23C4D, 250_000_001))
    },
    **{
        f"pcapng {order} {name}": pcapng(order, *options)
        for order in "<>"
        for name, options in {
            "": [{}],
            "nanoseconds": [{"tsresol": b"\x09"}, {"tsresol": b"\x09"}],
            "of their own": [
                {},
                {"tsresol": b"\x94", "tsoffset": struct.pack(order + "q", 1000)},
                {"tsresol": b"\x07"},
            ],
        }.items()
    },
}


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file(kind: str, tmp_path: Path) -> None:
    capture = tmp_path / "file"
    capture.write_bytes(FILES[kind])
    assert sum(len(row.headers) for row in compare(capture)) == 6 + 8 + 3


def test_every_segment_of_a_real_cooked_capture() -> None:
    rows = compare(JMS_CAPTURE)
    assert (len(rows), sum(len(row.headers) for row in rows)) == (1514, 506)


def test_every_segment_of_the_real_packets_of_2003(tmp_path: Path) -> None:
    capture = tmp_path / "thesis.pcap"
    capture.write_bytes(record(*[(OUT if number == 2 else IN, thesis(number)) for number in range(1, 7)]))
    assert sum(len(row.headers) for row in compare(capture)) == 6
