"""The deadlines of a client connection."""

from __future__ import annotations

from mqbridge.protocol.channel.states import State
from mqbridge.protocol.constants import MQGMO, SegmentType
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi_client import GetParameters
from mqbridge.protocol.mqi_client.gets import Gets
from mqbridge.protocol.mqi_client.timers import ClientTimers
from support.clients.mqi_parts import ClientAlone, agreed, single


def timers(values: ClientNegotiated | None) -> tuple[ClientAlone, Gets, ClientTimers]:
    alone = ClientAlone(values)
    gets = Gets(alone.link, alone.conversation, alone.exchange)
    return alone, gets, ClientTimers(alone.link, alone.conversation, alone.exchange, gets)


def due(part: ClientTimers) -> list[float]:
    return sorted(when for when, _ in part.due())


def fire(part: ClientTimers, now: float) -> None:
    for when, action in list(part.due()):
        if when <= now:
            action(now)


def test_the_handshake_has_its_time() -> None:
    alone, _, part = timers(None)
    assert due(part) == [1030.0]
    fire(part, 1030.0)
    assert (alone.link.closed, due(part)) == (True, [])


def test_a_reply_has_its_time() -> None:
    alone, _, part = timers(agreed(heartbeat_interval=0))
    assert due(part) == []
    alone.exchange.begin(SegmentType.MQCMIT, 0, now=1000.0)
    assert due(part) == [1060.0]
    fire(part, 1060.0)
    (closed,) = alone.link.drain()
    assert closed.reason == "no reply to MQCMIT within 60 seconds"


def test_a_shared_connection_asks_after_an_interval_and_gives_up_after_two() -> None:
    alone, _, part = timers(agreed(heartbeat_interval=10))
    assert due(part) == [1010.0]
    fire(part, 1010.0)
    (asked,) = alone.sent()
    assert (asked.type, asked.header.name, asked.flags1) == (SegmentType.HEARTBEAT, "TSHC", 0x31)
    assert (alone.link.state, due(part)) == (State.HEARTBEATING, [1020.0])
    fire(part, 1020.0)
    assert alone.link.closed


def test_without_sharing_silence_counts_only_during_a_get_that_waits() -> None:
    alone, gets, part = timers(agreed(conversations=0, heartbeat_interval=10))
    assert due(part) == []
    gets.get(2, GetParameters(options=int(MQGMO.WAIT), wait=None), 1000.0)
    (when,) = due(part)
    assert when > 1010.0
    alone.link.pause()
    assert due(part) == []


def test_a_heartbeat_is_answered_where_it_asks() -> None:
    alone, _, part = timers(agreed())
    part.heartbeat(single(SegmentType.HEARTBEAT, flags=0x00), 1000.0)
    assert alone.sent() == []
    part.heartbeat(single(SegmentType.HEARTBEAT, flags=0x01), 1000.0)
    assert [segment.flags1 for segment in alone.sent()] == [0x30]
