"""Delivery delay: messages that are kept until their time (client-observed.md O-071)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager import MQError, PutOptions, UnitOfWork
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.mappings.delayed import DELAY_QUEUE, DelayedMessage, delayed_message, when_due
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQMF, MQOO, MQPMO, MQRC, MQRO, ByteOrder
from mqbridge.protocol.errors import MQBridgeError
from support.queue_manager.direct_calls import put_message
from support.queue_manager.host import Host
from support.queue_manager.pubsub_host import PubSubHost

pytestmark = pytest.mark.spec("client-observed.md 6.2")

OUTPUT = int(MQOO.OUTPUT)


@pytest.fixture
def host() -> Host:
    host = Host()
    host.local(DELAY_QUEUE, MAXMSGL=104857600)
    host.local("Q")
    return host


def put_later(
    host: Host, delay: int, data: bytes = b"later", unit: UnitOfWork | None = None, *, queue: str = "Q", **fields: Any
) -> Message:
    options = PutOptions(fields.pop("options", 0), delay=delay)
    message = Message.build(data, **fields)
    handle = host.open(queue, OUTPUT)
    try:
        put_message(host.queue_manager, handle, message, options, unit, host.now, host.then())
    finally:
        host.pump()
        host.close(handle)
    return message


def after(host: Host, seconds: float) -> None:
    """Time passes, with a call whenever one is due."""
    end = host.now + seconds
    while (due := host.queue_manager.next_timeout()) is not None and due <= end:
        host.now = max(host.now, due)
        host.queue_manager.timeout(host.now)
        host.pump()
    host.now = end


@pytest.mark.parametrize("persistence", [0, 1])
def test_a_message_is_not_to_be_had_before_its_time(host: Host, persistence: int) -> None:
    put = put_later(host, 2000, persistence=persistence, correl_id=b"c" * 24, format="MQSTR", priority=3)
    assert host.outcomes == [None]
    after(host, 1.999)
    assert (host.contents("Q"), host.depth(DELAY_QUEUE)) == ([], 1)
    after(host, 0.001)
    got = host.got("Q")
    assert (got.data, host.depth(DELAY_QUEUE)) == (b"later", 0)
    assert got.raw_md == put.raw_md


def test_the_next_timeout_is_that_of_the_earliest_message(host: Host) -> None:
    put_later(host, 5000, b"5")
    put_later(host, 3000, b"3")
    assert host.queue_manager.next_timeout() == host.now + 3
    put_later(host, 4000, b"4")
    after(host, 10)
    assert host.contents("Q") == [b"3", b"4", b"5"]


def test_who_waits_gets_it_when_its_time_has_come(host: Host) -> None:
    from mqbridge.bridge.queue_manager import GetOptions, Waiter

    put_later(host, 1000)
    source = host.queue_manager.resolve("Q")
    waiter = Waiter("me", GetOptions(MQGMO.WAIT), None)
    host.queue_manager.wait(source, waiter, host.now)
    after(host, 0.9)
    assert host.woken() == []
    after(host, 0.1)
    assert host.woken() == [("me", 0)]


def test_in_a_unit_of_work_it_is_there_after_commit_only(host: Host) -> None:
    unit = host.begin()
    put_later(host, 1000, b"kept", unit)
    undone = host.begin()
    put_later(host, 1000, b"undone", undone)
    after(host, 5)
    assert host.contents("Q") == []
    host.backout(undone)
    host.commit(unit)
    after(host, 0.001)
    assert host.contents("Q") == [b"kept"]


def test_persistent_messages_survive_a_restart(host: Host) -> None:
    put_later(host, 60_000, b"stays", persistence=1)
    put_later(host, 60_000, b"is lost", persistence=0)
    host.restart(after=30)
    assert host.contents("Q") == []
    after(host, 30)
    assert host.contents("Q") == [b"stays"]


def test_one_that_came_due_while_nobody_was_there_comes_after_the_start(host: Host) -> None:
    put_later(host, 5000, persistence=1)
    host.restart(after=60)
    after(host, 0.001)
    assert host.contents("Q") == [b"later"]


def test_expiry_goes_on_meanwhile(host: Host) -> None:
    host.local("REPLIES")
    put_later(host, 5000, b"alive", expiry=80)
    put_later(
        host, 5000, b"dead", expiry=40, report=int(MQRO.EXPIRATION_WITH_DATA), reply_to_q="REPLIES", persistence=1
    )
    after(host, 5)
    got = host.got("Q")
    assert (got.data, got.md.expiry) == (b"alive", 30)
    assert host.contents("Q") == []
    assert host.contents("REPLIES") == [b"dead"]


def test_arrival_is_confirmed_when_it_arrives(host: Host) -> None:
    host.local("REPLIES")
    put_later(host, 2000, report=int(MQRO.COA), reply_to_q="REPLIES")
    assert host.contents("REPLIES") == []
    after(host, 2)
    assert len(host.contents("REPLIES")) == 1


def test_defaults_are_those_of_the_queue_that_was_named(host: Host) -> None:
    host.define(Kind.QALIAS, "ALIAS", TARGET="Q", DEFPRTY=7, DEFPSIST="YES")
    put = put_later(host, 1000, queue="ALIAS", priority=-1, persistence=2)
    assert (put.md.priority, put.md.persistence) == (7, 1)
    after(host, 1)
    got = host.got("Q")
    assert (got.md.priority, got.md.persistence) == (7, 1)


def test_a_remote_queue_gets_it_through_its_own_transmission_queue(host: Host) -> None:
    host.transmission("XQ")
    host.define(Kind.QREMOTE, "FAR", RNAME="THERE", RQMNAME="SATURN", XMITQ="XQ")
    put_later(host, 1000, queue="FAR")
    after(host, 1)
    assert host.depth("XQ") == 1


def test_a_publication_is_published_when_it_is_due() -> None:
    host = PubSubHost()
    topic = "Prix/été <&> "
    handle = host.pubsub.open_topic("", topic, options=OUTPUT, owner=b"1", now=host.now)
    options = PutOptions(MQPMO.RETAIN, delay=1000)
    put_message(host.queue_manager, handle, Message.build(b"news"), options, None, host.now)
    host.pump()
    before = host.subscribe(topic)
    assert host.bodies(before) == []
    after(host, 1)
    assert host.bodies(before) == [b"news"]
    assert host.bodies(host.subscribe(topic)) == [b"news"], "it is retained"


@pytest.mark.parametrize(
    ("attributes", "fields", "reason"),
    [
        ({"PUT": "DISABLED"}, {}, MQRC.PUT_INHIBITED),
        ({"MAXMSGL": 4}, {}, MQRC.MSG_TOO_BIG_FOR_Q),
        ({}, {"msg_type": 99}, MQRC.MSG_TYPE_ERROR),
        ({}, {"options": int(MQPMO.LOGICAL_ORDER)}, MQRC.OPTIONS_ERROR),
    ],
)
def test_what_is_wrong_now_is_told_now(host: Host, attributes: Any, fields: Any, reason: MQRC) -> None:
    host.alter(Kind.QLOCAL, "Q", **attributes)
    with pytest.raises(MQError) as caught:
        put_later(host, 1000, **fields)
    assert caught.value.reason == reason
    assert host.depth(DELAY_QUEUE) == 0


def test_a_message_that_may_be_cut_is_cut_when_it_goes_on(host: Host) -> None:
    host.alter(Kind.QLOCAL, "Q", MAXMSGL=16)
    put_later(host, 1000, b"x" * 40, version=2, msg_flags=int(MQMF.SEGMENTATION_ALLOWED))
    after(host, 1)
    assert list(map(len, host.contents("Q"))) == [16, 16, 8]


def test_without_the_queue_there_is_no_delay() -> None:
    host = Host()
    host.local("Q")
    with pytest.raises(MQError) as caught:
        put_later(host, 1000)
    assert caught.value.reason == MQRC.UNKNOWN_OBJECT_NAME


def test_the_queue_may_be_made_later(host: Host) -> None:
    host.delete(Kind.QLOCAL, DELAY_QUEUE)
    host.local(DELAY_QUEUE)
    put_later(host, 1000)
    after(host, 1)
    assert host.contents("Q") == [b"later"]


def test_what_cannot_be_put_then_goes_to_the_dead_letter_queue(host: Host) -> None:
    host.local("DLQ")
    host.alter_manager(DEADQ="DLQ")
    put_later(host, 1000, persistence=1)
    host.alter(Kind.QLOCAL, "Q", PUT="DISABLED")
    after(host, 1)
    dead = host.got("DLQ")
    assert dead.data.endswith(b"later")
    assert int.from_bytes(dead.data[8:12], "little") == MQRC.PUT_INHIBITED
    assert host.depth(DELAY_QUEUE) == 0


def test_where_that_fails_too_it_is_tried_again(host: Host) -> None:
    put_later(host, 1000, persistence=1)
    host.alter(Kind.QLOCAL, "Q", PUT="DISABLED")
    after(host, 30)
    assert (host.depth(DELAY_QUEUE), host.logged().count("AMQ7320")) == (1, 1)
    host.alter(Kind.QLOCAL, "Q", PUT="ENABLED")
    after(host, 60)
    assert (host.depth(DELAY_QUEUE), host.contents("Q")) == (0, [b"later"])
    assert host.got("Q").md.backout_count == 0


def test_a_store_that_refuses_is_tried_again(host: Host) -> None:
    put_later(host, 1000, persistence=1)
    host.store.failure = StoreFull("no room")
    after(host, 1)
    host.store.failure = None
    assert (host.depth(DELAY_QUEUE), host.contents("Q")) == (1, [])
    after(host, 60)
    assert host.contents("Q") == [b"later"]


def test_other_messages_on_the_queue_are_left_alone(host: Host) -> None:
    host.put(DELAY_QUEUE, b"not ours")
    put_later(host, 1000)
    after(host, 5)
    assert (host.contents("Q"), host.contents(DELAY_QUEUE)) == ([b"later"], [b"not ours"])
    assert "AMQ7472" in host.logged()


def test_a_message_that_somebody_took_from_there_does_not_come(host: Host) -> None:
    put_later(host, 1000)
    assert host.get(DELAY_QUEUE) is not None
    after(host, 5)
    assert host.contents("Q") == []


def test_many_that_are_due_go_on_step_by_step(host: Host) -> None:
    unit = host.begin()
    for number in range(1100):
        put_later(host, 1000, b"%d" % number, unit)
    host.commit(unit)
    host.now += 1
    host.queue_manager.timeout(host.now)
    assert host.queue_manager.next_timeout() is not None
    after(host, 0.001)
    assert host.contents("Q") == [b"%d" % number for number in range(1100)]


@given(
    due=st.integers(0, 2**62),
    names=st.tuples(st.text("ABC.%/_1 ", max_size=48).map(str.strip), st.sampled_from(["", "QM2"])),
    topic=st.none() | st.text(st.characters(blacklist_categories=("Cs",)), max_size=60),
    options=st.integers(0, 2**31 - 1),
    level=st.integers(0, 9),
    order=st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]),
    ccsid=st.sampled_from([500, 819, 1208]),
    data=st.binary(max_size=40),
)
def test_what_is_kept_comes_back(
    due: int, names: Any, topic: str | None, options: int, level: int, order: Any, ccsid: int, data: bytes
) -> None:
    message = Message.build(data, order=order, ccsid=ccsid, format="MYFORMAT", encoding=0x111, coded_char_set_id=37)
    delayed = DelayedMessage(due, *(names if topic is None else ("", "")), topic, options, level)
    kept = delayed_message(message, delayed)
    assert when_due(kept) == (delayed, message)


@given(st.binary(max_size=80))
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(MQBridgeError):
        when_due(Message.build(data, format="MQHRF2"))
