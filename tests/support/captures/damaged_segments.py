"""Segments of real traffic, of every kind that there is, and damage to them."""

from __future__ import annotations

from hypothesis import strategies as st

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol.framing import Segment, SegmentReader
from mqbridge.protocol.segment import HEADER_SIZES
from support.captures.vectors import VECTORS, thesis
from support.transcripts.client_transcripts import transcript

FULL_OF_CALLS = (
    "jms-xa-recover", "jms-durable", "jms-delay", "jms-selector", "mqi-async", "mqi-inq", "mqi-report", "mqi-topic",
    "mqi-match", "mqi-sharecnv0-trunc", "connect-bigendian", "compress-accepted-by-silence",
)  # fmt: skip
LONGEST_SAMPLE = 1500
_WORDS = (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\1", b"\1\0\0\0")


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
"""One or more of each kind."""


def segment_of(data: bytes) -> Segment:
    """Bytes that begin with a header as one whole segment, whatever length that states."""
    (segment,) = SegmentReader(1 << 24).feed(data[:4] + len(data).to_bytes(4, "big") + data[8:])
    return segment


@st.composite
def damaged_segments(draw: st.DrawFn, *, whole_header: bool = False) -> bytes:
    """One of :data:`SEGMENTS`, damaged; ``whole_header``: only behind its header."""
    data = SEGMENTS[draw(st.integers(0, len(SEGMENTS) - 1))]
    begin = HEADER_SIZES[data[:4]] if whole_header else 0
    return data[:begin] + draw_damaged(draw, data[begin:], shortest=0 if whole_header else 1)


def draw_damaged(draw: st.DrawFn, sample: bytes, *, shortest: int = 1) -> bytes:
    """A sample with some of its words overwritten, and perhaps cut to ``shortest`` bytes or more."""
    data = bytearray(sample)
    for _ in range(draw(st.integers(0, 6)) if data else 0):
        place = draw(st.integers(0, len(data) - 1))
        data[place : place + 4] = draw(st.sampled_from(_WORDS))
    return bytes(data[: draw(st.integers(shortest, len(data)))]) if draw(st.booleans()) else bytes(data)
