"""Messages that arrive together, or are sent together, come to the same as one after the other."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.channel import Outgoing, ReceiverState
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.framing import SegmentWriter
from support.channels.playbook import (
    L2,
    Play,
    end_of_batch,
    heartbeat,
    message,
    more_of_it,
    payload,
    receiver,
    sender,
    status,
)

WRAP = 20
LONGEST = 3000
WRITERS = [
    SegmentWriter(ByteOrder.LITTLE, 437),
    SegmentWriter(ByteOrder.BIG, 819),
    SegmentWriter(ByteOrder.BIG, 500),
    SegmentWriter(ByteOrder.LITTLE, 9999),
]
USUAL: list[dict[str, Any]] = [{}, {"persistence": 0}, {"luwid": L2}, {"xqh_remote_q_name": b"OTHER".ljust(48)}]
UNUSUAL: list[dict[str, Any]] = [
    {"persistence": 2},
    {"flags": 0x31},
    {"flags": 0x34},
    {"flags": 0x10},
    {"flags": 0x00},
    {"length": 4},
    {"msh_struc_id": b"MHS "},
    {"xqh_struc_id": b"XHQ "},
    {"xqh_version": 2},
    {"md_struc_id": b"DM  "},
    {"md_version": 2},
    {"data": b"x" * LONGEST},
    {"data": b"x" * (LONGEST + 1)},
]


@st.composite
def streams(draw: st.DrawFn) -> tuple[int, list[bytes]]:
    """The last number before, and segments of a partner, most of them messages in their order."""
    segments: list[bytes] = []
    start = number = draw(st.sampled_from([0, 15]))
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["message"] * 12 + ["unusual", "parts", "status", "heartbeat", "odd", "cut"]))
        number = number % WRAP + 1
        if kind in ("message", "unusual"):
            changes = dict(draw(st.sampled_from(USUAL if kind == "message" else UNUSUAL)))
            data = changes.pop("data", draw(st.sampled_from([b"", b"one", b"x" * 500])))
            writer = draw(st.sampled_from([WRITERS[0]] * 9 + WRITERS))
            wrong = draw(st.sampled_from([0] * 30 + [1]))
            segments.append(message(number + wrong, data, writer=writer, **changes))
        elif kind == "parts":
            segments.append(message(number, b"one", flags=0x10, length=6))
            segments.append(more_of_it(b"two", flags=0x20))
        elif kind == "odd":
            header = bytearray(message(number, b"odd"))
            header[draw(st.integers(0, 27))] ^= draw(st.integers(1, 255))
            segments.append(bytes(header))
        elif kind == "cut":
            segments.append(message(number, b"cut")[: draw(st.integers(1, 400))])
        else:
            number -= 1
            segments.append({"status": end_of_batch(), "heartbeat": heartbeat()}[kind])
            if kind == "status" and draw(st.booleans()):
                segments.append(status(0x80))
    return start, segments


def taken(start: int, reads: list[bytes]) -> tuple[Any, ...]:
    """All that a receiver makes of what it reads: events, what it sends, its counters and state."""
    play = receiver(ReceiverState(sequence=start), sequence_wrap=WRAP, max_message_length=LONGEST)
    events = [event for data in reads for event in play.they_send(data)]
    link = play.machine.link
    counters = asdict(link.wire.counters)
    if link.closed:  # what came behind the end is not looked at
        return events, play.we_sent(), {**counters, "bytes_received": 0}
    return events, play.we_sent(), counters, link.state, link.wire.reader.rest


@given(streams())
def test_messages_of_one_read_are_taken_as_one_by_one(stream: tuple[int, list[bytes]]) -> None:
    start, segments = stream
    assert taken(start, [b"".join(segments)]) == taken(start, segments)


@pytest.mark.parametrize("change", [*USUAL, *UNUSUAL, {"writer": WRITERS[2]}, {"writer": WRITERS[3]}])
def test_any_message_among_usual_ones_is_taken_as_one_by_one(change: dict[str, Any]) -> None:
    segments = [message(1), message(2), message(3, **{"data": b"three", **change}), message(4), heartbeat(), message(5)]
    assert taken(0, [b"".join(segments)]) == taken(0, segments)


@pytest.mark.parametrize("wrong", [0, 1, 2, 4, 5, WRAP + 1])
def test_a_wrong_number_among_right_ones_is_found(wrong: int) -> None:
    segments = [message(1), message(2), message(wrong), message(4)]
    assert taken(0, [b"".join(segments)]) == taken(0, segments)


def test_numbers_begin_again_in_the_middle_of_a_read() -> None:
    segments = [message((number - 1) % WRAP + 1) for number in range(15, 30)]
    assert taken(14, [b"".join(segments)]) == taken(14, segments)


@pytest.mark.parametrize("place", range(28))
def test_any_byte_of_a_header_among_usual_ones_is_looked_at(place: int) -> None:
    odd = bytearray(message(3))
    odd[place] ^= 0x81
    segments = [message(1), message(2), bytes(odd), message(4)]
    assert taken(0, [b"".join(segments)]) == taken(0, segments)


def outgoing(length: int, persistent: bool, kind: str) -> Outgoing | None:
    """A message to be sent: usual, in pieces, or not there."""
    if kind == "none":
        return None
    whole = payload(b"d" * length)
    if kind == "pieces":
        return Outgoing((whole[:100], whole[100:]), len(whole), persistent)
    return Outgoing(whole[:400] if kind == "short" else whole, 400 if kind == "short" else len(whole), persistent)


def of_sender(play: Play, events: list[Any]) -> tuple[Any, ...]:
    link = play.machine.link
    unsent = link.wire.unsent
    return (
        unsent,
        [(one.type, one.flags, one.luwid, one.body) for one in play.we_sent()],
        asdict(link.wire.counters),
        link.state,
        events,
        link.next_timeout(),
        play.machine.batches.planned_end(1, 1) if not play.machine.batches.open else None,
    )


@given(
    st.lists(
        st.builds(
            outgoing,
            st.sampled_from([0, 10, 300, 1000, 3000, 3001]),
            st.booleans(),
            st.sampled_from(["whole"] * 20 + ["pieces", "none", "short"]),
        ),
        max_size=12,
    ),
    st.sampled_from([1500, 4000, 1 << 16]),
    st.integers(1, 8),
    st.sampled_from(["FAST", "NORMAL"]),
    st.sampled_from([0, 1]),
    st.sampled_from([1500, 4096]),
)
def test_messages_sent_with_one_write_are_those_sent_one_by_one(
    messages: list[Outgoing | None], room: int, size: int, speed: str, limit: int, segment: int
) -> None:
    agreed: dict[str, Any] = {
        "batch_size": size,
        "fast": speed == "FAST",
        "batch_limit": limit,
        "max_message_length": LONGEST,
        "transmission_size": segment,
        "sequence_wrap": 3,
    }
    bulk, single = sender(**agreed), sender(**agreed)
    count, told = bulk.machine.batches.send_whole(messages, 0, room, bulk.now)
    events: list[Any] = []
    for each in messages[:count]:
        assert each is not None
        assert not events
        events += single.machine.batches.send_message(
            each.payload, single.now, persistent=each.persistent, length=each.length
        )
    written = bulk.machine.link.wire.unsent
    assert written <= room or count == 1
    if not told and count < len(messages):  # it ended in front of a message that it may not take
        left = messages[count]
        assert left is None or not bulk.machine.batches.is_whole(left) or written + 48 + left.length > room
    assert of_sender(bulk, told) == of_sender(single, events)
