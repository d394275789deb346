"""Data kept within limits, headers told once for each variety, chains walked where there are some."""

from __future__ import annotations

import hashlib
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import (
    BytesLost,
    ConnectionKind,
    DescriptorSeen,
    HeadersSeen,
    KeptData,
    MessageSeen,
    Observer,
    Place,
    SegmentSeen,
)
from support.channels.playbook import THEY, heartbeat, initial_data, message
from support.rules.channel_faults import agreed, put
from support.rules.message_faults import rfh2
from support.rules.observer_playbook import INITIATOR, Watch


def test_short_pieces_take_no_more_memory_than_long_ones() -> None:
    tracemalloc.start()
    try:
        kept = KeptData()
        for number in range(20_000):
            kept.add(number.to_bytes(2, "big"))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept.length == 40_000
    assert taken < 3 * kept.length


@given(st.lists(st.binary(max_size=20)), st.integers(0, 40))
def test_data_are_kept_up_to_the_limit_and_digested_beyond(pieces: list[bytes], limit: int) -> None:
    kept, whole = KeptData(limit), b"".join(pieces)
    for piece in pieces:
        kept.add(memoryview(piece))
    assert (kept.length, kept.data(), kept.cut) == (len(whole), whole[:limit], len(whole) > limit)
    assert kept.digest() == (hashlib.sha256(whole).digest() if len(whole) > limit else b"")


def test_a_variety_of_header_is_told_once() -> None:
    watch = agreed()
    before = len(watch.seen(SegmentSeen))
    watch.caller(put(1), put(2), heartbeat(), put(3), heartbeat())
    told = [one.segment.type for one in watch.seen(SegmentSeen)[before:]]
    assert told == [4, 9]
    assert [one.usual for one in watch.seen(SegmentSeen) if one.direction is INITIATOR] == [None, (2, 437), (2, 437)]


def test_varieties_are_forgotten_before_they_become_many() -> None:
    observer = Observer()
    watch = Watch()
    watch.observer = observer
    for number in range(300):
        watch.caller(THEY.build(number % 256, flags1=number // 256))
    assert len(observer._headers[INITIATOR]) <= 256


def test_a_variety_of_descriptor_is_told_once() -> None:
    watch = agreed()
    watch.caller(put(1), put(2, md_msg_id=b"m" * 24), put(3, md_expiry=77), put(4, md_priority=5), put(5))
    assert [one.message.sequence_number for one in watch.seen(DescriptorSeen)] == [1, 4]


def test_headers_are_told_of_messages_that_have_some() -> None:
    watch = agreed()
    watch.caller(put(1), put(2, rfh2() + b"hello", md_format=b"MQHRF2  "))
    (told,) = watch.seen(HeadersSeen)
    assert (told.message.sequence_number, [link.name for link in told.chain.links]) == (2, ["RFH2"])
    assert told.chain is told.message.chain
    assert told.chain.body == b"hello"


def test_a_message_without_a_whole_descriptor_has_no_chain() -> None:
    watch = agreed()
    watch.caller(put(1))
    (seen,) = watch.seen(MessageSeen)
    seen.message.descriptor = b"MD"
    assert seen.message.chain is None


@pytest.mark.parametrize(
    ("segment", "kind"),
    [
        (heartbeat(), ConnectionKind.UNKNOWN),
        (message(1), ConnectionKind.MESSAGE_CHANNEL),
        (initial_data(), ConnectionKind.MESSAGE_CHANNEL),
        (initial_data(cap_flags1=0x26), ConnectionKind.CLIENT_CONNECTION),
        (THEY.build(0x81, bytes(16)), ConnectionKind.CLIENT_CONNECTION),
        (THEY.build(1, b"ID"), ConnectionKind.UNKNOWN),
    ],
)
def test_what_a_connection_is_shows_in_one_segment(segment: bytes, kind: ConnectionKind) -> None:
    watch = Watch()
    watch.caller(segment)
    assert watch.observer.kind is kind
    assert (watch.part is None) is (kind is ConnectionKind.UNKNOWN)


def test_losses_before_anything_is_known_reach_the_part() -> None:
    observer = Observer()
    for number in range(1000):
        (told,) = observer.lose(Direction.INITIATOR, 10, Place(1.0, number, 0), "begins no segment header")
        assert isinstance(told, BytesLost)
        assert told.reason
    assert len(observer._lost) <= 64
    watch = Watch()
    watch.observer = observer
    watch.caller(put(7))
    assert watch.overview.uncertain
