"""However a stream is cut, the same segments come, and the same error."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import SegmentReader, SegmentWriter

BODIES = st.binary(max_size=200)
SMALL = st.integers(0, 255)


@st.composite
def segments(draw: st.DrawFn) -> bytes:
    writer = SegmentWriter(draw(st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])), draw(st.integers(0, 65535)))
    if draw(st.booleans()):
        ids = draw(st.tuples(st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF)))
        built = writer.build_shared(*ids, draw(SMALL), draw(BODIES), flags1=draw(SMALL))
    else:
        built = writer.build(
            draw(SMALL), draw(BODIES), flags1=draw(SMALL), luwid=draw(st.binary(min_size=8, max_size=8))
        )
    ebcdic = {b"TSH ": b"\xe3\xe2\xc8\x40", b"TSHM": b"\xe3\xe2\xc8\xd4"}
    if draw(st.booleans()):
        built = ebcdic[built[:4]] + built[4:]
    return built


STREAMS = st.lists(segments(), max_size=6)
HOSTILE = st.one_of(
    st.just(b""),
    st.binary(max_size=80),
    st.builds(lambda head, tail: head + tail, st.sampled_from([b"TSH ", b"TSHM", b"TSHC"]), st.binary(max_size=60)),
    st.builds(
        lambda head, length, tail: head + length.to_bytes(4, "big") + tail,
        st.sampled_from([b"TSH ", b"TSHM", b"\xe3\xe2\xc8\xd4"]),
        st.sampled_from([0, 27, 28, 35, 36, 40, 300, 301, 0xFFFFFFFF]),
        st.binary(max_size=60),
    ),
)


def read(stream: bytes, cuts: list[int], limit: int) -> tuple[list[bytes], str | None, bytes, int]:
    reader = SegmentReader(limit)
    found, error = [], None
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    for start, end in pairwise(edges):
        try:
            found.extend(segment.data for segment in reader.feed(stream[start:end]))
        except FramingError as fault:
            error = str(fault)
            with pytest.raises(FramingError, match="segment at byte"):
                list(reader.feed(b"more"))
    return found, error, reader.rest if error is None else b"", reader.offset


@pytest.mark.spec("mq-wire.md 6")
@given(STREAMS, HOSTILE, st.lists(st.integers(0, 10_000), max_size=12), st.sampled_from([300, 100, 4096]))
def test_any_cut_gives_the_same_segments(parts: list[bytes], tail: bytes, cuts: list[int], limit: int) -> None:
    stream = b"".join(parts) + tail
    whole = read(stream, [], limit)
    assert read(stream, cuts, limit) == whole
    assert read(stream, list(range(len(stream))), limit) == whole
    found, error, rest, offset = whole
    assert b"".join(found) == stream[:offset]
    if error is None:
        assert rest == stream[offset:]
    if all(len(part) <= limit for part in parts):
        assert found[: len(parts)] == parts


@pytest.mark.spec("mq-wire.md 2.1")
@given(segments())
def test_headers_say_the_same_through_reader_and_grammar(data: bytes) -> None:
    (segment,) = SegmentReader().feed(data)
    header = segment.header.codec(segment.order).parse(data)
    assert (segment.struc_id, segment.length, segment.byte_order) == (
        header.struc_id, header.seg_length, header.byte_order,
    )  # fmt: skip
    assert (segment.type, segment.flags1, segment.flags2, segment.luwid) == (
        header.segment_type, header.control_flags1, header.control_flags2, header.luwid,
    )  # fmt: skip
    assert (segment.encoding, segment.ccsid) == (header.encoding, header.ccsid)
    if segment.header.name == "TSHM":
        assert (segment.conversation_id, segment.request_id) == (header.conversation_id, header.request_id)
    assert header.build() + segment.body == data
