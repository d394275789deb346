"""The deadlines of a server connection."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.mqi import Get, ServerParameters
from mqbridge.protocol.mqi.calls import CallHead
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi.timers import ServerTimers
from support.clients.mqi_parts import ORDER, Alone, agreed, single


def timers(values: ClientNegotiated | None, **parameters: Any) -> tuple[Alone, ServerTimers]:
    alone = Alone(values)
    definition = ServerParameters(channel_name="C", queue_manager="Q", handshake_timeout=60, **parameters)
    return alone, ServerTimers(alone.link, alone.conversations, definition)


def due(part: ServerTimers) -> list[float]:
    return sorted(when for when, _ in part.due())


def fire(part: ServerTimers, now: float) -> None:
    for when, action in list(part.due()):
        if when <= now:
            action(now)


def test_the_handshake_has_its_time() -> None:
    alone, part = timers(None)
    assert due(part) == [1060.0]
    fire(part, 1060.0)
    assert alone.link.closed


def test_a_shared_connection_asks_after_an_interval_and_gives_up_later() -> None:
    alone, part = timers(agreed(heartbeat_interval=10))
    alone.connected(1)
    assert due(part) == [1010.0]
    fire(part, 1010.0)
    (asked,) = alone.sent()
    assert (asked.type, asked.header.name, asked.flags1) == (SegmentType.HEARTBEAT, "TSHC", 1)
    assert (alone.link.state, due(part)) == (State.HEARTBEATING, [1020.0])
    fire(part, 1020.0)
    assert alone.link.closed


def test_a_client_that_takes_much_is_slow_and_not_gone() -> None:
    alone, part = timers(agreed(heartbeat_interval=10))
    alone.connected(1)
    alone.link.wire.queue((b"x" * 100,), 100)
    fire(part, 1010.0)
    alone.link.wire.counters.bytes_sent += 50
    fire(part, 1020.0)
    assert (alone.link.closed, due(part)) == (False, [1040.0])
    fire(part, 1040.0)
    assert alone.link.closed


def test_the_silence_of_a_paused_connection_means_nothing() -> None:
    alone, part = timers(agreed())
    alone.connected(1)
    alone.link.pause()
    assert due(part) == []


def test_without_sharing_silence_counts_only_while_a_get_waits() -> None:
    alone, part = timers(agreed(conversations=0, heartbeat_interval=10), disconnect_interval=500)
    conversation = alone.connected(0)
    assert due(part) == [1500.0]
    head = CallHead(0, 0, SegmentType.MQGET, ORDER, 819, 0, 0)
    conversation.waiting = Get(head, descriptor=b"", options=None, buffer_length=0)
    assert due(part) == [1010.0]
    conversation.waiting = None
    fire(part, 1500.0)
    (told,) = alone.sent()
    assert (told.type, alone.link.closed) == (SegmentType.STATUS_DATA, True)


def test_a_connection_without_conversations_is_ended() -> None:
    alone, part = timers(agreed(heartbeat_interval=0))
    alone.conversations.connected = True
    assert due(part) == [1060.0]
    fire(part, 1060.0)
    assert [event.normal for event in alone.link.drain()] == [True]


def test_a_heartbeat_is_answered_where_it_asks() -> None:
    alone, part = timers(agreed())
    part.heartbeat(single(SegmentType.HEARTBEAT, flags=0x30), 1000.0)
    assert alone.sent() == []
    part.heartbeat(single(SegmentType.HEARTBEAT, flags=0x31), 1000.0)
    assert [segment.type for segment in alone.sent()] == [SegmentType.HEARTBEAT]
