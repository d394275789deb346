"""Decrypted bytes in place of encrypted ones: order, offsets, ends, and connections that stay as they are."""

from __future__ import annotations

import io
import struct

from mqbridge.captures import (
    CloseReason,
    Direction,
    Flow,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowEvent,
    FlowGap,
    FlowOpened,
    StreamKind,
)
from mqbridge.captures.reading.decryption import LINKTYPE_EXPORTED_PDU, ClearPiece, read_clear_pieces
from mqbridge.captures.streams.clear_flows import ClearFlows, ends_of
from support.captures.files import CLIENT, SERVER, block, enhanced, interface, section

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
THERE = tuple(CLIENT), tuple(SERVER)


def piece(packet: int, data: bytes, direction: Direction = IN) -> ClearPiece:
    source, target = THERE if direction is IN else THERE[::-1]
    return ClearPiece(packet, source, target, data)


def new_flow(number: int = 1, kind: StreamKind = StreamKind.TLS) -> Flow:
    return Flow(number, CLIENT, SERVER, 1.0, 1.0, 1, from_syn=True, kind=kind)


def secret(flow: Flow, offset: int, packet: int, direction: Direction = IN, data: bytes = b"secret") -> FlowData:
    return FlowData(flow, direction, offset, data, float(packet), packet)


def play(pieces: list[ClearPiece], packets: dict[int, list[FlowEvent]]) -> list[FlowEvent]:
    flows = ClearFlows(pieces, ends_of(pieces))
    return [event for number, events in packets.items() for event in flows.receive(events, number, float(number))]


def test_clear_bytes_stand_in_place_of_encrypted_ones() -> None:
    flow = new_flow()
    opened, ended = FlowOpened(flow), FlowEnd(flow, IN, 18, 5.0, 5)
    closed = FlowClosed(flow, CloseReason.ENDED, 5.0, 5)
    told = play(
        [piece(3, b"TSH one"), piece(3, b" two"), piece(4, b"TSH", OUT), piece(5, b"!")],
        {
            1: [opened],
            2: [secret(flow, 0, 2)],
            3: [secret(flow, 6, 3)],
            4: [secret(flow, 0, 4, OUT)],
            5: [secret(flow, 12, 5), ended, closed],
        },
    )
    assert told == [
        opened,
        FlowData(flow, IN, 0, b"TSH one", 3.0, 3),
        FlowData(flow, IN, 7, b" two", 3.0, 3),
        FlowData(flow, OUT, 0, b"TSH", 4.0, 4),
        FlowData(flow, IN, 11, b"!", 5.0, 5),
        FlowEnd(flow, IN, 12, 5.0, 5),
        closed,
    ]
    assert flow.kind is StreamKind.MQ


def test_bytes_wait_until_they_tell_what_they_are() -> None:
    flow = new_flow()
    packets: dict[int, list[FlowEvent]] = {1: [FlowOpened(flow)], 2: [secret(flow, 0, 2)], 3: [secret(flow, 6, 3)]}
    flows = ClearFlows([piece(2, b"T"), piece(3, b"SH ")], {THERE})
    assert [type(event) for event in flows.receive(packets[1], 1, 1.0)] == [FlowOpened]
    assert flows.receive(packets[2], 2, 2.0) == []
    assert flow.kind is StreamKind.TLS
    assert flows.receive(packets[3], 3, 3.0) == [
        FlowData(flow, IN, 0, b"T", 2.0, 2),
        FlowData(flow, IN, 1, b"SH ", 3.0, 3),
    ]
    assert flow.kind is StreamKind.MQ


def test_a_hole_in_the_encrypted_bytes_is_one_in_the_clear_ones() -> None:
    flow = new_flow()
    gap = FlowGap(flow, IN, 100, 40, 3.0, 3)
    told = play(
        [piece(2, b"TSH "), piece(4, b"more")],
        {1: [FlowOpened(flow)], 2: [secret(flow, 0, 2)], 3: [gap], 4: [secret(flow, 140, 4)]},
    )
    assert told[1:] == [
        FlowData(flow, IN, 0, b"TSH ", 2.0, 2),
        FlowGap(flow, IN, 4, 40, 3.0, 3),
        FlowData(flow, IN, 44, b"more", 4.0, 4),
    ]


