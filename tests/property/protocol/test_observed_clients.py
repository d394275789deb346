"""Our own client and server under an observer: no error, each call paired, each message settled once and rightly."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.constants import MQGMO, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.mqi import Open, Put
from mqbridge.protocol.mqi_client import GetParameters, ObjectName, SubscriptionName
from mqbridge.protocol.observer import Ending, MessageOutcome, MessageRoute, MessageSeen, MessageSettled, Place
from mqbridge.protocol.observer.client import CallAnswered, ClientEnded, ConversationEndSeen
from mqbridge.protocol.structures.md import MD
from support.clients.pair import ClientPair, client_pair
from support.rules.observer_playbook import INITIATOR, RESPONDER, Watch

SHAPES = st.fixed_dictionaries(
    {
        "shared_conversations": st.sampled_from([0, 1, 10]),
        "order": st.sampled_from(ByteOrder),
        "transmission_size": st.sampled_from([1100, 4096, 32_748]),
        "fap_level": st.sampled_from([9, 12, 13, 17]),
        "ccsid": st.sampled_from([819, 500, 1208]),
    }
)
CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from([0, 1, 700, 5000, 70_000]), st.booleans()),
        st.tuples(st.just("put1"), st.sampled_from([0, 300]), st.booleans()),
        st.tuples(st.just("get"), st.booleans(), st.booleans()),
        st.tuples(st.sampled_from(["commit", "backout", "inquire", "set", "subscribe", "open", "close", "refused"])),
    ),
    max_size=14,
)
HANDLE = 2


@dataclass(slots=True)
class Observed:
    """A pair and the observer between its ends. ``calls``: how often each call was made, by its name on the wire."""

    watch: Watch
    pair: ClientPair
    passed: list[tuple[Direction, bytes]] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    open: bool = False


def observed(shape: dict[str, Any], **client: Any) -> Observed:
    watch = Watch()
    passed: list[tuple[Direction, bytes]] = []

    def hears(who: str, data: bytes) -> None:
        if data:
            direction = INITIATOR if who == "client" else RESPONDER
            passed.append((direction, data))
            watch.passes(direction, data)

    pair = client_pair(server=shape, hears=hears, **client)
    pair.pump()
    assert pair.client.connected
    return Observed(watch, pair, passed)


def descriptor(pair: ClientPair) -> bytes:
    return MD.codec(pair.client.link.wire.writer.order)(version=2, priority=4, persistence=0).build()


def make(play: Observed, what: str, values: list[Any]) -> None:
    """Make one call, and count it."""
    pair, client, now = play.pair, play.pair.client, play.pair.now
    if what == "open":
        play.calls["MQOPEN"] += 1
        pair.done(client.calls.open(ObjectName(name="Q1"), 0x30, now))
        play.open = True
    elif what in ("put", "get", "inquire", "set", "close") and not play.open:
        return
    elif what == "put":
        play.calls["MQPUT"] += 1
        options = int(MQPMO.SYNCPOINT if values[1] else MQPMO.NO_SYNCPOINT)
        pair.done(client.calls.put(HANDLE, descriptor(pair), b"x" * values[0], options, now))
    elif what == "put1":
        play.calls["MQPUT1"] += 1
        options = int(MQPMO.SYNCPOINT if values[1] else MQPMO.NO_SYNCPOINT)
        pair.done(client.calls.put1(ObjectName(name="Q2"), descriptor(pair), b"y" * values[0], options, now))
    elif what == "get":
        play.calls["MQGET"] += 1
        wait, unit = values
        wait = wait and bool(pair.queue)  # nobody would end it
        options = int((MQGMO.SYNCPOINT if unit else MQGMO.NO_SYNCPOINT) | (MQGMO.WAIT if wait else 0))
        pair.done(client.calls.get(HANDLE, GetParameters(options=options, wait=9 if wait else 0), now))
    elif what == "inquire":
        play.calls["MQINQ"] += 1
        pair.done(client.calls.inquire(HANDLE, [3, 2016], 48, now))
    elif what == "set":
        play.calls["MQSET"] += 1
        pair.done(client.calls.set(HANDLE, [9], [1], b"", now))
    elif what == "subscribe":
        play.calls["MQSUB"] += 1
        pair.done(client.calls.subscribe(SubscriptionName(options=0x22, topic="a/b"), 0, now))
    elif what == "close":
        play.calls["MQCLOSE"] += 1
        pair.done(client.calls.close_object(HANDLE, 0, now))
        play.open = False
    elif what == "refused":
        play.calls["MQOPEN"] += 1
        refuse = pair.server.replies.refuse  # type: ignore[union-attr]
        pair.answers[Open] = lambda call: refuse(call, MQRC.UNKNOWN_OBJECT_NAME)
        pair.done(client.calls.open(ObjectName(name="NO.SUCH"), 0x30, now))
        del pair.answers[Open]
    else:
        play.calls["MQCMIT" if what == "commit" else "MQBACK"] += 1
        pair.done(client.calls.commit(now) if what == "commit" else client.calls.backout(now))


def settled_once(watch: Watch) -> None:
    seen = [id(one.message) for one in watch.seen(MessageSeen)]
    assert sorted(seen) == sorted(id(one.message) for one in watch.seen(MessageSettled))
    assert len(set(seen)) == len(seen)


@pytest.mark.spec("mq-wire.md 8.3")
@settings(max_examples=60)
@given(SHAPES, CALLS, st.booleans())
def test_what_our_machines_say_is_without_fault_and_each_call_is_paired(
    shape: dict[str, Any], calls: list[Any], orderly: bool
) -> None:
    play = observed(shape)
    for what, *values in calls:
        make(play, what, values)
    if orderly:
        play.pair.done(play.pair.client.calls.disconnect(play.pair.now))
        play.pair.pump()
        play.calls["MQDISC"] += 1
    play.watch.end()
    watch = play.watch
    assert not watch.rules("error", "inferred"), watch.findings
    assert not [rule for rule in watch.rules("warning") if rule not in ("C-352", "C-531")], watch.findings
    answered = Counter(one.name for one in watch.seen(CallAnswered))
    assert answered == play.calls + Counter(["MQCONN"])
    assert watch.overview.outcome == ("ended" if orderly else "cut")
    assert [one.orderly for one in watch.seen(ConversationEndSeen)] == [orderly]
    (ended,) = watch.seen(ClientEnded)
    assert ended.calls == sum(answered.values())
    settled_once(watch)
    check_fates(watch, calls, orderly=orderly)


def check_fates(watch: Watch, calls: list[Any], *, orderly: bool) -> None:
    """What became of each put, by the calls that were made; gets of the same messages come in between."""
    expected: list[MessageOutcome] = []
    unit: list[int] = []
    opened = False
    for what, *values in calls:
        opened = (opened or what == "open") and what != "close"
        if (what == "put" and opened) or what == "put1":
            if values[1]:
                unit.append(len(expected))
            expected.append(MessageOutcome.CONFIRMED)
        elif what == "commit":
            unit = []
        elif what == "backout":
            for place in unit:
                expected[place] = MessageOutcome.BACKED_OUT
            unit = []
    for place in unit:
        expected[place] = MessageOutcome.CONFIRMED if orderly else MessageOutcome.BACKED_OUT
    fates = {id(one.message): one.fate for one in watch.seen(MessageSettled)}
    puts = [one.message for one in watch.seen(MessageSeen) if one.message.course is MessageRoute.PUT]
    assert [fates[id(message)] for message in puts] == expected


@settings(max_examples=40)
@given(SHAPES, st.lists(st.sampled_from([0, 1, 700, 5000, 70_000]), min_size=1, max_size=4), st.booleans())
def test_what_was_put_is_got_byte_for_byte(shape: dict[str, Any], sizes: list[int], wait: bool) -> None:
    play = observed(shape)
    make(play, "open", [])
    for size in sizes:
        make(play, "put", [size, False])
        make(play, "get", [wait, False])
    play.pair.done(play.pair.client.calls.disconnect(play.pair.now))
    play.watch.end()
    messages = [one.message for one in play.watch.seen(MessageSeen)]
    courses = [MessageRoute.PUT, MessageRoute.GET] * len(sizes)
    assert [one.course for one in messages] == courses
    assert [len(one.data) for one in messages] == [size for size in sizes for _ in range(2)]
    assert all(one.whole and one.length == len(one.data) for one in messages)
    for put, got in zip(messages[::2], messages[1::2], strict=True):
        assert put.data == got.data
        assert put.descriptor == got.descriptor  # the put has the message id that its reply brought
        assert put.queue == "Q1"
    assert {one.fate for one in play.watch.seen(MessageSettled)} == {MessageOutcome.CONFIRMED}


@settings(max_examples=60)
@given(SHAPES, CALLS, st.sets(st.integers(0, 40), max_size=6), st.booleans())
def test_segments_that_the_capture_lost_are_no_fault_of_the_traffic(
    shape: dict[str, Any], calls: list[Any], lost: set[int], whole: bool
) -> None:
    play = observed(shape)
    for what, *values in [("open",), *calls]:
        make(play, what, values)
    watch = Watch(whole)
    readers = {direction: SegmentReader(1 << 24) for direction in Direction}
    number = 0
    for direction, data in play.passed:
        for segment in readers[direction].feed(data):
            number += 1
            place = Place(1000.0 + number / 1000, number, 0)
            if number in lost or (number == 1 and not whole):
                told = watch.observer.lose(direction, segment.length, place)
            else:
                told = watch.observer.receive(direction, segment, place)
            watch._heard(told)
    watch.end(Ending.OPEN)
    assert not watch.rules("error"), watch.findings
    settled_once(watch)


def test_a_get_that_waits_is_one_call_with_its_latency() -> None:
    play = observed({"shared_conversations": 10})
    make(play, "open", [])
    call = play.pair.client.calls.get(HANDLE, GetParameters(options=int(MQGMO.WAIT), wait=5), play.pair.now)
    play.pair.pump()
    play.watch.after(5)
    play.pair.after(5.5)
    assert call.done
    (got,) = [one for one in play.watch.seen(CallAnswered) if one.name == "MQGET"]
    assert (got.reason, got.wait, got.streamed, got.object_name) == (2033, 5000, True, "Q1")
    assert got.answered.time - got.asked.time > 4.9
    assert not play.watch.rules("error", "warning", "performance")


def test_an_asynchronous_put_waits_for_no_reply() -> None:
    play = observed({"shared_conversations": 10})
    make(play, "open", [])
    play.pair.answers[Put] = lambda call: None
    options = int(MQPMO.ASYNC_RESPONSE | MQPMO.NO_SYNCPOINT)
    play.pair.done(play.pair.client.calls.put(HANDLE, descriptor(play.pair), b"z", options, play.pair.now))
    play.pair.done(play.pair.client.calls.disconnect(play.pair.now))
    play.watch.end()
    (settled,) = play.watch.seen(MessageSettled)
    assert settled.fate is MessageOutcome.UNKNOWN
    assert not play.watch.rules("error", "warning")
