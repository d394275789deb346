"""Packets to TCP segments: every link layer, and two other decoders as oracles."""

from __future__ import annotations

import struct

import dpkt
import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting
from scapy.layers.ipsec import AH
from scapy.layers.l2 import CookedLinux, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw

from mqbridge.captures import NotRead, TcpSegment, read_tcp
from mqbridge.captures.reading.link_layers import MAX_EXTENSION_HEADERS, MAX_VLAN_TAGS

TCP_PART = TCP(
    sport=1061, dport=1414, seq=0xFFFFFFF0, ack=7, flags="PA", options=[("NOP", None), ("Timestamp", (1, 2))]
)
IPV4 = IP(src="192.168.0.90", dst="192.168.0.91") / TCP_PART / Raw(b"hola")
IPV6 = IPv6(src="2001:db8::1", dst="2001:db8::2") / TCP_PART / Raw(b"hola")
MACS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}

FROM_V4 = TcpSegment(bytes((192, 168, 0, 90)), 1061, bytes((192, 168, 0, 91)), 1414, 0xFFFFFFF0, 7, 0x18, b"hola", 4)
FROM_V6 = FROM_V4._replace(
    source=bytes.fromhex("20010db8000000000000000000000001"),
    destination=bytes.fromhex("20010db8000000000000000000000002"),
)

SLL2 = struct.pack(">HHIHBB8s", 0x0800, 0, 3, 1, 0, 6, b"\2\0\0\0\0\1\0\0")
SLL2_V6 = b"\x86\xdd" + SLL2[2:]


@pytest.mark.parametrize(
    ("link_type", "packet"),
    [
        (1, Ether(**MACS) / IPV4),
        (1, Ether(**MACS) / Dot1Q(vlan=7) / IPV4),
        (1, Ether(**MACS) / Dot1AD(vlan=8) / Dot1Q(vlan=7) / IPV4),
        (1, Ether(**MACS) / IPV4 / b""),
        (101, IPV4),
        (12, IPV4),
        (14, IPV4),
        (228, IPV4),
        (0, Raw(b"\2\0\0\0") / IPV4),
        (0, Raw(b"\0\0\0\2") / IPV4),
        (108, Raw(b"\0\0\0\2") / IPV4),
        (113, CookedLinux(proto=0x0800) / IPV4),
        (113, CookedLinux(proto=0x8100) / Raw(b"\0\7\x08\0") / IPV4),
        (276, Raw(SLL2) / IPV4),
        (276, Raw(b"\x81\0" + SLL2[2:]) / Raw(b"\0\7\x08\0") / IPV4),
    ],
)
def test_link_layers_with_ipv4(link_type: int, packet: Packet) -> None:
    assert read_tcp(link_type, bytes(packet)) == FROM_V4


@pytest.mark.parametrize(
    ("link_type", "packet"),
    [
        (1, Ether(**MACS) / IPV6),
        (101, IPV6),
        (229, IPV6),
        (0, Raw(b"\x1e\0\0\0") / IPV6),
        (113, CookedLinux(proto=0x86DD) / IPV6),
        (276, Raw(SLL2_V6) / IPV6),
        (1, Ether(**MACS) / IPv6(src="2001:db8::1", dst="2001:db8::2") / IPv6ExtHdrHopByHop() / TCP_PART / b"hola"),
        (
            1,
            Ether(**MACS)
            / IPv6(src="2001:db8::1", dst="2001:db8::2")
            / IPv6ExtHdrDestOpt()
            / IPv6ExtHdrRouting(addresses=["2001:db8::9"])
            / AH(icv=bytes(12), nh=6, payloadlen=4)
            / TCP_PART
            / b"hola",
        ),
    ],
)
def test_link_layers_with_ipv6(link_type: int, packet: Packet) -> None:
    assert read_tcp(link_type, bytes(packet)) == FROM_V6


