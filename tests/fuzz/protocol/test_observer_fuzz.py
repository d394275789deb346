"""Any bytes, any segments, in any order of both directions: an observer and all rules never raise and keep little."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.observer import (
    MAX_KEPT_DATA,
    MAX_UNSETTLED_DATA,
    Ending,
    MessageSeen,
    MessageSettled,
    UnreadMessageSeen,
)
from support.channels.playbook import (
    L1,
    L2,
    THEY,
    end_of_batch,
    error,
    heartbeat,
    initial_data,
    message,
    more_of_it,
    ping,
    reset,
    resync,
    status,
)
from support.rules.observer_playbook import INITIATOR, RESPONDER, Watch

DIRECTIONS = st.sampled_from([INITIATOR, RESPONDER])
EBCDIC = SegmentWriter(ByteOrder.BIG, 500)
PIECES: list[bytes] = [
    initial_data(),
    initial_data(flags=0),
    initial_data(flags=2, init_err_flags1=0x20, max_msgs_per_batch=2),
    initial_data(cap_flags1=15),
    initial_data(writer=EBCDIC),
    initial_data(fap_level=13),
    message(1),
    message(2, luwid=L2),
    message(3, b"", persistence=0),
    message(1, writer=EBCDIC),
    message(1, b"abc", length=8, flags=0x10),
    message(4, flags=0x31),
    more_of_it(b"defgh", flags=0x20),
    more_of_it(b"", flags=0x00),
    end_of_batch(),
    end_of_batch(L2),
    status(0, luwid=L1),
    status(0, luwid=L2),
    status(0),
    status(8),
    status(4, luwid=L1),
    status(0x48),
    error(StatusCode.MSG_SEQUENCE_ERROR, 8),
    error(StatusCode.NO_CHANNEL),
    heartbeat(),
    heartbeat(0),
    resync(L1, 7),
    resync(L1, 7, 0),
    reset(5),
    ping(b"x" * 20),
    ping(b"x" * 20, 0),
    THEY.build(0x81, b"\0" * 16, flags1=0x30),
    THEY.build(0x7F, b"abc"),
    THEY.build(0x04, b"abc" * 200, flags1=0x30, flags2=3),
    THEY.build_shared(1, 1, 0x83, b"\0" * 40),
]


@st.composite
def damaged(draw: Any) -> bytes:
    """A segment with some bytes of it changed behind the length."""
    data = bytearray(draw(st.sampled_from(PIECES)))
    for place, value in draw(st.lists(st.tuples(st.integers(8, 600), st.integers(0, 255)), max_size=4)):
        if place < len(data):
            data[place] = value
    data[8] = 1 + (data[8] & 1)
    return bytes(data)


STEPS = st.one_of(
    st.tuples(DIRECTIONS, st.one_of(st.sampled_from(PIECES), damaged(), st.binary(max_size=80))),
    st.tuples(DIRECTIONS, st.integers(1, 5000)),  # lost bytes
)


@settings(max_examples=300)
@given(st.booleans(), st.lists(STEPS, max_size=30), st.sampled_from(Ending), DIRECTIONS)
def test_nothing_makes_an_observer_raise(whole: bool, steps: list[Any], ending: Ending, closer: Any) -> None:
    watch = Watch(whole)
    for direction, what in steps:
        if isinstance(what, int):
            watch.loses(direction, what)
        else:
            watch.passes(direction, what)
            watch.after(what[0] if what else 0)
    watch.end(ending, closer)
    seen = [id(one.message) for kind in (MessageSeen, UnreadMessageSeen) for one in watch.seen(kind)]
    assert sorted(seen) == sorted(id(one.message) for one in watch.seen(MessageSettled))


@pytest.mark.parametrize("confirmed", [True, False])
def test_memory_stays_bounded_whatever_passes(confirmed: bool) -> None:
    """A sender that never ends its batch, and one whose every header is new."""
    watch = Watch()
    watch.caller(initial_data())
    watch.called(initial_data(flags=0))
    random, big = Random(1), message(1, b"x" * 200_000)
    for number in range(400):
        watch.passes(INITIATOR, big if number % 2 else message(number, luwid=random.randbytes(8)))
        watch.passes(INITIATOR, heartbeat())
        watch.passes(RESPONDER, THEY.build(number % 256, b"", flags1=random.randrange(256)))
        if confirmed and number % 50 == 49:
            watch.caller(end_of_batch())
            watch.called(status(0, luwid=L1))
        watch.observations.clear()
        watch.findings.clear()
    batches = watch.part.batches
    if batches.batch is not None:
        kept = sum(len(one.data) for one in batches.batch.messages)
        assert kept <= MAX_UNSETTLED_DATA
    assert len(watch.part.heartbeats.open) <= 16
    assert all(len(known) <= 256 for known in watch.observer._headers.values())


def test_a_split_message_without_end_is_kept_up_to_a_limit() -> None:
    watch = Watch()
    watch.caller(initial_data())
    watch.called(initial_data(flags=0))
    watch.caller(message(1, b"x" * 1000, length=100_000_000, flags=0x10))
    for _ in range(100):
        watch.caller(more_of_it(b"y" * 30_000))
    partial = watch.part.batches.partial
    assert partial.data.length == 3_001_000
    assert sys.getsizeof(partial.data._kept) < 2 * MAX_KEPT_DATA
    watch.end(Ending.OPEN)
    (seen,) = watch.seen(MessageSeen)
    assert (seen.message.length, len(seen.message.data), seen.message.whole) == (3_001_000, MAX_KEPT_DATA, False)
