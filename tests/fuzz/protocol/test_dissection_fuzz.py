"""Whatever the bytes, dissecting gives plain data that leaves no byte out, and never raises."""

from __future__ import annotations

import json

from client_transcripts import transcript
from hypothesis import given
from hypothesis import strategies as st
from vectors import VECTORS, thesis

from captures import CapturedSegment, read_segments
from protocol.dissection import (
    Findings,
    begins_message,
    dissect_message,
    dissect_segments,
    message_lines,
    segment_lines,
)
from protocol.framing import SegmentWriter
from protocol.structures import MD, make_pcf, make_rfh2, string_parameter

FULL_OF_CALLS = (
    "jms-xa-recover", "jms-durable", "jms-delay", "jms-selector", "mqi-async", "mqi-inq", "mqi-report", "mqi-topic",
    "mqi-match", "mqi-sharecnv0-trunc", "connect-bigendian", "compress-accepted-by-silence",
)  # fmt: skip
LONGEST_SAMPLE = 1500


def _samples() -> list[bytes]:
    samples = [thesis(number) for number in range(1, 7)]
    seen = set()
    for found in read_segments(VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"):
        if isinstance(found, CapturedSegment) and (found.segment.type, found.segment.order) not in seen:
            seen.add((found.segment.type, found.segment.order))
            samples.append(found.data)
    kinds = set()
    for name in FULL_OF_CALLS:
        for recorded in transcript(name).segments:
            length = len(recorded.data)
            kind = recorded.data[3], recorded.data[9], recorded.data[17], length // 64
            if length < LONGEST_SAMPLE and kind not in kinds:
                kinds.add(kind)
                samples.append(recorded.data)
    return samples


SEGMENTS = _samples()
MESSAGES = [
    MD.codec("big")(version=2, format=b"MQHRF2  ").build() + make_rfh2("big", [b"<usr><a>1</a></usr>"]).build() + b"x",
    MD.codec("little")(format=b"MQADMIN ").build()
    + make_pcf("little", 38, [string_parameter(2016, b"QUEUE", 1208)]).build(),
    MD.codec("little")(format=b"MQXMIT  ").build() + thesis(3)[48:],
]


@st.composite
def damaged(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    data = bytearray(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(data) - 1))
        data[place : place + 4] = draw(st.sampled_from([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\1", b"\1\0\0\0"]))
    return bytes(data[: draw(st.integers(1, len(data)))]) if draw(st.booleans()) else bytes(data)


@given(st.one_of(damaged(SEGMENTS), st.binary(max_size=100)))
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


@given(st.integers(1, 0xBA), st.binary(max_size=300), st.sampled_from(["big", "little"]), st.integers(0, 255))
def test_any_body_of_any_type(segment_type: int, body: bytes, order: str, flags1: int) -> None:
    data = SegmentWriter("big" if order == "big" else "little").build(segment_type, body, flags1=flags1)
    (segment,) = dissect_segments(data, Findings())
    assert sum(part["length"] for part in segment["structures"]) == len(data)


@given(st.one_of(damaged(MESSAGES), st.binary(max_size=100)), st.sampled_from([None, "MQHRF2", "MQPCF", "MQXMIT", ""]))
def test_messages(data: bytes, message_format: str | None) -> None:
    findings = Findings()
    begins_message(data)
    message = dissect_message(data, findings, message_format=message_format)
    json.dumps(message)
    covered = sum(part["length"] for part in message["structures"])
    assert covered == message["body"]["offset"]
    assert covered + message["body"]["length"] == len(data)
    assert list(message_lines(message))
