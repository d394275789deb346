"""What can be told of a TLS connection without its keys."""

from __future__ import annotations

import io

import pytest

from mqbridge.captures import (
    Direction,
    Flow,
    FlowOpened,
    FlowReader,
    SegmentFault,
    StreamKind,
    read_flows,
    read_segments,
)
from mqbridge.captures.reading.link_layers import ACK
from mqbridge.protocol import tls_hello
from mqbridge.protocol.tls_hello import HelloReader, TlsHello, begins_with_records
from support.captures.files import Wire, record
from support.captures.tls_sessions import Tls, hellos

IN, OUT = Direction.INITIATOR, Direction.RESPONDER


def flow_of(capture: bytes) -> Flow:
    (flow,) = [event.flow for event in read_flows(io.BytesIO(capture)) if isinstance(event, FlowOpened)]
    return flow


@pytest.mark.parametrize(("version", "name"), [(Tls.V1_2, "TLS 1.2"), (Tls.V1_3, "TLS 1.3")])
@pytest.mark.parametrize("size", [65_000, 100, 3, 1])
def test_hellos_name_server_version_and_suite(version: Tls, name: str, size: int) -> None:
    client, server = hellos(version, "mq.example.com")
    flow = flow_of(record((IN, client), (OUT, server), segment_size=size))
    assert flow.kind is StreamKind.TLS
    assert flow.tls is not None
    assert (flow.tls.server_name, flow.tls.version, flow.tls.answered) == ("mq.example.com", name, True)
    assert flow.tls.cipher_suite == (0x1302 if version is Tls.V1_3 else 0xC030)
    assert flow.tls.alert is None


def test_a_hello_without_name_and_answer() -> None:
    client, _ = hellos(Tls.V1_3, None)
    assert flow_of(record((IN, client))).tls == TlsHello("", "TLS 1.3")


def test_a_server_that_refuses() -> None:
    client, _ = hellos(Tls.V1_3, "a.b")
    hello = flow_of(record((IN, client), (OUT, bytes.fromhex("15030300020228")))).tls
    assert hello == TlsHello("a.b", "TLS 1.3", alert=40)


def test_a_hello_over_several_records() -> None:
    client, _ = hellos(Tls.V1_2, "long.example.com")
    message = client[5:]
    pieces = [message[start : start + 50] for start in range(0, len(message), 50)]
    spread = b"".join(b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece for piece in pieces)
    hello = flow_of(record((IN, spread), segment_size=33)).tls
    assert hello == TlsHello("long.example.com", "TLS 1.2")


def test_other_protocols_have_no_hello() -> None:
    assert flow_of(record((IN, b"TSH "))).tls is None


def test_every_cut_and_damage_of_the_hellos_is_taken() -> None:
    client, server = hellos(Tls.V1_3, "mq.example.com")
    for hello in (client, server):
        for place in range(len(hello)):
            for data in (hello[:place], hello[:place] + b"\xff" + hello[place + 1 :]):
                reader = HelloReader()
                reader.take(IN, 0, data)
                assert len(reader.hello.version) <= 7


def test_lost_bytes_end_the_reading() -> None:
    client, _ = hellos(Tls.V1_3, "mq.example.com")
    reader = HelloReader()
    reader.take(IN, 0, client[:20])
    reader.take(IN, 30, client[30:])
    reader.take(IN, 20, client[20:])
    assert reader.hello == TlsHello()


def test_a_hello_that_never_ends_costs_no_memory() -> None:
    reader = HelloReader()
    record = b"\x16\x03\x01\x40\x00"
    data = record + b"\x01\x00\xff\xff" + bytes(0x4000 - 4)
    for number in range(8):
        reader.take(IN, number * len(data), data if not number else record + bytes(0x4000))
        assert len(reader._heads[IN]) < tls_hello.MAX_HELLO_LENGTH
    assert reader.hello == TlsHello()


def test_the_middle_of_a_tls_connection_is_told_by_whole_records() -> None:
    data = b"\x17\x03\x03\x00\x05" + b"12345"
    assert begins_with_records(data)
    assert begins_with_records(data + data)
    assert begins_with_records(data + data + data[:7])
    assert not begins_with_records(data + data[:7])
    assert not begins_with_records(data + b"x")
    assert not begins_with_records(b"TSH " + data)
    assert not begins_with_records(b"")
    wire = Wire()
    reader = FlowReader()
    packets = [
        wire.packet("c", ACK, 500, 700, b"5" * 40),
        wire.packet("c", ACK, 540, 700, data),
    ]
    events = [event for packet in packets for event in reader.receive_packet(packet)] + reader.finish()
    assert {event.flow.kind for event in events} == {StreamKind.TLS}


def test_a_connection_in_tls_is_one_fault_with_all_its_bytes() -> None:
    client, server = hellos(Tls.V1_2, "mq.example.com")
    (fault,) = read_segments(io.BytesIO(record((IN, client), (OUT, server), (IN, b"\x17\x03\x03\x00\x011"))))
    assert isinstance(fault, SegmentFault)
    assert (fault.direction, fault.offset, fault.packet, fault.time) == (IN, 0, 4, 2.0)
    assert fault.length == len(client) + len(server) + 6
    assert fault.reason == "TLS cannot be read"
    assert fault.flow.tls is not None
    assert fault.flow.tls.version == "TLS 1.2"
