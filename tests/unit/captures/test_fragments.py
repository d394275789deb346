"""IP packets put together from fragments: every order, copies, overlaps, holes, and the limits."""

from __future__ import annotations

import random

import pytest
from scapy.layers.inet import IP, TCP, UDP, fragment
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, fragment6
from scapy.packet import Packet as ScapyPacket
from scapy.packet import Raw

from mqbridge.captures import FlowData, FlowEvent, FlowReader, NotRead, Packet
from mqbridge.captures.reading import fragments
from mqbridge.captures.reading.fragments import FRAGMENT_PATIENCE, Fragment, FragmentReassembly
from support.captures.files import CLIENT, SERVER

DATA = b"TSH " + random.Random(3).randbytes(2996)
TCP_PART = TCP(sport=CLIENT.port, dport=SERVER.port, seq=1000, flags="A")
V4 = {"src": CLIENT.address, "dst": SERVER.address, "id": 77}
V6 = {"src": "2001:db8::1", "dst": "2001:db8::2"}


def packets_of(parts: list[bytes], numbers: range | None = None) -> list[Packet]:
    places = numbers or range(1, len(parts) + 1)
    return [Packet(number, number / 10, 101, data, len(data)) for number, data in zip(places, parts, strict=True)]


def version_4(data: bytes = DATA, size: int = 1000, **fields: object) -> list[bytes]:
    return [bytes(part) for part in fragment(IP(**{**V4, **fields}) / TCP_PART / Raw(data), size)]


def version_6(data: bytes = DATA, *behind: ScapyPacket) -> list[bytes]:
    whole = IPv6(**V6) / IPv6ExtHdrHopByHop() / IPv6ExtHdrFragment(id=99)
    for header in behind:
        whole = whole / header
    return [bytes(part) for part in fragment6(whole / TCP_PART / Raw(data), 1280)]


def play(packets: list[Packet]) -> tuple[list[FlowEvent], FlowReader]:
    reader = FlowReader()
    events = [event for packet in packets for event in reader.receive_packet(packet)]
    return events + reader.finish(), reader


def given(packets: list[Packet]) -> list[tuple[int, bytes, int]]:
    return [(event.offset, event.data, event.packet) for event in play(packets)[0] if isinstance(event, FlowData)]


@pytest.mark.parametrize(
    "parts", [version_4(), version_4(size=8), version_6(), version_6(DATA, IPv6ExtHdrDestOpt())], ids=len
)
def test_fragments_in_any_order_give_the_segment(parts: list[bytes]) -> None:
    assert len(parts) > 2
    for order in (parts, parts[::-1], random.Random(1).sample(parts, len(parts))):
        packets = packets_of(order)
        assert given(packets) == [(0, DATA, len(parts))]
        assert not +play(packets)[1].unread


@pytest.mark.parametrize("parts", [version_4(), version_6()], ids=["IPv4", "IPv6"])
def test_copies_of_fragments_give_one_segment(parts: list[bytes]) -> None:
    twice = [part for part in parts for _ in range(2)]
    for order in (twice, parts + parts, parts + parts[::-1]):
        events, reader = play(packets_of(order))
        assert [event.data for event in events if isinstance(event, FlowData)] == [DATA]
        assert not +reader.unread


def test_an_identification_used_again_is_another_datagram() -> None:
    other = b"TSH " + bytes(2996)
    parts = [*version_4(), bytes(IP(**V4) / TCP(sport=1, dport=1414, seq=1) / Raw(b"TSHM"))]
    parts += [bytes(part) for part in fragment(IP(**V4) / TCP(sport=9, dport=1414, seq=5) / Raw(other), 1000)]
    assert sorted(data for _, data, _ in given(packets_of(parts))) == sorted([DATA, b"TSHM", other])


def test_a_lone_fragment_header_makes_no_fragment() -> None:
    whole = IPv6(**V6) / IPv6ExtHdrFragment(id=5, nh=60) / IPv6ExtHdrDestOpt() / TCP_PART / Raw(DATA)
    assert given(packets_of([bytes(whole)])) == [(0, DATA, 1)]


def test_a_lost_fragment_is_counted_and_tcp_shows_the_hole() -> None:
    parts = version_4()
    events, reader = play(packets_of(parts[:1] + parts[2:]))
    assert events == []
    assert reader.unread == {NotRead.FRAGMENT: len(parts) - 1}


def test_fragments_of_other_protocols_are_not_kept() -> None:
    parts = [bytes(part) for part in fragment(IP(**V4) / UDP() / Raw(DATA), 1000)]
    _, reader = play(packets_of(parts))
    assert reader.unread == {NotRead.NOT_TCP: len(parts)}
    whole = IPv6(**V6) / IPv6ExtHdrFragment() / UDP() / Raw(DATA)
    parts = [bytes(part) for part in fragment6(whole, 1280)]
    _, reader = play(packets_of(parts))
    assert reader.unread == {NotRead.NOT_TCP: len(parts)}


