from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub.retained import RETAINED_QUEUE
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.protocol.constants import MQOO, MQPMO, MQRC, MQSO
from support.queue_manager.pubsub_host import DURABLE, NON_DURABLE, PubSubHost, reason_of, topic_of

RETAIN = int(MQPMO.RETAIN)


@pytest.mark.spec("mqi.md 17")
@pytest.mark.spec("client-observed.md O-072")
def test_one_publication_is_retained_for_each_topic(host: PubSubHost) -> None:
    host.publish("a", b"1", options=RETAIN, persistence=1)
    host.publish("a", b"2", options=RETAIN, persistence=1, priority=9)
    host.publish("a", b"3", options=RETAIN, persistence=1, priority=1)
    host.publish("a", b"not retained", persistence=1)
    host.publish("b", b"b", options=RETAIN, persistence=1)
    assert host.depth(RETAINED_QUEUE) == 2
    handle = host.subscribe("a")
    (message,) = host.messages(handle)
    assert message.data.endswith(b"3")
    assert b"<mqps><Top>a</Top><Ret dt='boolean'>1</Ret></mqps>" in message.data
    assert message.md.correl_id == handle.subscription.correl_id
    assert sorted(map(str, map(topic_of, host.messages(host.subscribe("#"))))) == ["a", "b"]
    host.publish("a", b"4", options=RETAIN, persistence=1)
    (message,) = host.messages(handle)
    assert b"<Ret" not in message.data


def test_retained_publications_survive_a_restart_if_they_are_persistent(host: PubSubHost) -> None:
    host.publish("a", b"1", options=RETAIN, persistence=1)
    host.publish("b", b"2", options=RETAIN, persistence=0)
    host.restart()
    assert host.bodies(host.subscribe("#")) == [b"1"]
    host.publish("a", b"3", options=RETAIN, persistence=1)
    assert host.depth(RETAINED_QUEUE) == 1


def test_of_two_that_a_crash_left_the_later_counts(host: PubSubHost) -> None:
    host.publish("a", b"old", options=RETAIN, persistence=1, priority=9)
    host.hold = True
    host.publish("a", b"new", options=RETAIN, persistence=1, priority=0)
    pending = host.queue_manager.take_commits()
    host.store.commit([each.operations for each in pending])
    host.hold = False
    host.restart()
    assert host.depth(RETAINED_QUEUE) == 1
    assert host.bodies(host.subscribe("a")) == [b"new"]


def test_two_units_of_work_retain_for_one_topic(host: PubSubHost) -> None:
    host.publish("a", b"0", options=RETAIN)
    first, second = host.begin(), host.begin()
    host.publish("a", b"1", first, options=RETAIN)
    host.publish("a", b"2", second, options=RETAIN)
    assert host.bodies(host.subscribe("a")) == [b"0"]
    host.commit(second)
    assert host.bodies(host.subscribe("a")) == [b"2"]
    host.commit(first)
    assert host.bodies(host.subscribe("a")) == [b"1"]
    assert host.depth(RETAINED_QUEUE) == 1


def test_retained_publications_expire(host: PubSubHost) -> None:
    host.publish("a", b"1", options=RETAIN, persistence=1, expiry=600)
    host.now += 20
    (message,) = host.messages(host.subscribe("a"))
    assert message.md.expiry == 400
    host.now += 40
    assert host.bodies(host.subscribe("a")) == []
    assert host.bodies(host.subscribe("#")) == []
    host.queue_manager.timeout(host.now)
    host.pump()
    assert host.depth(RETAINED_QUEUE) == 0
    assert host.bodies(host.subscribe("#")) == []


@pytest.mark.spec("mqi.md 17")
def test_new_publications_only(host: PubSubHost) -> None:
    host.publish("a", b"1", options=RETAIN)
    handle = host.subscribe("a", NON_DURABLE | MQSO.NEW_PUBLICATIONS_ONLY)
    host.publish("a", b"2")
    assert host.bodies(handle) == [b"2"]


