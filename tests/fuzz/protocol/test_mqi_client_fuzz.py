"""Whatever a queue manager says, our client gives events or ends with a reason; it never raises, hangs or swells."""

from __future__ import annotations

import tracemalloc
from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mqbridge.protocol.channel.events import Closed
from mqbridge.protocol.constants import MQGMO, ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentReader, SegmentWriter
from mqbridge.protocol.mqi_client import Call, ClientConnection, ClientParameters, GetParameters, ObjectName
from mqbridge.protocol.structures import ASYNC
from mqbridge.protocol.structures.md import MD
from support.clients.pair import ClientPair, connected_pair

KINDS = st.sampled_from([int(kind) for kind in SegmentType])
PARAMETERS = ClientParameters(channel_name="DEV.APP.SVRCONN", queue_manager="QM1", user="app", password="secret")


@cache
def script(shared: int) -> tuple[bytes, ...]:
    """What a well-behaved queue manager says in a conversation with gets, segment by segment."""
    pair = connected_pair(server={"shared_conversations": shared})
    play(pair)
    return tuple(segment.data for segment in SegmentReader(1 << 20).feed(bytes(pair.sent)))


def play(pair: ClientPair) -> None:
    client, now = pair.client, pair.now
    pair.done(client.calls.open(ObjectName(name="Q"), 1, now))
    descriptor = MD.codec(ByteOrder.LITTLE)(version=2).build()
    pair.done(client.calls.put(2, descriptor, b"hello" * 10_000, 0, now))
    pair.done(client.calls.get(2, GetParameters(), now))
    pair.done(client.calls.inquire(2, [3, 2016], 48, now))
    pair.done(client.calls.commit(now))


def hear(segments: list[bytes]) -> ClientConnection:
    """A client that makes the calls of the script hears this instead."""
    client = ClientConnection(ClientParameters(channel_name="DEV.APP.SVRCONN", queue_manager="QM1"), 1000.0)
    calls = [
        lambda: client.calls.open(ObjectName(name="Q"), 1, 1000.0),
        lambda: client.calls.put(2, MD.codec(client.link.wire.writer.order)(version=2).build(), b"x" * 100, 0, 1000.0),
        lambda: client.calls.get(2, GetParameters(options=int(MQGMO.WAIT), wait=5), 1000.0),
        lambda: client.calls.inquire(2, [3, 2016], 48, 1000.0),
        lambda: client.calls.commit(1000.0),
    ]
    now = 1000.0
    for segment in segments:
        for event in client.link.receive_data(segment, now):
            if isinstance(event, Closed):
                assert client.link.closed
            assert not isinstance(event, Call) or event.done
        if client.connected and client.call is None and calls:
            calls.pop(0)()
        client.link.wire.take()
    while not client.link.closed:
        due = client.link.next_timeout()
        if due is None or due > now + 100_000:
            break
        now = due
        client.link.timeout(now)
        client.link.wire.take()
    return client


@given(st.sampled_from([0, 1]), st.data())
@settings(max_examples=150)
def test_damaged_answers(shared: int, data: st.DataObject) -> None:
    segments = list(script(shared))
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(segments) - 1))
        damaged = bytearray(segments[number])
        action = data.draw(st.sampled_from(["change", "drop", "repeat", "cut", "flags", "type"]))
        if action == "change":
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
        elif action == "flags":
            damaged[(18 if damaged[3:4] == b"M" else 10) % len(damaged)] = data.draw(st.integers(0, 255))
        elif action == "type":
            damaged[(17 if damaged[3:4] == b"M" else 9) % len(damaged)] = data.draw(KINDS)
        elif action == "cut":
            del damaged[data.draw(st.integers(1, len(damaged))) :]
        if action == "drop":
            del segments[number]
        else:
            segments[number] = bytes(damaged) * (2 if action == "repeat" else 1)
        if not segments:
            break
    hear(segments)


@given(st.lists(st.tuples(KINDS, st.binary(max_size=120), st.integers(0, 255), st.integers(0, 3)), max_size=8))
@settings(max_examples=150)
@example([(int(SegmentType.ASYNC_MESSAGE), bytes(60), 0x30, 1)])
def test_any_segments_after_the_connect(said: list[tuple[int, bytes, int, int]]) -> None:
    writer = SegmentWriter(ByteOrder.LITTLE, 819)
    start = list(script(1))[:3]
    hear(start + [writer.build_shared(1, request, kind, body, flags1=flags) for kind, body, flags, request in said])


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_any_bytes_at_the_start(said: bytes) -> None:
    client = ClientConnection(PARAMETERS, 1000.0)
    client.link.receive_data(said, 1000.0)
    client.link.receive_eof(1001.0)
    assert client.link.closed
    assert client.ended is not None
    assert b"secret" not in b"".join(client.link.wire.take())


def test_a_message_that_claims_to_be_long_takes_no_memory() -> None:
    pair = connected_pair()
    pair.done(pair.client.calls.open(ObjectName(name="Q"), 1, pair.now))
    pair.client.calls.get(2, GetParameters(), pair.now)
    told = {"total_msg_length": 100 << 20, "actual_msg_length": 100 << 20}
    head = ASYNC.codec(ByteOrder.LITTLE)(object_handle=2, segment_length=1, **told)
    body = head.build() + b"\0" + MD.codec(ByteOrder.LITTLE)(version=2).build() + b"x"
    tracemalloc.start()
    pair.client.link.receive_data(
        SegmentWriter(ByteOrder.LITTLE, 819).build_shared(1, 1, SegmentType.ASYNC_MESSAGE, body, flags1=0x10), 1.0
    )
    assert not pair.client.link.closed
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