def test_what_cannot_be_decrypted_behind_a_hole_is_lost_too() -> None:
    flow = new_flow()
    ended, closed = FlowEnd(flow, IN, 200, 8.0, 8), FlowClosed(flow, CloseReason.ENDED, 8.0, 8)
    told = play(
        [piece(2, b"TSH "), piece(6, b"TSHM", OUT)],
        {
            1: [FlowOpened(flow)],
            2: [secret(flow, 0, 2)],
            3: [FlowGap(flow, IN, 100, 40, 3.0, 3)],
            4: [secret(flow, 140, 4)],
            5: [secret(flow, 146, 5)],
            6: [secret(flow, 0, 6, OUT)],
            7: [secret(flow, 152, 7)],
            8: [ended, closed],
        },
    )
    assert told[1:] == [
        FlowData(flow, IN, 0, b"TSH ", 2.0, 2),
        FlowGap(flow, IN, 4, 40, 3.0, 3),
        FlowGap(flow, IN, 44, 12, 4.0, 4),
        FlowData(flow, OUT, 0, b"TSHM", 6.0, 6),
        FlowGap(flow, IN, 56, 6, 7.0, 7),
        FlowEnd(flow, IN, 62, 8.0, 8),
        closed,
    ]


def test_records_are_told_when_their_packets_are() -> None:
    flow = new_flow()
    flows = ClearFlows([piece(2, b"TSH "), piece(4, b"more")], {THERE})
    flows.receive([FlowOpened(flow)], 1, 1.0)
    assert flows.receive([], 2, 2.0) == []  # waits, as the packet does
    assert flows.receive([secret(flow, 0, 2)], 3, 3.0) == [FlowData(flow, IN, 0, b"TSH ", 2.0, 2)]
    assert flows.receive([], 4, 4.0) == []
    closed = FlowClosed(flow, CloseReason.OPEN, 5.0, 5)
    assert flows.receive([closed], 5, 5.0) == [FlowData(flow, IN, 4, b"more", 4.0, 4), closed]


def test_a_connection_of_which_nothing_was_decrypted_tells_that_it_is_tls() -> None:
    first, second = new_flow(1), new_flow(2)
    closed = FlowClosed(first, CloseReason.REUSED, 4.0, 4)
    told = play(
        [piece(6, b"TSH ")],
        {
            1: [FlowOpened(first)],
            2: [secret(first, 0, 2), secret(first, 6, 2)],
            4: [closed, FlowOpened(second)],
            6: [secret(second, 0, 6)],
        },
    )
    assert told == [
        FlowOpened(first),
        secret(first, 0, 2),
        closed,
        FlowOpened(second),
        FlowData(second, IN, 0, b"TSH ", 6.0, 6),
    ]
    assert (first.kind, second.kind) == (StreamKind.TLS, StreamKind.MQ)


def test_a_connection_in_clear_on_the_same_ports_goes_through() -> None:
    flow = new_flow(1, StreamKind.UNKNOWN)
    first, second = secret(flow, 0, 2, data=b"T"), secret(flow, 1, 3, data=b"SH ")
    flows = ClearFlows([piece(9, b"x")], {THERE})
    assert flows.receive([FlowOpened(flow)], 1, 1.0) == [FlowOpened(flow)]
    assert flows.receive([first], 2, 2.0) == []
    flow.kind = StreamKind.MQ
    assert flows.receive([second], 3, 3.0) == [first, second]
    third = secret(flow, 4, 4)
    assert flows.receive([third], 4, 4.0) == [third]


def test_pieces_of_no_known_connection_are_passed_over() -> None:
    other = Flow(1, CLIENT._replace(port=9), SERVER, 1.0, 1.0, 1, kind=StreamKind.MQ)
    data = secret(other, 0, 2)
    assert play([piece(1, b"TSH "), piece(2, b"")], {1: [FlowOpened(other)], 2: [data]}) == [FlowOpened(other), data]


def exported(*tags: tuple[int, bytes], data: bytes = b"clear") -> bytes:
    return b"".join(struct.pack(">HH", tag, len(value)) + value for tag, value in (*tags, (0, b""))) + data


def test_exported_records_are_read_and_odd_ones_passed_over() -> None:
    ends = [(20, b"\xc0\xa8\0\x5a"), (21, b"\xc0\xa8\0\x5b"), (25, b"\0\0\4\x25"), (26, b"\0\0\5\x86")]
    tags = [(12, b"data"), *ends, (30, b"\0\0\0\7")]
    packets = [
        exported(*tags),
        exported(*tags[:-1]),  # no packet
        exported((20, b"\xc0"), *tags[2:]),
        b"",
        b"\0\x14\xff\xff",
        exported(
            *[(tag, value) for tag, value in tags if tag not in (20, 21)], (22, bytes(15) + b"\1"), (23, bytes(16))
        ),
    ]
    file = section() + interface(LINKTYPE_EXPORTED_PDU) + b"".join(enhanced(data, 1) for data in packets)
    file += interface(1) + enhanced(exported(*tags), 1, number=1) + block(6, b"cut")
    assert list(read_clear_pieces(io.BytesIO(file))) == [
        ClearPiece(7, ("192.168.0.90", 1061), ("192.168.0.91", 1414), b"clear"),
        ClearPiece(7, ("::1", 1061), ("::", 1414), b"clear"),
    ]
