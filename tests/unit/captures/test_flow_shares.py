"""How captures are divided without an index: heavy connections are found by a look at some places of the file."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from mqbridge.captures.indexing import FlowShare, share_flows
from mqbridge.captures.indexing.sampling import ends_of, sample_weights
from mqbridge.captures.reading.link_layers import ACK, LINKTYPE_RAW, PSH, TcpSegment, read_tcp
from support.captures.files import SERVER, enhanced, interface, pcap, section
from support.captures.vectors import thesis

MQ = thesis(3)
WEB = b"GET / HTTP/1.0\r\n".ljust(len(MQ))


def packet(client: int, data: bytes, sequence: int = 0) -> bytes:
    """A packet of a client to the server, raw IPv4."""
    tcp = struct.pack(">HHIIBBHHH", 2000 + client, SERVER.port, sequence, 1, 0x50, ACK | PSH, 9, 0, 0) + data
    ip = struct.pack(">HHHHBBH", 0x4500, 20 + len(tcp), 0, 0, 64, 6, 0) + bytes((10, 0, 0, 1, 10, 1, 0, 1))
    return ip + tcp


def ends(client: int) -> bytes:
    segment = read_tcp(LINKTYPE_RAW, packet(client, MQ))
    assert isinstance(segment, TcpSegment)
    return ends_of(segment)


def many(*clients: int) -> list[bytes]:
    """1200 packets of clients in turn, more than is looked at."""
    return [packet(clients[number % len(clients)], MQ, number) for number in range(1200)]


def in_pcapng(packets: list[bytes], order: str) -> bytes:
    blocks = [enhanced(data, number * 1000, 0, order) for number, data in enumerate(packets)]
    return b"".join([section(order), interface(LINKTYPE_RAW, order), *blocks])


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", [0xA1B2C3D4, 0xA1B23C4D, 0])
def test_the_heaviest_connections_are_met(tmp_path: Path, order: str, kind: int) -> None:
    packets = many(1, 1, 1, 2)
    path = tmp_path / "capture"
    path.write_bytes(pcap(*packets, order=order, magic=kind, link_type=101) if kind else in_pcapng(packets, order))
    weights = sample_weights(path)
    assert weights.keys() == {ends(1), ends(2)}
    assert 2.5 < weights[ends(1)] / weights[ends(2)] < 3.5
    assert sample_weights(path) == weights


def test_packets_without_mq_weigh_little(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(pcap(*(packet(number % 2, (MQ, WEB)[number % 2], number) for number in range(600)), link_type=101))
    weights = sample_weights(path)
    assert weights[ends(0)] > 5 * weights[ends(1)] > 0


def test_long_packets_are_met_too(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(pcap(*(packet(1, MQ + bytes(40_000)) for _ in range(40)), link_type=101))
    assert sample_weights(path).keys() == {ends(1)}


def test_shares_cost_about_the_same(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(pcap(*many(1, 1, 1, 1, 2, 2, 3, 4), link_type=101))  # a half, a quarter, two eighths
    one, other = share_flows(path, 2)
    assert 0.8 < one.weight / other.weight < 1.25
    heavy = next(share for share in (one, other) if share.has(ends(1)))
    assert [heavy.has(ends(client)) for client in (2, 3, 4)] == [False] * 3


def test_each_connection_is_of_one_share(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(pcap(*many(1, 2, 3), link_type=101))
    shares = share_flows(path, 5)
    for client in range(400):  # most of them are nowhere in the file
        assert sum(share.has(ends(client)) for share in shares) == 1
    unseen = [sum(share.has(ends(client)) for client in range(10, 400)) for share in shares]
    assert min(unseen) > 40


@pytest.mark.parametrize("content", [b"", b"\xd4\xc3\xb2\xa1", b"no capture" * 9000, pcap(), pcap(packet(1, MQ))])
def test_where_nothing_is_met_connections_are_divided_all_the_same(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "capture"
    for data in (content, gzip.compress(pcap(*many(1, 2), link_type=101))):
        path.write_bytes(data)
        shares = share_flows(path, 2)
        assert [share.weight for share in shares] == [0, 0]
        assert sum(share.has(ends(1)) for share in shares) == 1


def test_damage_ends_no_sample(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    whole = pcap(*many(1, 2), link_type=101)
    third = len(whole) // 3
    path.write_bytes(whole[:third] + b"\xff" * third + whole[2 * third :] + b"\0" * third)
    assert sample_weights(path).keys() == {ends(1), ends(2)}


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        share_flows(tmp_path / "capture", 2)


def test_a_share_is_read_as_often_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_bytes(pcap(*many(1, 2), link_type=101))
    share = FlowShare(str(path), 0, 2, 0, {ends(1): 0, ends(2): 1})
    for _ in range(2):
        flows = share.read()
        assert {event.flow.id for event in flows} == {1}
        assert flows.packets == 1200
