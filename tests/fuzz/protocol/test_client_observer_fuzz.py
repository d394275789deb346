"""Any segments of clients, in any order of both directions: observer and rules never raise, and keep little."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.observer import Ending, MessageSeen, MessageSettled
from mqbridge.protocol.observer.client import tracking
from mqbridge.protocol.structures import API, ASYNC, NOTIF, REQMSG, SOCKET, async_name
from mqbridge.protocol.structures.md import MD
from support.rules.observer_playbook import INITIATOR, RESPONDER, Watch
from support.transcripts.client_transcripts import transcript

NAMES = (
    "connect-basic", "connect-bigendian", "connect-ccsid-500", "auth-mqcsp", "auth-mqcsp-fap", "auth-compat",
    "mqi-putget", "mqi-sharecnv0-putget", "mqi-uow", "mqi-async", "mqi-topic", "mqi-trunc", "mqi-report",
    "jms-xa", "jms-xa-recover", "jms-durable", "jms-delay", "jms-listen", "jms-sessions", "hb-client",
    "compress-accepted-by-silence", "inject-INST5C", "inject-INSO7", "late-AFTER", "reject-mqconn",
)  # fmt: skip
WRITER = SegmentWriter(ByteOrder.LITTLE, 819)
WHOLE = 0x30


@cache
def pieces() -> list[tuple[Any, bytes]]:
    """Real segments with their directions, one of each kind, size and flags."""
    found: dict[tuple[Any, ...], tuple[Any, bytes]] = {}
    for name in NAMES:
        for one in transcript(name).segments:
            direction = INITIATOR if one.side == "client" else RESPONDER
            found.setdefault((direction, one.data[:4], one.data[9:20], len(one.data)), (direction, one.data))
    return list(found.values())


@st.composite
def damaged(draw: Any) -> tuple[Any, bytes]:
    """A real segment with some bytes of it changed behind the length, or cut."""
    direction, whole = draw(st.sampled_from(pieces()))
    data = bytearray(whole)
    for place, value in draw(st.lists(st.tuples(st.integers(8, 700), st.integers(0, 255)), max_size=4)):
        if place < len(data):
            data[place] = value
    if draw(st.booleans()):
        data = data[: draw(st.integers(28, len(data)))]
        data[4:8] = len(data).to_bytes(4, "big")
    return direction, bytes(data)


STEPS = st.one_of(
    st.sampled_from(pieces()),
    damaged(),
    st.tuples(st.sampled_from([INITIATOR, RESPONDER]), st.integers(1, 5000)),  # lost bytes
)
ENDINGS = st.sampled_from(Ending)


def feed(watch: Watch, steps: list[Any], ending: Ending) -> None:
    for direction, what in steps:
        if isinstance(what, int):
            watch.loses(direction, what)
        else:
            watch.passes(direction, what)
    watch.end(ending)
    seen = [id(one.message) for one in watch.seen(MessageSeen)]
    assert sorted(seen) == sorted(id(one.message) for one in watch.seen(MessageSettled))
    assert len(set(seen)) == len(seen)


@settings(max_examples=250, deadline=None)
@given(st.booleans(), st.lists(STEPS, max_size=25), ENDINGS)
def test_nothing_makes_the_observer_of_clients_raise(whole: bool, steps: list[Any], ending: Ending) -> None:
    feed(Watch(whole), steps, ending)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NAMES), st.randoms(use_true_random=False), ENDINGS)
def test_a_shuffled_or_holed_conversation_raises_nothing(name: str, random: Random, ending: Ending) -> None:
    steps: list[Any] = [
        (INITIATOR if one.side == "client" else RESPONDER, one.data) for one in transcript(name).segments
    ]
    for _ in range(random.randrange(6)):
        place = random.randrange(len(steps))
        action = random.randrange(3)
        if action == 0:
            steps[place] = steps[place][0], len(str(steps[place][1]))
        elif action == 1:
            steps.insert(random.randrange(len(steps)), steps[place])
        else:
            steps[place] = steps[place][0].other, steps[place][1]
    feed(Watch(), steps, ending)


# Limits


def call(
    kind: int, *body: bytes, handle: int = 0, conversation: int = 1, request: int = 0, flags: int = WHOLE
) -> bytes:
    head = API.codec(ByteOrder.LITTLE)(reply_length=100, object_handle=handle).build()
    return WRITER.build_shared(conversation, request, kind, head, *body, flags1=flags)


def test_calls_without_replies_are_kept_up_to_a_limit() -> None:
    watch = Watch(whole=False)
    for number in range(tracking.MAX_WAITING * 3):
        watch.caller(call(SegmentType.MQCMIT, request=number))
    assert len(watch.part.conversations.tracks[1].waiting) == tracking.MAX_WAITING


@pytest.mark.interpreted("sets a constant")
def test_conversations_are_followed_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.protocol.observer.client.conversations.MAX_CONVERSATIONS", 50)
    watch = Watch(whole=False)
    for number in range(200):
        watch.caller(call(SegmentType.MQCMIT, conversation=number + 1))
        body = SOCKET.codec(ByteOrder.LITTLE)(conversation_id=1000 + number, type=1).build()
        watch.caller(WRITER.build_common(SegmentType.SOCKET_ACTION, body, flags1=WHOLE))
    assert len(watch.part.conversations.tracks) == 50
    assert len(watch.part.socket_actions.asked) <= tracking.MAX_CONVERSATIONS


@pytest.mark.interpreted("sets a constant")
def test_handles_and_streams_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.protocol.observer.client.message_streams.MAX_HANDLES", 50)
    monkeypatch.setattr(tracking, "MAX_HANDLES", 50)
    watch = Watch(whole=False)
    for number in range(1, 200):
        watch.caller(WRITER.build_shared(1, 1, SegmentType.REQUEST_MSGS, REQMSG.codec(ByteOrder.LITTLE)(
            object_handle=number, request_flags=8, requested_bytes=1).build(), flags1=WHOLE))  # fmt: skip
        watch.called(WRITER.build_shared(1, 1, SegmentType.NOTIFICATION, NOTIF.codec(ByteOrder.LITTLE)(
            object_handle=number, code=11).build(), flags1=WHOLE))  # fmt: skip
        track = watch.part.conversations.tracks[1]
        track.open(number, tracking.ObservedHandle("Q", "", tracking.NOWHERE))
    assert len(track.streams) <= 50
    assert len(track.handles) == 50
    for number in range(1, 51):
        track.close(number)
    assert len(track.closed) <= tracking.MAX_CLOSED_HANDLES


def test_a_call_without_end_is_kept_up_to_a_limit() -> None:
    watch = Watch(whole=False)
    watch.caller(call(SegmentType.MQOPEN, b"\0" * 1000, flags=0x10))
    for _ in range(200):
        watch.caller(WRITER.build_shared(1, 0, SegmentType.MQOPEN, b"\0" * 30_000))
    partial = watch.part.conversations.tracks[1].partials[True]
    assert partial.length > 6_000_000
    assert sum(map(len, partial.more)) <= tracking.MAX_CALL + 30_000


@pytest.mark.interpreted("sets a constant")
def test_messages_of_a_unit_without_end_are_followed_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.protocol.observer.client.message_outcomes.MAX_UNSETTLED", 20)
    put = next(
        data for side, data in pieces() if side is INITIATOR and data[17] == SegmentType.MQPUT and data[:4] == b"TSHM"
    )
    reply = call(SegmentType.MQPUT_REPLY)
    watch = Watch(whole=False)
    for _ in range(60):
        watch.caller(put)
        watch.part.conversations.tracks[int.from_bytes(put[8:12], "big")].waiting[-1].in_unit = True
        watch.called(reply[:8] + put[8:16] + reply[16:])
    assert len(watch.part.outcomes.unsettled) <= 21
    watch.end(Ending.OPEN)
    assert len(watch.seen(MessageSeen)) == len(watch.seen(MessageSettled)) == 60


def test_calls_and_messages_that_come_in_part_are_kept_up_to_a_limit() -> None:
    watch = Watch(whole=False)
    for number in range(1, 400):
        watch.caller(call(SegmentType.MQPUT, b"\0" * 1000, conversation=number, flags=0x10))
        head = ASYNC.codec(ByteOrder.LITTLE)(object_handle=number, segment_length=100).build() + async_name(b"")
        body = head + MD.codec(ByteOrder.LITTLE)(version=2).build() + bytes(100)
        watch.called(WRITER.build_shared(1, 1, SegmentType.ASYNC_MESSAGE, body, flags1=0x10))
    tracks = watch.part.conversations.tracks.values()
    assert sum(len(track.partials) for track in tracks) == tracking.MAX_PARTIALS
    streams = [stream for track in tracks for stream in track.streams.values()]
    assert sum(stream.partial is not None for stream in streams) == tracking.MAX_PARTIALS
