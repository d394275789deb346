"""Whatever the bytes, dissecting gives plain data that leaves no byte out, and never raises."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.dissection import (
    Findings,
    begins_message,
    dissect_message,
    dissect_segments,
    message_lines,
    segment_lines,
)
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import MD, make_pcf, make_rfh2, string_parameter
from support.captures.damaged_segments import damaged_segments, draw_damaged
from support.captures.vectors import thesis

MESSAGES = [
    MD.codec(ByteOrder.BIG)(version=2, format=b"MQHRF2  ").build()
    + make_rfh2(ByteOrder.BIG, [b"<usr><a>1</a></usr>"]).build()
    + b"x",
    MD.codec(ByteOrder.LITTLE)(format=b"MQADMIN ").build()
    + make_pcf(ByteOrder.LITTLE, 38, [string_parameter(2016, b"QUEUE", 1208)]).build(),
    MD.codec(ByteOrder.LITTLE)(format=b"MQXMIT  ").build() + thesis(3)[48:],
]


@st.composite
def damaged_messages(draw: st.DrawFn) -> bytes:
    return draw_damaged(draw, draw(st.sampled_from(MESSAGES)))


@given(st.one_of(damaged_segments(), st.binary(max_size=100)))
def test_segments(data: bytes) -> None:
    findings = Findings()
    segments = list(dissect_segments(data, findings))
    json.dumps(segments)
    end = 0
    for number, segment in enumerate(segments):
        assert segment["offset"] == end
        for part in segment["structures"]:
            assert part["offset"] == end
            end += part["length"]
            assert len(part.get("hex", "")) in (0, 2 * part["length"])
        assert end == segment["offset"] + segment["length"]
        assert list(segment_lines(segment, number))
    assert end == len(data) or findings.errors


@given(
    st.integers(1, 0xBA),
    st.binary(max_size=300),
    st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]),
    st.integers(0, 255),
)
def test_any_body_of_any_type(segment_type: int, body: bytes, order: str, flags1: int) -> None:
    data = SegmentWriter(ByteOrder.BIG if order == ByteOrder.BIG else ByteOrder.LITTLE).build(
        segment_type, body, flags1=flags1
    )
    (segment,) = dissect_segments(data, Findings())
    assert sum(part["length"] for part in segment["structures"]) == len(data)


@given(st.one_of(damaged_messages(), st.binary(max_size=100)), st.sampled_from([None, "MQHRF2", "MQPCF", "MQXMIT", ""]))
def test_messages(data: bytes, message_format: str | None) -> None:
    findings = Findings()
    begins_message(data)
    message = dissect_message(data, findings, message_format=message_format)
    json.dumps(message)
    covered = sum(part["length"] for part in message["structures"])
    assert covered == message["body"]["offset"]
    assert covered + message["body"]["length"] == len(data)
    assert list(message_lines(message))
