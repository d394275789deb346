"""What goes the quick way is told as by the careful way, whatever happens to the packets."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures import CapturedSegment, FlowReader, PacketReader, SegmentCutter, SegmentFault, read_flows
from mqbridge.captures.columns import FIELDS, read_segment_columns
from mqbridge.captures.streams import flows, ordinary
from mqbridge.protocol.direction import Direction
from support.captures.faulty_traffic import faulty_capture
from support.captures.files import JMS_CAPTURE

SHAPES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 1 << 40),
        "connections": st.integers(1, 12),
        "faults": st.sampled_from([0.0, 0.05, 0.3]),
        "link_type": st.sampled_from([1, 1, 113, 276, 101, 0]),
        "pcapng": st.booleans(),
    }
)


def carefully(data: bytes) -> tuple[list[Any], list[SegmentFault]]:
    """Rows and faults by the reader that takes packet by packet."""
    reader, cutter = FlowReader(), SegmentCutter()
    found: list[Any] = []
    for packet in PacketReader(io.BytesIO(data)):
        for event in reader.receive_packet(packet):
            found += cutter.receive_event(event)
    for event in reader.finish():
        found += cutter.receive_event(event)
    rows = [row(item) for item in found if isinstance(item, CapturedSegment)]
    return rows, [item for item in found if isinstance(item, SegmentFault)]


def row(captured: CapturedSegment) -> tuple[Any, ...]:
    flow, segment = captured.flow, captured.segment
    ends = flow.initiator, flow.responder
    return (
        flow.id,
        *(ends if captured.direction is Direction.INITIATOR else ends[::-1]),
        captured.direction,
        captured.time,
        captured.packet,
        captured.last_packet,
        captured.offset,
        segment.struc_id,
        segment.length,
        segment.conversation_id,
        segment.request_id,
        segment.byte_order,
        segment.type,
        segment.flags1,
        segment.flags2,
        segment.luwid,
        segment.encoding,
        segment.ccsid,
        int.from_bytes(segment.tail[6:], segment.order.endian),
    )


def fault(item: SegmentFault) -> tuple[Any, ...]:
    return (item.flow.id, item.direction, item.offset, item.length, item.reason, item.time, item.packet)


def assert_columns_agree(data: bytes) -> int:
    rows, faults = carefully(data)
    batches = list(read_segment_columns(io.BytesIO(data)))
    assert [row for batch in batches for row in batch.rows()] == rows
    assert [fault(item) for batch in batches for item in batch.faults] == [fault(item) for item in faults]
    return len(rows)


@pytest.fixture(autouse=True, scope="module")
def _little_patience() -> Any:
    """So that few packets make what needs many."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (flows, ordinary):
            patch.setattr(module, "CLOSE_PATIENCE", 20)
        patch.setattr(flows, "MAX_FLOWS", 5)
        patch.setattr("mqbridge.captures.streams.reassembly.GAP_PATIENCE", 10)
        yield


@given(SHAPES)
def test_columns_hold_what_segments_hold(shape: dict[str, Any]) -> None:
    assert_columns_agree(faulty_capture(**shape))


def test_columns_of_real_traffic() -> None:
    assert assert_columns_agree(JMS_CAPTURE.read_bytes()) > 100


def test_fields_can_be_chosen() -> None:
    data = faulty_capture(1, faults=0.0)
    (batch,) = read_segment_columns(io.BytesIO(data), ["packet", "seg_length"])
    (whole,) = read_segment_columns(io.BytesIO(data))
    assert batch.fields == ("packet", "seg_length")
    assert list(batch.rows()) == list(zip(whole["packet"], whole["seg_length"], strict=True))
    assert whole.fields == FIELDS
    with pytest.raises(ValueError, match="no such columns: length"):
        read_segment_columns(io.BytesIO(data), ["length"])


def told(event: Any) -> tuple[Any, ...]:
    """An event without its flow, which is only whole at the end."""
    return (type(event), event.flow.id, *(getattr(event, name) for name in type(event).__slots__[1:] if name[0] != "_"))


@given(SHAPES)
def test_files_and_packets_give_the_same_events(shape: dict[str, Any]) -> None:
    data = faulty_capture(**shape)
    reader = FlowReader()
    events = [event for packet in PacketReader(io.BytesIO(data)) for event in reader.receive_packet(packet)]
    events += reader.finish()
    quick = read_flows(io.BytesIO(data))
    found = list(quick)
    assert [told(event) for event in found] == [told(event) for event in events]
    flows_of = [[str(asdict(event.flow)) for event in told_events] for told_events in (events, found)]
    assert flows_of[0] == flows_of[1]
    assert (quick.packets, quick.unread) == (reader.packets, reader.unread)
