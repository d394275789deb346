"""Whatever the bytes, a reader gives segments or one documented error, and holds no more than it was given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import SMALLEST_SEGMENT, SegmentReader
from support.captures.vectors import thesis

START = st.sampled_from([thesis(number) for number in range(1, 7)])


@given(st.lists(st.one_of(START, st.binary(max_size=64)), max_size=8), st.integers(0, 2**16), st.binary(max_size=4))
def test_segments_or_an_error(parts: list[bytes], place: int, damage: bytes) -> None:
    stream = bytearray(b"".join(parts))
    if stream:
        place %= len(stream)
        stream[place : place + len(damage)] = damage
    reader = SegmentReader(1000)
    given_out, error = 0, None
    try:
        for start in range(0, len(stream), 50):
            for segment in reader.feed(bytes(stream[start : start + 50])):
                assert SMALLEST_SEGMENT <= segment.length <= 1000
                assert segment.data == stream[given_out : given_out + segment.length]
                assert segment.order in (ByteOrder.BIG, ByteOrder.LITTLE)
                given_out += segment.length
            assert len(reader.rest) < 1000
    except FramingError as fault:
        error = fault
    if error is None:
        assert reader.rest == stream[given_out:]
    else:
        assert error.status in (0x0B, 0x0C, 0x0E)
        assert reader.offset == given_out