def test_dpkt_reads_the_same() -> None:
    data = bytes(Ether(**MACS) / IPV4)
    other = dpkt.ethernet.Ethernet(data)
    ours = read_tcp(1, data)
    assert isinstance(ours, TcpSegment)
    assert (ours.source, ours.destination) == (other.ip.src, other.ip.dst)
    assert (ours.source_port, ours.destination_port) == (other.ip.tcp.sport, other.ip.tcp.dport)
    assert (ours.sequence, ours.acknowledgement, ours.flags) == (other.ip.tcp.seq, other.ip.tcp.ack, other.ip.tcp.flags)
    assert ours.payload == other.ip.tcp.data


def test_the_padding_of_short_frames_is_no_payload() -> None:
    segment = read_tcp(1, bytes(Ether(**MACS) / IP() / TCP()) + bytes(6))
    assert isinstance(segment, TcpSegment)
    assert (segment.payload, segment.length) == (b"", 0)


def test_a_packet_cut_by_the_capture_says_how_long_it_was() -> None:
    segment = read_tcp(101, bytes(IPV4)[:-3], len(IPV4))
    assert isinstance(segment, TcpSegment)
    assert (segment.payload, segment.length) == (b"h", 4)


def test_a_packet_that_the_network_card_is_still_to_cut() -> None:
    for packet, length_at in ((IPV4, 2), (IPV6, 4)):
        data = bytearray(bytes(packet))
        data[length_at : length_at + 2] = bytes(2)
        segment = read_tcp(101, bytes(data))
        assert isinstance(segment, TcpSegment)
        assert (segment.payload, segment.length) == (b"hola", 4)


@pytest.mark.parametrize(
    ("link_type", "data", "reason"),
    [
        (147, b"\0" * 60, NotRead.LINK_TYPE),
        (1, bytes(Ether(**MACS, type=0x0806)) + bytes(40), NotRead.NOT_IP),
        (1, bytes(Ether(**MACS))[:12] + b"\x81\0\0\1" * (MAX_VLAN_TAGS + 1) + bytes(IPV4), NotRead.NOT_IP),
        (113, bytes(CookedLinux(proto=4)) + bytes(40), NotRead.NOT_IP),
        (276, b"\0\4" + SLL2[2:] + bytes(40), NotRead.NOT_IP),
        (0, b"\0\0\0\7" + bytes(40), NotRead.NOT_IP),
        (101, b"\x50" + bytes(40), NotRead.NOT_IP),
        (101, bytes(IP(proto=17)) + bytes(20), NotRead.NOT_TCP),
        (101, bytes(IPv6(nh=17)) + bytes(20), NotRead.NOT_TCP),
        (101, bytes(IP(flags="MF") / TCP()), NotRead.FRAGMENT),
        (101, bytes(IP(frag=5, proto=6)) + bytes(20), NotRead.FRAGMENT),
        (101, bytes(IPv6() / IPv6ExtHdrFragment(offset=3) / TCP()), NotRead.FRAGMENT),
        (101, b"", NotRead.CUT),
        (1, bytes(13), NotRead.CUT),
        (276, b"\x08", NotRead.CUT),
        (0, b"\2\0", NotRead.CUT),
        (101, bytes(IPV4)[:19], NotRead.CUT),
        (101, bytes(IPV4)[:39], NotRead.CUT),
        (101, bytes(IPV6)[:39], NotRead.CUT),
        (101, bytes(IPv6() / IPv6ExtHdrHopByHop())[:41], NotRead.CUT),
        (101, b"\x44" + bytes(IPV4)[1:], NotRead.MALFORMED),
        (101, bytes(IP(len=30) / TCP())[:30], NotRead.MALFORMED),
        (101, bytes(IP() / TCP(dataofs=4)), NotRead.MALFORMED),
        (101, bytes(IP() / TCP(dataofs=15)), NotRead.MALFORMED),
        (101, bytes(IPv6(nh=0)) + (b"\0\0" + bytes(6)) * (MAX_EXTENSION_HEADERS + 1), NotRead.MALFORMED),
    ],
)
def test_what_is_no_tcp_segment_says_why(link_type: int, data: bytes, reason: NotRead) -> None:
    assert read_tcp(link_type, data) is reason