def test_fragments_cut_by_the_capture_say_how_long_they_were() -> None:
    parts = version_4()
    packets = [packet._replace(data=packet.data[:500]) for packet in packets_of(parts)]
    events, _ = play(packets)
    assert [event.data for event in events if isinstance(event, FlowData)] == [DATA[: 500 - 40]]
    assert [(event.offset, event.length) for event in events if type(event).__name__ == "FlowGap"] == [(460, 2540)]


def test_a_fragment_cut_before_its_end_by_the_file() -> None:
    for parts in (version_4(), version_6()):
        for length in range(len(parts[0])):
            packets = packets_of(parts)
            packets[0] = packets[0]._replace(data=parts[0][:length])
            events, reader = play(packets)
            assert all(DATA.startswith(event.data) for event in events if isinstance(event, FlowData))
            assert reader.packets == len(parts)


def part(
    offset: int, data: bytes, more: bool = True, *, identification: int = 1, length: int | None = None
) -> Fragment:
    size = len(data) if length is None else length
    return Fragment(4, b"aaaa", b"bbbb", identification, 6, offset, more, data, size)


def test_what_came_first_counts_where_fragments_overlap() -> None:
    reassembly = FragmentReassembly()
    assert reassembly.add(part(8, b"B" * 16), 1) is None
    assert reassembly.add(part(0, b"A" * 16), 2) is None
    assert reassembly.add(part(16, b"C" * 16), 3) is None
    whole = reassembly.add(part(24, b"D" * 9, more=False), 4)
    assert whole is not None
    assert (whole.data, whole.length, whole.packets) == (b"A" * 8 + b"B" * 16 + b"C" * 8 + b"D", 33, (1, 2, 3, 4))
    assert reassembly.unread == 0


@pytest.mark.parametrize(
    "odd", [part(0, b""), part(0, b"1234567"), part(65_528, b"8" * 8), part(65_528, b"8" * 8, more=False)]
)
def test_fragments_that_cannot_be_are_passed_over(odd: Fragment) -> None:
    reassembly = FragmentReassembly()
    assert reassembly.add(odd, 1) is None
    assert (reassembly.unread, reassembly._bytes, len(reassembly._datagrams)) == (1, 0, 0)


def test_two_different_ends_begin_anew() -> None:
    reassembly = FragmentReassembly()
    assert reassembly.add(part(16, b"x" * 4, more=False), 1) is None
    assert reassembly.add(part(8, b"y" * 4, more=False), 2) is None
    whole = reassembly.add(part(0, b"z" * 8), 3)
    assert whole is not None
    assert (whole.data, whole.packets) == (b"zzzzzzzzyyyy", (2, 3))
    assert reassembly.unread == 1


def test_datagrams_are_given_up_after_a_while() -> None:
    reassembly = FragmentReassembly()
    reassembly.add(part(0, b"8" * 8), 1)
    assert reassembly.add(part(8, b"9", more=False), FRAGMENT_PATIENCE + 1) is not None
    reassembly = FragmentReassembly()
    reassembly.add(part(0, b"8" * 8), 1)
    assert reassembly.add(part(8, b"9", more=False), FRAGMENT_PATIENCE + 2) is None
    assert reassembly.unread == 2


def test_count_and_bytes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    reassembly = FragmentReassembly()
    for number in range(fragments.MAX_DATAGRAMS + 50):
        reassembly.add(part(0, b"8" * 8, identification=number), 1)
    assert len(reassembly._datagrams) == fragments.MAX_DATAGRAMS
    assert reassembly.add(part(8, b"9", more=False, identification=49), 1) is None
    assert reassembly.add(part(8, b"9", more=False, identification=52), 1) is not None
    monkeypatch.setattr(fragments, "MAX_FRAGMENT_BYTES", 1 << 20)
    reassembly = FragmentReassembly()
    for number in range(1000):  # each takes a whole buffer by its offset
        reassembly.add(part(65_000, b"8" * 8, identification=number), 1)
        assert reassembly._bytes <= 1 << 20
    assert reassembly._bytes == sum(len(kept.buffer) for kept in reassembly._datagrams.values())


def test_many_small_fragments_take_no_long_time() -> None:
    reassembly = FragmentReassembly()
    for turn in range(3):
        for place in range(1, 4096, 1):  # every second unit: nothing joins
            reassembly.add(part(16 * place - 8, b"8" * 8, identification=turn), 1)
    assert len(reassembly._datagrams) == 3
