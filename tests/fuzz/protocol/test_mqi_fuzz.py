"""Any bytes of a client give events or a documented error, in bounded memory, however the stream is cut."""

from __future__ import annotations

import tracemalloc
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.channel import Closed
from mqbridge.protocol.constants import ByteOrder, StatusCode
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.mqi import (
    Call,
    Connect,
    ConversationEnded,
    Get,
    Inquire,
    MessagesWanted,
    Open,
    Reserve,
    Subscribe,
    Xa,
)
from mqbridge.protocol.structures.md import MD
from support.clients.playbook import CONNECTION_ID, ClientPlay, connected, initial_data, started
from support.transcripts.client_transcripts import transcript

MESSAGE = MD.codec(ByteOrder.LITTLE)(version=2).build()
RICH = ("jms-listen", "mqi-topic", "jms-durable", "jms-delay", "jms-xa", "mqi-inq", "mqi-async", "auth-mqcsp")
RICH += ("mqi-sharecnv0-putget", "mqi-report", "jms-xa-recover", "hb-client", "connect-fap-4")
SHARED = {"shared": connected, "starting": started}
MACHINES: dict[str, Any] = {**SHARED, "not shared": lambda: connected(shared_conversations=0)}


@cache
def corpus() -> list[bytes]:
    """One segment of each kind and length that real clients sent, and what only bad ones send."""
    found: dict[tuple[int, int, int], bytes] = {}
    for name in RICH:
        for one in transcript(name).segments:
            if one.side == "client" and len(one.data) < 1500:
                shared = one.data[3] == ord("M")
                found.setdefault((one.data[17 if shared else 9], len(one.data), one.data[3]), one.data)
    play = ClientPlay(None)
    extra = [
        initial_data(),
        play.request_msgs(flags=0x1A, requested=100_000),
        play.request_msgs(flags=0x11),
        play.request_msgs(flags=0x0E),
        play.notification(3, 2),
        play.notification(3, 0, confirm=True),
        play.mqput(b"x" * 50, length=100, flags=0x10),
        play.segment(0x86, b"x" * 50, flags=0x20),
        play.mqput(b"x" * 50, length=500_000_000, flags=0x10),
        play.socket_action(3, 1),
        play.socket_action(3, 2),
    ]
    return list(found.values()) + extra


def act(play: ClientPlay, events: list[Any], held: list[Call], answers: bool) -> None:
    """An agent that answers everything, at once or later."""
    machine = play.machine
    for event in events:
        if isinstance(event, Call):
            held.append(event)
        elif isinstance(event, MessagesWanted) and event.delivery.ready:
            machine.deliveries.send(event.delivery, MESSAGE, b"hello", reference=1)
            machine.deliveries.no_message(event.delivery)
        elif isinstance(event, Closed):
            assert event.normal or event.status is None or isinstance(event.status, StatusCode)
    while held and answers:
        answer(machine, held.pop())


def answer(machine: Any, call: Call) -> None:
    if isinstance(call, Connect):
        machine.replies.connect(call, connection_id=CONNECTION_ID)
    elif isinstance(call, Open):
        machine.replies.open(call, 2)
    elif isinstance(call, Get):
        machine.replies.get(call, b"hello")
    elif isinstance(call, Inquire):
        machine.replies.inquire(call, [], b"")
    elif isinstance(call, Subscribe):
        machine.replies.subscribe(call, handle=4, subscription=6)
    elif isinstance(call, Reserve):
        machine.replies.reserve(call, count=1, position=20, first_id=bytes(24))
    elif isinstance(call, Xa):
        machine.replies.xa(call, 0)
    else:
        machine.replies.answer(call)


@pytest.mark.spec("mq-wire.md 6.1")
@pytest.mark.parametrize("kind", MACHINES)
@settings(max_examples=150)
@given(data=st.data())
def test_bytes_of_any_kind_end_in_events_or_a_documented_error(kind: str, data: st.DataObject) -> None:
    play: ClientPlay = MACHINES[kind]()
    held: list[Call] = []
    ended = False
    for _ in range(data.draw(st.integers(1, 12))):
        segment = bytearray(data.draw(st.sampled_from(corpus())))
        for place in data.draw(st.lists(st.integers(0, len(segment) - 1), max_size=3)):
            segment[place] = data.draw(st.integers(0, 255))
        sent = bytes(segment) if data.draw(st.integers(0, 9)) else data.draw(st.binary(max_size=100))
        events = play.says(sent)
        assert not (ended and events)
        act(play, events, held, answers=data.draw(st.booleans()))
        if play.machine.link.closed and not ended:
            ended = True
            assert isinstance(events[-1], Closed)
            assert all(not isinstance(event, ConversationEnded) or event.conversation >= 0 for event in events)
            assert play.machine.link.next_timeout() is None
    while data_out := play.machine.link.wire.take():
        assert list(SegmentReader(1 << 20).feed(b"".join(data_out)))


@cache
def turns(name: str) -> list[bytes]:
    """What the client of a transcript said between two answers, behind its negotiation."""
    found: list[bytes] = [b""]
    for one in transcript(name).segments:
        if one.socket == 1 and one.side == "client":
            found[-1] += one.data
        elif found[-1]:
            found.append(b"")
    return found[2:]


@pytest.mark.spec("mq-wire.md 1.1")
@pytest.mark.parametrize("name", ["mqi-putget", "jms-listen", "mqi-readahead", "jms-tx", "mqi-large", "jms-xa"])
@settings(max_examples=6)
@given(data=st.data())
def test_where_the_stream_is_cut_does_not_matter(name: str, data: st.DataObject) -> None:
    whole, cut = started(max_message_length=0), started(max_message_length=0)
    size = data.draw(st.sampled_from([1, 7, 35, 36, 37, 1000])) if name != "mqi-large" else 1000
    first = data.draw(st.integers(0, size))
    for turn in turns(name):
        expected = whole.says(turn)
        found = cut.says(turn[:first])
        for start in range(first, len(turn), size):
            found += cut.says(turn[start : start + size])
        assert [type(event) for event in found] == [type(event) for event in expected]
        act(whole, expected, [], answers=True)
        act(cut, found, [], answers=True)
        assert cut.machine.link.wire.take(1 << 24) == whole.machine.link.wire.take(1 << 24)
    assert whole.machine.link.wire.counters.buffers_received > 15
    assert cut.machine.link.wire.counters.buffers_received == whole.machine.link.wire.counters.buffers_received


@pytest.mark.spec("mq-wire.md 6.2")
def test_what_is_told_to_be_long_takes_no_memory_beforehand() -> None:
    play = connected(max_message_length=0)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        play.says(play.mqput(b"x" * 30_000, length=104_857_601, flags=0x10))
        for _ in range(3000):
            assert play.says(play.segment(0x86, b"x" * 32_000, flags=0)) == []
        assert tracemalloc.get_traced_memory()[1] - before < 1_000_000
    finally:
        tracemalloc.stop()
