"""Packets to flows: connections told apart, and every way in which they begin and end."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest

from mqbridge.captures import (
    CloseReason,
    Direction,
    Endpoint,
    Flow,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowEvent,
    FlowGap,
    FlowOpened,
    FlowReader,
    NotRead,
    Packet,
    StreamKind,
    read_flows,
)
from mqbridge.captures.reading.link_layers import ACK, FIN, RST, SYN
from mqbridge.captures.streams import flows
from mqbridge.captures.streams.flows import CLOSE_PATIENCE
from support.captures.files import CLIENT, JMS_CAPTURE, SERVER, Wire, pcap, record

IN, OUT = Direction.INITIATOR, Direction.RESPONDER


def play(packets: Iterable[Packet], finish: bool = True) -> list[FlowEvent]:
    reader = FlowReader()
    events = [event for packet in packets for event in reader.receive_packet(packet)]
    return events + reader.finish() if finish else events


def streams(events: Iterable[FlowEvent]) -> dict[tuple[int, Direction], bytes]:
    """Bytes by flow and direction; each must continue the ones before."""
    found: dict[tuple[int, Direction], bytes] = {}
    for event in events:
        if isinstance(event, FlowData):
            before = found.get((event.flow.id, event.direction), b"")
            assert event.offset == len(before)
            found[event.flow.id, event.direction] = before + event.data
    return found


def opened(events: Iterable[FlowEvent]) -> list[Flow]:
    return [event.flow for event in events if isinstance(event, FlowOpened)]


def reasons(events: Iterable[FlowEvent]) -> list[tuple[int, CloseReason]]:
    return [(event.flow.id, event.reason) for event in events if isinstance(event, FlowClosed)]


def test_a_whole_connection() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, b"TSH ask"),
        wire.packet("s", ACK, 5001, 1008, b"TSH answer"),
        wire.packet("c", FIN | ACK, 1008, 5011, b"!"),
        wire.packet("s", ACK, 5011, 1010, b" and more"),
        wire.packet("s", FIN | ACK, 5020, 1010),
        wire.packet("c", ACK, 1010, 5021),
    ]
    events = play(packets)
    (flow,) = opened(events)
    assert events[1:] == [
        FlowData(flow, IN, 0, b"TSH ask", 0.4, 4),
        FlowData(flow, OUT, 0, b"TSH answer", 0.5, 5),
        FlowData(flow, IN, 7, b"!", 0.6, 6),
        FlowEnd(flow, IN, 8, 0.6, 6),
        FlowData(flow, OUT, 10, b" and more", 0.7, 7),
        FlowEnd(flow, OUT, 19, 0.8, 8),
        FlowClosed(flow, CloseReason.ENDED, 0.8, 8),
    ]
    assert (flow.id, flow.initiator, flow.responder, flow.from_syn) == (1, CLIENT, SERVER, True)
    assert (flow.start_time, flow.end_time, flow.packets, flow.kind) == (0.1, 0.9, 9, StreamKind.MQ)
    assert str(flow) == "192.168.0.90:1061 -> 192.168.0.91:1414"


def test_every_packet_twice_changes_nothing() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, b"TSH ask"),
        wire.packet("s", ACK, 5001, 1008, b"TSH answer"),
        wire.packet("c", FIN | ACK, 1008, 5011),
        wire.packet("s", FIN | ACK, 5011, 1009),
        wire.packet("c", ACK, 1009, 5012),
    ]
    once = play(packets)
    twice = play([packet for packet in packets for _ in range(2)])
    assert streams(twice) == streams(once) == {(1, IN): b"TSH ask", (1, OUT): b"TSH answer"}
    assert reasons(twice) == reasons(once) == [(1, CloseReason.ENDED)]
    assert opened(twice)[0].packets == 2 * opened(once)[0].packets


def test_a_reset_waits_for_stragglers() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", RST, 1004),
        wire.packet("c", ACK, 1001, 5001, b"TSH"),
        *[
            Wire(client=Endpoint("10.0.0.1", 5), numbers=wire.numbers).packet("c", ACK, 1)
            for _ in range(CLOSE_PATIENCE)
        ],
    ]
    events = play(packets[:5], finish=False)
    assert streams(events) == {(1, IN): b"TSH"}
    assert reasons(events) == []
    assert reasons(play(packets, finish=False)) == [(1, CloseReason.RESET)]
    assert reasons(play(packets[:5])) == [(1, CloseReason.RESET)]


def test_the_text_in_a_reset_is_no_data() -> None:
    wire = Wire()
    packets = [*wire.handshake(), wire.packet("c", ACK, 1001, 5001, b"TSH"), wire.packet("s", RST, 5001, 0, b"go away")]
    events = play(packets)
    assert streams(events) == {(1, IN): b"TSH"}
    assert reasons(events) == [(1, CloseReason.RESET)]
    assert play([wire.packet("s", RST, 5001, 0, b"go away")]) == []


def test_a_reset_of_another_connection_is_passed_over() -> None:
    wire = Wire()
    packets = [*wire.handshake(), wire.packet("c", RST, 1001 + (1 << 31)), wire.packet("c", ACK, 1001, 5001, b"TSH")]
    assert reasons(play(packets)) == [(1, CloseReason.OPEN)]


def test_a_refused_connection_and_the_next_try() -> None:
    wire = Wire()
    packets = [
        wire.packet("c", SYN, 1000),
        wire.packet("s", RST | ACK, 0, 1001),
        *wire.handshake(client_first=700_000),
        wire.packet("c", ACK, 700_001, 5001, b"TSH"),
    ]
    events = play(packets)
    assert reasons(events) == [(1, CloseReason.RESET), (2, CloseReason.OPEN)]
    assert streams(events) == {(2, IN): b"TSH"}


def test_ports_used_again_make_a_new_flow() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, b"first"),
        *wire.handshake(client_first=1003),
        wire.packet("c", ACK, 1004, 5001, b"second"),
    ]
    events = play(packets)
    assert streams(events) == {(1, IN): b"first", (2, IN): b"second"}
    assert reasons(events) == [(1, CloseReason.REUSED), (2, CloseReason.OPEN)]


def test_the_same_syn_long_after_the_end_is_no_copy() -> None:
    wire = Wire()
    other = Wire(client=Endpoint("10.0.0.1", 5), numbers=wire.numbers)
    packets = [
        *wire.handshake(),
        wire.packet("c", FIN | ACK, 1001, 5001),
        wire.packet("s", FIN | ACK, 5001, 1002),
        *[other.packet("c", ACK, 1) for _ in range(CLOSE_PATIENCE + 1)],
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, b"TSH"),
    ]
    events = play(packets)
    assert streams(events) == {(2, IN): b"TSH"}
    assert [flow.from_syn for flow in opened(events)] == [True, True]


def test_bytes_beyond_the_end_begin_a_new_flow() -> None:
    wire = Wire()
    closed = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, b"TSH"),
        wire.packet("c", FIN | ACK, 1004, 5001),
        wire.packet("s", FIN | ACK, 5001, 1005),
    ]
    late = [wire.packet("c", ACK, 1001, 5002, b"TSH"), wire.packet("c", ACK, 1005, 5002)]
    assert len(opened(play(closed + late))) == 1
    new = wire.packet("c", ACK, 900_000, 42, b"TSH ")
    events = play([*closed, *late, new])
    assert [flow.from_syn for flow in opened(events)] == [True, False]
    assert streams(events)[2, IN] == b"TSH "


def test_a_lost_packet_is_a_gap() -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1001, 5001, b"TSH"),
        wire.packet("c", ACK, 1010, 5001, b"after"),
        wire.packet("s", ACK, 5001, 1015),
        wire.packet("c", FIN | ACK, 1015, 5001),
        wire.packet("s", FIN | ACK, 5001, 1016),
    ]
    events = play(packets)
    (flow,) = opened(events)
    assert events[-4:] == [
        FlowGap(flow, IN, 3, 6, 0.5, 5),
        FlowData(flow, IN, 9, b"after", 0.5, 5),
        FlowEnd(flow, IN, 14, 0.8, 8),
        FlowClosed(flow, CloseReason.ENDED, 0.8, 8),
    ]


@pytest.mark.parametrize("repeated", [b"", b"H"])
def test_keep_alives_change_nothing(repeated: bytes) -> None:
    wire = Wire()
    packets = [
        *wire.handshake(),
        wire.packet("c", ACK, 1000, 5001, repeated),  # before the first byte
        wire.packet("s", ACK, 5001, 1001),
        wire.packet("c", ACK, 1001, 5001, b"TSH"),
        wire.packet("c", ACK, 1003, 5001, repeated),
        wire.packet("s", ACK, 5000, 1004, b"?"),
        wire.packet("c", ACK, 1004, 5001, b" more"),
    ]
    events = play(packets)
    assert streams(events) == {(1, IN): b"TSH more"}
    assert [type(event) for event in events] == [FlowOpened, FlowData, FlowData, FlowClosed]


def test_an_end_may_send_long_after_the_other_closed() -> None:
    wire = Wire()
    packets = [*wire.handshake(), wire.packet("c", FIN | ACK, 1001, 5001)]
    packets += [wire.packet("s", ACK, 5001 + 4 * number, 1002, b"TSH ") for number in range(3 * CLOSE_PATIENCE)]
    packets.append(wire.packet("s", FIN | ACK, 5001 + 12 * CLOSE_PATIENCE, 1002))
    events = play(packets, finish=False)
    assert streams(events) == {(1, OUT): b"TSH " * 3 * CLOSE_PATIENCE}
    assert [(event.direction, event.offset) for event in events if isinstance(event, FlowEnd)] == [
        (IN, 0),
        (OUT, 12 * CLOSE_PATIENCE),
    ]
    assert reasons(events) == [(1, CloseReason.ENDED)]


def test_packets_without_payload_make_no_flow_in_the_middle() -> None:
    wire = Wire()
    assert play([wire.packet("c", ACK, 1), wire.packet("s", FIN | ACK, 1), wire.packet("s", RST, 2)]) == []


@pytest.mark.parametrize(
    ("client_port", "server_port", "first"),
    [(1061, 1414, "c"), (1061, 1414, "s"), (40_000, 1500, "c"), (40_000, 1500, "s"), (7, 7, "c")],
)
def test_the_ends_are_told_by_their_ports(client_port: int, server_port: int, first: str) -> None:
    client, server = Endpoint("10.0.0.1", client_port), Endpoint("10.0.0.2", server_port)
    (flow,) = opened(play([Wire(client, server).packet(first, ACK, 1, 1, b"TSH ")]))
    assert (flow.initiator, flow.responder) == (client, server)


def test_the_ends_are_told_by_a_listener_seen_before() -> None:
    wire = Wire(Endpoint("10.0.0.1", 1000), Endpoint("10.0.0.2", 50_000))
    other = Wire(Endpoint("10.0.0.3", 2000), Endpoint("10.0.0.2", 50_000), wire.numbers)
    events = play([*wire.handshake(), other.packet("s", ACK, 1, 1, b"TSH ")])
    assert [flow.responder for flow in opened(events)] == [Endpoint("10.0.0.2", 50_000)] * 2


def test_an_answer_seen_before_its_syn() -> None:
    wire = Wire()
    syn, answer, ack = wire.handshake()
    events = play([answer, syn, ack, wire.packet("c", ACK, 1001, 5001, b"TSH")])
    (flow,) = opened(events)
    assert (flow.initiator, flow.from_syn) == (CLIENT, True)
    assert streams(events) == {(1, IN): b"TSH"}


def test_a_syn_seen_after_the_first_bytes() -> None:
    wire = Wire()
    syn, answer, ack = wire.handshake()
    first, second = wire.packet("c", ACK, 1001, 5001, b"TSH"), wire.packet("c", ACK, 1004, 5001, b" one")
    events = play([second, answer, syn, first, ack])
    assert len(opened(events)) == 1
    assert streams(events) == {(1, IN): b"TSH one"}


def test_data_with_the_syn() -> None:
    wire = Wire()
    events = play([wire.packet("c", SYN, 1000, 0, b"TSH"), wire.packet("c", ACK, 1004, 0, b" one")])
    assert streams(events) == {(1, IN): b"TSH one"}


def test_too_many_flows_forget_the_silent_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "MAX_FLOWS", 8)
    wires = [Wire(client=Endpoint("10.0.0.1", 5000 + number)) for number in range(9)]
    numbers = wires[0].numbers
    for wire in wires:
        wire.numbers = numbers
    packets = [packet for wire in wires[:8] for packet in wire.handshake()]
    packets.append(wires[0].packet("c", ACK, 1001, 5001, b"TSH"))
    packets += wires[8].handshake()
    packets.append(wires[1].packet("c", ACK, 1001, 5001, b"TSH "))
    events = play(packets, finish=False)
    assert reasons(events) == [(2, CloseReason.EVICTED), (3, CloseReason.EVICTED)]
    assert [flow.id for flow in opened(events)] == [*range(1, 11)]


def test_a_connection_from_a_port_to_itself() -> None:
    same = Endpoint("10.0.0.1", 1414)
    wire = Wire(same, same)
    events = play([*wire.handshake(), wire.packet("c", ACK, 1001, 1, b"TSH")])
    assert len(opened(events)) >= 1
    assert isinstance(events[-1], FlowClosed)


def test_read_flows_of_a_path_and_of_a_file(tmp_path) -> None:
    whole = record((IN, b"TSH ask"), (OUT, b"TSH answer"))
    path = tmp_path / "one.pcap"
    path.write_bytes(whole)
    for source in (path, str(path), io.BytesIO(whole)):
        capture = read_flows(source)
        assert streams(capture) == {(1, IN): b"TSH ask", (1, OUT): b"TSH answer"}
        assert (capture.error, capture.packets, capture.bytes_read) == (None, 9, len(whole))


def test_read_flows_counts_what_is_no_tcp() -> None:
    capture = read_flows(io.BytesIO(pcap(b"\0" * 12 + b"\x08\x06" + bytes(40), b"short")))
    assert list(capture) == []
    assert capture.unread == {NotRead.NOT_IP: 1, NotRead.CUT: 1}


def test_a_path_that_cannot_be_opened(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_flows(tmp_path / "none.pcap"))


def test_a_real_cooked_capture_that_holds_packets_twice() -> None:
    events = list(read_flows(JMS_CAPTURE))
    assert len(opened(events)) == 13
    assert reasons(events) == [(flow, CloseReason.ENDED) for flow, _ in reasons(events)]
    assert not [event for event in events if isinstance(event, FlowGap)]
    assert {flow.kind for flow in opened(events)} == {StreamKind.MQ}
    assert {flow.responder.port for flow in opened(events)} == {1414}
    assert sum(map(len, streams(events).values())) == sum(
        event.offset for event in events if isinstance(event, FlowEnd)
    )
