"""Any bytes give events or a documented protocol error, in bounded memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.channel import (
    ChannelRequested,
    Closed,
    ConfirmRequested,
    EndOfBatch,
    Event,
    InDoubtResolved,
    ReceiverState,
    SenderState,
    SequenceReset,
)
from mqbridge.protocol.constants import StatusCode
from support.captures.vectors import thesis
from support.channels.playbook import (
    L1,
    THEY,
    Play,
    calling,
    end_of_batch,
    error,
    heartbeat,
    initial_data,
    listening,
    message,
    more_of_it,
    parameters,
    ping,
    receiver,
    requester,
    reset,
    resync,
    sender,
    status,
)

CORPUS = [
    *(thesis(number) for number in range(1, 7)),
    initial_data(),
    initial_data(0x02, init_err_flags1=0x20),
    initial_data(0x31, cap_flags1=0x26, fap_level=13),
    message(1),
    message(2, persistence=0),
    message(1, b"abc", length=8, flags=0x10),
    more_of_it(b"de"),
    more_of_it(b"fgh", flags=0x20),
    end_of_batch(),
    status(0x00, luwid=L1),
    status(0x84, luwid=L1),
    status(0x08),
    error(StatusCode.CAN_NOT_STORE, 3),
    heartbeat(),
    heartbeat(0x00),
    resync(L1, 8),
    resync(L1, 8, flags=0),
    reset(5),
    ping(b"test"),
    THEY.build(0x06, b"?"),
    THEY.build(0x0B),
]
MACHINES = {
    "responder": listening,
    "requester": requester,
    "caller": lambda: calling(parameters()),
    "receiver": receiver,
    "sender": lambda: sender(batch_size=2),
    "in doubt": lambda: sender(SenderState().asking(L1, 1, 1)),
    "resetting": lambda: sender(SenderState().reset_to(5)),
    "ping": lambda: sender(ping=b"test"),
}

whole = st.sampled_from(CORPUS)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A segment with a byte changed, bytes lost or too many."""
    segment = bytearray(draw(whole))
    kind = draw(st.sampled_from(["set", "cut", "more"]))
    place = draw(st.integers(0, len(segment) - 1))
    if kind == "set":
        segment[place] = draw(st.integers(0, 255))
    elif kind == "cut":
        del segment[place : place + draw(st.integers(1, 8))]
    else:
        segment[place:place] = draw(st.binary(min_size=1, max_size=8))
    return bytes(segment)


streams = st.lists(whole | whole | damaged() | st.binary(max_size=60), max_size=12).map(b"".join)


def act(play: Play, event: Event) -> None:
    """What an agent does; it believes what the machine tells it."""
    machine: Any = play.machine
    if isinstance(event, ChannelRequested):
        play.machine, events = machine.accept(parameters(), ReceiverState(), play.now)
        for one in events:
            act(play, one)
    elif isinstance(event, ConfirmRequested):
        machine.confirm(play.now)
    elif isinstance(event, SequenceReset | InDoubtResolved):
        machine.recorded(play.now)
    elif isinstance(event, EndOfBatch):
        machine.batches.request_confirm(play.now)


@pytest.mark.parametrize("kind", MACHINES)
@given(stream=streams, size=st.integers(1, 700))
def test_any_bytes_give_events_or_a_documented_error(kind: str, stream: bytes, size: int) -> None:
    play = MACHINES[kind]()
    if kind == "sender":
        play.send(10)
    ended = 0
    for begin in range(0, len(stream), size):
        events = play.they_send(stream[begin : begin + size])
        for event in events:
            act(play, event)
            if isinstance(event, Closed):
                ended += 1
                assert event is events[-1]
                assert event.amq.startswith("AMQ")
                assert event.reason
        play.we_sent()
        play.after(0.5)
    assert ended <= 1
    if not play.machine.link.closed:
        play.they_hang_up()
    assert play.machine.link.closed
    assert play.machine.link.next_timeout() is None


@pytest.mark.parametrize("make", [listening, receiver], ids=["responder", "receiver"])
def test_a_promised_length_takes_no_memory(make: Any) -> None:
    """Neither that of a segment nor that of a message: memory is taken for what came."""
    play = make()
    promise = message(1, b"abc", length=4_000_000, flags=0x10)
    tracemalloc.start()
    try:
        play.they_send(b"TSH \x00\x00\x0f\xff" if make is listening else promise)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not play.machine.link.closed
    assert peak < 20_000


def test_what_never_becomes_a_message_is_bounded() -> None:
    play = receiver(max_message_length=100_000)
    play.they_send(message(1, b"", length=100_000, flags=0x10))
    sent = 0
    while not play.machine.link.closed:
        play.they_send(more_of_it(bytes(10_000)))
        sent += 10_000
    assert sent == 110_000
    play.we_end(StatusCode.MESSAGE_LENGTH_ERROR, "AMQ9504")