@pytest.mark.spec("mqi.md 17")
@pytest.mark.spec("client-observed.md O-069")
def test_publications_on_request(host: PubSubHost) -> None:
    host.publish("a/1", b"1", options=RETAIN)
    handle = host.subscribe("a/+", NON_DURABLE | MQSO.PUBLICATIONS_ON_REQUEST)
    host.publish("a/2", b"2", options=RETAIN)
    host.publish("a/3", b"3")
    assert host.bodies(handle) == []
    assert host.request(handle) == 2
    assert sorted(host.bodies(handle)) == [b"1", b"2"]
    assert host.request(host.subscribe("a/1")) == 1
    assert reason_of(host.request, host.subscribe("b")) == MQRC.NO_RETAINED_MSG


def test_refusals_of_a_request(host: PubSubHost) -> None:
    host.publish("a", options=RETAIN)
    handle = host.subscribe("a")
    assert reason_of(host.request, handle, 2) == MQRC.ACTION_ERROR
    assert reason_of(host.request, handle, 1, 1) == MQRC.OPTIONS_ERROR
    host.close(handle)
    assert reason_of(host.request, handle) == MQRC.HOBJ_ERROR


def test_selectors_choose_among_retained_publications(host: PubSubHost) -> None:
    for priority in range(10):
        host.publish(f"a/{priority}", b"%d" % priority, options=RETAIN, priority=priority)
    assert sorted(host.bodies(host.subscribe("a/#", selection="JMSPriority > 7"))) == [b"8", b"9"]


def test_a_destination_that_cannot_take_them(host: PubSubHost) -> None:
    host.publish("a", b"1", options=RETAIN)
    host.publish("b", b"2", options=RETAIN)
    queue = host.queue_manager.open(host.local("Q", MAXDEPTH=1), options=MQOO.OUTPUT, owner=b"1", now=host.now)
    options = int(MQSO.CREATE)
    before = len(host.objects)
    assert reason_of(host.subscribe, "#", options, destination=queue) == MQRC.RETAINED_NOT_DELIVERED
    assert host.depth("Q") == 0
    assert len(host.objects) == before
    handle = host.subscribe("#", options | MQSO.NEW_PUBLICATIONS_ONLY, destination=queue)
    assert reason_of(host.request, handle) == MQRC.RETAINED_NOT_DELIVERED
    assert host.depth("Q") == 0
    host.alter_manager(DEADQ=host.local("DLQ"))
    assert host.request(handle) == 2
    assert (host.depth("Q"), host.depth("DLQ")) == (1, 1)


def test_a_durable_subscription_and_what_it_is_given_at_once_are_one_transaction(host: PubSubHost) -> None:
    host.publish("a", b"1", options=RETAIN, persistence=1)
    host.hold = True
    outcomes: list[Any] = []
    from mqbridge.bridge.queue_manager.pubsub import SubscriptionRequest

    request = SubscriptionRequest(DURABLE, object_string="a", name="D")
    on_complete(host.pubsub.subscribe(request, owner=b"1", now=host.now).pending, outcomes.append)
    (pending,) = host.queue_manager.take_commits()
    kinds = [type(operation).__name__ for operation in pending.operations]
    assert kinds == ["AddMessage", "PutRecord", "PutRecord"]
    host.store.commit([pending.operations])
    host.hold = False
    host.restart()
    assert host.depth(host.pubsub.subscription("D").destination[0]) == 1


@pytest.mark.spec("mqi.md 17")
def test_without_the_queue_nothing_is_retained(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    host.publish("a", b"0", options=RETAIN, persistence=1)
    host.delete(Kind.QLOCAL, RETAINED_QUEUE)
    assert reason_of(host.publish, "a", b"1", options=RETAIN) == MQRC.PUT_NOT_RETAINED
    assert host.bodies(host.subscribe("#")) == []
    on_complete(host.pubsub.clear_retained("#", host.now)[1], host.then())
    assert host.outcomes == [None]
    host.local(RETAINED_QUEUE)
    host.publish("a", b"2", options=RETAIN)
    assert host.bodies(host.subscribe("a")) == [b"2"]
    assert host.bodies(handle) == [b"0", b"2"]
    host.alter(Kind.QLOCAL, RETAINED_QUEUE, PUT="DISABLED")
    assert reason_of(host.publish, "a", options=RETAIN) == MQRC.PUT_NOT_RETAINED


def test_messages_of_others_on_the_queue_are_passed_over(host: PubSubHost) -> None:
    host.put(RETAINED_QUEUE, b"not a publication", persistence=1)
    host.restart()
    assert host.bodies(host.subscribe("#")) == []
    assert host.depth(RETAINED_QUEUE) == 1
