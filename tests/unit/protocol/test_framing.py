"""What the reader refuses, when, and how much it holds."""

from __future__ import annotations

import tracemalloc

import pytest

from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.errors import FramingError, LocalProtocolError
from mqbridge.protocol.framing import (
    NO_LUWID,
    UNNEGOTIATED_MAX_SEGMENT,
    Segment,
    SegmentReader,
    SegmentWriter,
    build_segment,
)
from support.captures.vectors import thesis

pytestmark = pytest.mark.spec("mq-wire.md 6")


def refusal(data: bytes, limit: int = UNNEGOTIATED_MAX_SEGMENT) -> FramingError:
    with pytest.raises(FramingError) as caught:
        list(SegmentReader(limit).feed(data))
    return caught.value


def test_a_wrong_id_is_refused_after_eight_bytes() -> None:
    reader = SegmentReader()
    assert not list(reader.feed(b"GET / H"))
    with pytest.raises(FramingError, match="segment at byte 0: 47455420 begins no segment header") as caught:
        list(reader.feed(b"T"))
    assert caught.value.status == StatusCode.PROTOCOL_ID_ERROR


@pytest.mark.parametrize(
    ("struc_id", "header"), [(b"TSH ", 28), (b"TSHC", 28), (b"TSHM", 36), (b"\xe3\xe2\xc8\xd4", 36)]
)
def test_lengths_below_the_header_and_over_the_limit(struc_id: bytes, header: int) -> None:
    for length in (0, 8, header - 1, 1001, 0xFFFFFFFF):
        error = refusal(struc_id + length.to_bytes(4, "big"), 1000)
        assert error.status == StatusCode.PROTOCOL_LENGTH_ERROR
        assert str(length) in str(error)
    for length in (header, 1000):
        assert not list(SegmentReader(1000).feed(struc_id + length.to_bytes(4, "big")))


@pytest.mark.parametrize("order", [0, 3, 255])
def test_byte_orders_that_do_not_exist(order: int) -> None:
    data = bytearray(thesis(4))
    data[8] = order
    assert refusal(bytes(data)).status == StatusCode.PROTOCOL_INVALID_DATA


def test_segments_in_front_of_a_fault_are_given_first() -> None:
    segments = SegmentReader().feed(thesis(1) + thesis(4) + b"XXXXXXXXXXXX")
    assert [next(segments).type, next(segments).type] == [1, 5]
    with pytest.raises(FramingError, match="segment at byte 160: 58585858"):
        next(segments)


def test_the_limit_may_change_between_two_segments() -> None:
    reader = SegmentReader()
    seen = []
    for segment in reader.feed(thesis(1) + build_segment(4, bytes(9000)) + thesis(4)):
        seen.append(segment.length)
        reader.max_segment = 10_000
    assert seen == [132, 9028, 28]


def test_what_is_not_iterated_over_comes_with_the_next_call() -> None:
    reader = SegmentReader()
    assert next(reader.feed(thesis(1) + thesis(4))).type == 1
    assert reader.offset == 132
    assert [segment.type for segment in reader.feed(thesis(3))] == [5, 4]
    reader.feed(thesis(4))
    assert [segment.type for segment in reader.feed(b"")] == [5]
    assert (reader.rest, reader.offset) == (b"", 132 + 28 + 480 + 28)


def test_more_may_be_fed_while_a_segment_is_out() -> None:
    reader = SegmentReader()
    coming = [thesis(3)[30:] + thesis(4), thesis(2)[:50], thesis(2)[50:] + thesis(3)[:7]]
    types = []
    for segment in reader.feed(thesis(1) + thesis(3)[:30]):
        types.append(segment.type)
        if coming:
            reader.feed(coming.pop(0))
    assert types == [1, 4, 5, 1]
    assert reader.rest == thesis(3)[:7]
    assert [segment.type for segment in reader.feed(thesis(3)[7:])] == [4]


def test_other_buffers_are_taken_too() -> None:
    buffer = bytearray(thesis(3))
    reader = SegmentReader()
    (segment,) = reader.feed(buffer)
    buffer[:] = bytes(len(buffer))
    assert segment.data == thesis(3), "a copy, so the caller may use his buffer again"
    assert [segment.type for segment in reader.feed(memoryview(thesis(4)))] == [5]


def test_the_ways_to_a_body() -> None:
    (_, segment) = SegmentReader().feed(thesis(1) + thesis(3))
    assert segment.body_length == 452
    assert segment.body == bytes(segment.body_view) == thesis(3)[28:]
    assert segment.buffer[segment.body_start : segment.body_start + 4] == b"MSH "
    assert segment.body_from(448) == b"hola"
    assert not segment.ebcdic
    assert repr(segment) == "<Segment TSH MESSAGE_DATA, 480 bytes, little-endian, flags 30 00>"


def test_a_long_segment_in_small_pieces_is_not_copied_again_and_again() -> None:
    limit = 8 << 20
    segment = build_segment(4, bytes(limit - 28))
    reader = SegmentReader(limit)
    tracemalloc.start()
    try:
        found: list[Segment] = []
        for start in range(0, limit, 65536):
            found += reader.feed(segment[start : start + 65536])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found) == 1
    assert peak < 2.2 * limit


def test_nothing_is_kept_of_a_segment_over_the_limit() -> None:
    reader = SegmentReader()
    with pytest.raises(FramingError):
        list(reader.feed(b"TSH " + (1 << 30).to_bytes(4, "big") + bytes(1000)))
    for _ in range(3):
        with pytest.raises(FramingError):
            list(reader.feed(bytes(100_000)))
    assert len(reader.rest) < 2000


@pytest.mark.parametrize("limit", [0, 27, 1 << 31])
def test_limits_that_make_no_sense(limit: int) -> None:
    with pytest.raises(LocalProtocolError):
        SegmentReader(limit)


@pytest.mark.spec("mq-wire.md 2.2")
def test_building() -> None:
    assert SegmentWriter(ByteOrder.LITTLE, 437).build(5, flags1=1, luwid=bytes.fromhex("84ce6d3f10001701")) == thesis(4)
    built = SegmentWriter(ByteOrder.BIG, 1208).build_shared(3, 4, 0x81, b"ab", b"cd", flags1=0x30)
    assert (
        built
        == bytes.fromhex("5453484d 00000028 00000003 00000004 01813000")
        + NO_LUWID
        + bytes.fromhex("00000111 04b8 0000")
        + b"abcd"
    )
    assert build_segment(9) == SegmentWriter().build(9)
    for bad in (lambda: SegmentWriter(ccsid=70000), lambda: SegmentWriter().build(300)):
        with pytest.raises(LocalProtocolError):
            bad()
    with pytest.raises(LocalProtocolError):
        SegmentWriter().build_shared(-1, 0, 1)
