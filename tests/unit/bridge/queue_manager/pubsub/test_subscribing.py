from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub import SubscriptionRequest
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQCO, MQOO, MQPMO, MQRC, MQSO
from support.queue_manager.pubsub_host import (
    ALICE,
    BOB,
    DURABLE,
    JMS_DURABLE,
    JMS_SHARED,
    JMS_UNSUBSCRIBE,
    NON_DURABLE,
    PubSubHost,
    reason_of,
)

RESUME = int(MQSO.RESUME | MQSO.MANAGED | MQSO.DURABLE)
ALTER = int(MQSO.ALTER | MQSO.MANAGED | MQSO.DURABLE)
ID = bytes(range(24))


@pytest.mark.spec("mqi.md 17")
@pytest.mark.parametrize(
    ("options", "fields", "reason"),
    [
        (MQSO.MANAGED, {}, MQRC.OPTIONS_ERROR),
        (NON_DURABLE | 0x400, {}, MQRC.OPTIONS_ERROR),
        (NON_DURABLE | MQSO.FIXED_USERID | MQSO.ANY_USERID, {}, MQRC.OPTIONS_ERROR),
        (NON_DURABLE | MQSO.WILDCARD_CHAR | MQSO.WILDCARD_TOPIC, {}, MQRC.OPTIONS_ERROR),
        (NON_DURABLE | MQSO.READ_AHEAD | MQSO.NO_READ_AHEAD, {}, MQRC.OPTIONS_ERROR),
        (NON_DURABLE | MQSO.GROUP_SUB, {}, MQRC.OPTIONS_ERROR),
        (MQSO.CREATE | MQSO.GROUP_SUB, {}, MQRC.OPTIONS_ERROR),
        (NON_DURABLE | MQSO.SET_CORREL_ID, {}, MQRC.OPTIONS_ERROR),
        (DURABLE, {}, MQRC.SUB_NAME_ERROR),
        (RESUME, {}, MQRC.SUB_NAME_ERROR),
        (NON_DURABLE, {"name": "x" * 10_241}, MQRC.SUB_NAME_ERROR),
        (NON_DURABLE, {"name": "a\nb"}, MQRC.SUB_NAME_ERROR),
        (NON_DURABLE, {"user_data": "x" * 10_241}, MQRC.SUB_USER_DATA_ERROR),
        (NON_DURABLE, {"level": 10}, MQRC.SD_ERROR),
        (NON_DURABLE, {"expiry": 0}, MQRC.EXPIRY_ERROR),
        (NON_DURABLE, {"priority": 10}, MQRC.PRIORITY_ERROR),
        (NON_DURABLE, {"priority": -2}, MQRC.PRIORITY_ERROR),
        (NON_DURABLE, {"selection": "x" * 10_241}, MQRC.SELECTION_STRING_ERROR),
        (NON_DURABLE, {"selection": "a = "}, MQRC.SELECTION_NOT_AVAILABLE),
        (NON_DURABLE, {"selection": "1 = 2"}, MQRC.SELECTOR_ALWAYS_FALSE),
        (NON_DURABLE, {"topic": "", "object_name": "NONE"}, MQRC.UNKNOWN_OBJECT_NAME),
        (NON_DURABLE, {"topic": ""}, MQRC.TOPIC_STRING_ERROR),
        (NON_DURABLE, {"topic": "", "object_name": "SYSTEM.BASE.TOPIC"}, MQRC.TOPIC_STRING_ERROR),
        (NON_DURABLE, {"topic": "x" * 10_241}, MQRC.OBJECT_STRING_ERROR),
        (NON_DURABLE, {"topic": "x" * 10_240, "object_name": "DEV.BASE.TOPIC"}, MQRC.TOPIC_STRING_ERROR),
        (MQSO.CREATE, {}, MQRC.HOBJ_ERROR),
        (RESUME, {"name": "none"}, MQRC.NO_SUBSCRIPTION),
        (ALTER, {"name": "none"}, MQRC.NO_SUBSCRIPTION),
    ],
)
def test_refusals_of_a_request(host: PubSubHost, options: int, fields: dict[str, Any], reason: int) -> None:
    before = len(host.objects)
    topic = fields.pop("topic", "a")
    assert reason_of(host.subscribe, topic, int(options), **fields) == reason
    assert len(host.objects) == before
    assert host.queue_manager.next_timeout() is None


@pytest.mark.parametrize("topic", ["x" * 10_240, "/" * 10_240, "+/" * 5_119 + "#"], ids=["text", "levels", "wild"])
def test_the_longest_topic_string(host: PubSubHost, topic: str) -> None:
    handle = host.subscribe(topic)
    published = topic.replace("+", "a").replace("#", "b")
    host.publish(published, b"x")
    assert host.bodies(handle) == [b"x"]
    host.close(handle)


@pytest.mark.spec("mqi.md 17")
def test_the_managed_queue_comes_and_goes_with_a_non_durable_subscription(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    queue = handle.queue_handle.object_name  # type: ignore[union-attr]
    assert queue.startswith("SYSTEM.MANAGED.NDURABLE.")
    assert handle.queue_handle.inputs  # type: ignore[union-attr]
    assert handle.subscription.correl_id != bytes(24)
    host.close(handle)
    assert host.objects.queue(queue) is None
    assert host.objects.select(Kind.SUB) == [host.objects.find(Kind.SUB, "SYSTEM.DEFAULT.SUB")]
    host.publish("a")


def test_a_managed_queue_stays_while_it_is_open(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    queue_handle: Any = handle.queue_handle
    host.publish("a", b"1")
    host.close(handle, both=False)
    assert host.objects.queue(queue_handle.object_name) is not None
    host.publish("a", b"2")
    assert host.bodies(handle) == [b"1"]
    host.queue_manager.close(queue_handle, 0, host.now)
    assert host.objects.queue(queue_handle.object_name) is None


def test_a_connection_that_ends_closes_its_subscriptions(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    handle.close_at_end(host.now)
    handle.close_at_end(host.now)
    assert handle.closed
    assert handle.subscription.deleted


@pytest.mark.spec("client-observed.md O-070")
def test_what_jms_does_with_a_durable_subscription(host: PubSubHost) -> None:
    name = "JMS:EARTH:cid1:dur1"
    first = host.subscribe("news/sport", JMS_DURABLE, name=name, replaces=True)
    host.publish("news/sport", b"1", persistence=1)
    assert host.bodies(first) == [b"1"]
    assert reason_of(host.subscribe, "news/sport", JMS_DURABLE, name=name, replaces=True) == MQRC.SUBSCRIPTION_IN_USE
    host.close(first)
    host.publish("news/sport", b"2", persistence=1)
    host.restart()
    again = host.subscribe("news/sport", JMS_DURABLE, name=name, replaces=True, application=BOB)
    assert host.bodies(again) == [b"2"]
    host.close(again)
    host.publish("news/sport", b"lost", persistence=1)
    other = host.subscribe("news/sport", JMS_DURABLE, name=name, replaces=True, selection="colour = 'red'")
    assert host.bodies(other) == []
    assert len(host.objects.select(Kind.SUB)) == 2
    assert reason_of(host.subscribe, "", JMS_UNSUBSCRIBE, name=name, open_options=2) == MQRC.SUBSCRIPTION_IN_USE
    host.close(other)
    ending = host.subscribe("", JMS_UNSUBSCRIBE, name=name, open_options=2)
    host.close(ending, MQCO.REMOVE_SUB, both=False)
    assert reason_of(host.subscribe, "", JMS_UNSUBSCRIBE, name=name, open_options=2) == MQRC.NO_SUBSCRIPTION
    host.restart()
    assert not host.objects.select(Kind.QLOCAL, generic="SYSTEM.MANAGED.DURABLE.*")
    assert len(host.objects.select(Kind.SUB)) == 1


@pytest.mark.spec("client-observed.md O-070")
def test_a_shared_subscription_shares_its_queue_and_ends_with_its_last_handle(host: PubSubHost) -> None:
    name = "JMS:ND:EARTH::sh1"
    first = host.subscribe("a", JMS_SHARED, name=name, shared=True, replaces=True)
    second = host.subscribe("a", JMS_SHARED, name=name, shared=True, replaces=True, owner=b"other")
    assert first.subscription is second.subscription
    host.publish("a", b"1")
    host.publish("a", b"2")
    assert host.bodies(second) == [b"1", b"2"]
    assert reason_of(host.subscribe, "a", JMS_SHARED, name=name) == MQRC.SUBSCRIPTION_IN_USE
    changed = reason_of(host.subscribe, "b", JMS_SHARED, name=name, shared=True, replaces=True)
    assert changed == MQRC.TOPIC_NOT_ALTERABLE
    assert reason_of(host.close, first, MQCO.REMOVE_SUB, both=False) == MQRC.SUBSCRIPTION_IN_USE
    host.close(first)
    host.publish("a", b"3")
    assert host.bodies(second) == [b"3"]
    host.close(second)
    assert second.subscription.deleted
    assert len(host.objects.select(Kind.QLOCAL, generic="SYSTEM.MANAGED*")) == 0


@pytest.mark.spec("mqi.md 17")
@pytest.mark.parametrize(
    ("options", "fields", "reason"),
    [
        (NON_DURABLE, {}, MQRC.SUB_ALREADY_EXISTS),
        (DURABLE, {}, MQRC.SUB_ALREADY_EXISTS),
        (MQSO.RESUME | MQSO.CREATE | MQSO.MANAGED, {}, MQRC.DURABILITY_NOT_ALTERABLE),
        (MQSO.RESUME | MQSO.CREATE | MQSO.DURABLE, {}, MQRC.DEST_CLASS_NOT_ALTERABLE),
        (MQSO.ALTER | MQSO.MANAGED, {}, MQRC.DURABILITY_NOT_ALTERABLE),
        (MQSO.ALTER | MQSO.DURABLE, {}, MQRC.DEST_CLASS_NOT_ALTERABLE),
        (MQSO.RESUME, {}, 0),
        (MQSO.RESUME | MQSO.MANAGED, {}, 0),
        (MQSO.RESUME | MQSO.DURABLE, {}, 0),
        (ALTER, {"level": 2}, MQRC.SUBLEVEL_NOT_ALTERABLE),
        (ALTER, {"shared": True}, MQRC.ALTER_SUB_ERROR),
        (ALTER, {"topic": "b"}, MQRC.TOPIC_NOT_ALTERABLE),
        (ALTER | MQSO.WILDCARD_CHAR, {"topic": "a"}, MQRC.TOPIC_NOT_ALTERABLE),
        (RESUME, {"topic": "b"}, MQRC.TOPIC_NOT_ALTERABLE),
        (ALTER, {"selection": "x = 1"}, MQRC.SELECTOR_NOT_ALTERABLE),
        (RESUME, {"selection": "x ="}, MQRC.SELECTOR_SYNTAX_ERROR),
        (RESUME, {"application": BOB}, MQRC.IDENTITY_MISMATCH),
        (ALTER | MQSO.ANY_USERID, {"application": BOB}, MQRC.IDENTITY_MISMATCH),
        (RESUME, {}, 0),
        (RESUME, {"topic": "a"}, 0),
        (RESUME | MQSO.CREATE, {"topic": "a"}, 0),
        (RESUME | MQSO.ALTER, {"topic": "a"}, 0),
        (ALTER | MQSO.CREATE, {"topic": "a"}, 0),
        (ALTER, {}, 0),
        (RESUME, {"level": 2}, 0),
    ],
)
def test_resuming_and_altering(host: PubSubHost, options: int, fields: dict[str, Any], reason: int) -> None:
    known = host.subscribe("a", DURABLE, name="D")
    assert reason_of(host.subscribe, "", int(options), name="D") == (
        MQRC.SUBSCRIPTION_IN_USE if options & (MQSO.RESUME | MQSO.ALTER) else MQRC.SUB_ALREADY_EXISTS
    )
    host.close(known)
    topic = fields.pop("topic", "")
    assert reason_of(host.subscribe, topic, int(options), name="D", **fields) == reason
    assert host.pubsub.subscription("D").topic == "a"


@pytest.mark.spec("mqi.md 17")
def test_resume_alone_gives_the_queue_that_the_subscription_has(host: PubSubHost) -> None:
    host.close(host.subscribe("a", DURABLE, name="D"))
    host.publish("a", b"managed")
    resumed = host.subscribe("", int(MQSO.RESUME), name="D")
    assert host.bodies(resumed) == [b"managed"]
    host.local("Q")
    queue = host.queue_manager.open("Q", options=MQOO.OUTPUT, owner=b"1", now=host.now)
    host.close(host.subscribe("b", int(MQSO.CREATE | MQSO.DURABLE), name="P", destination=queue))
    host.publish("b", b"provided")
    plain = host.subscribe("", int(MQSO.RESUME), name="P")
    assert plain.queue_handle is None
    host.close(plain)
    resumed = host.subscribe("", int(MQSO.RESUME | MQSO.MANAGED), name="P")
    assert host.bodies(resumed) == [b"provided"]
    host.close(resumed)
    host.queue_manager.close(queue, 0, host.now)
    host.delete(Kind.QLOCAL, "Q")
    assert reason_of(host.subscribe, "", int(MQSO.RESUME | MQSO.MANAGED), name="P") == MQRC.INVALID_DESTINATION
    assert reason_of(host.subscribe, "", int(MQSO.RESUME), name="P") == 0


def test_what_alter_alters_is_kept(host: PubSubHost) -> None:
    host.close(host.subscribe("a", DURABLE | MQSO.ANY_USERID, name="D", user_data="old"))
    options = int(ALTER | MQSO.PUBLICATIONS_ON_REQUEST | MQSO.SET_IDENTITY_CONTEXT | MQSO.FIXED_USERID)
    altered = host.subscribe(
        "",
        options,
        name="D",
        application=BOB,
        user_data="new",
        priority=5,
        expiry=36_000,
        accounting_token=b"token".ljust(32),
        appl_identity_data="ident",
    )
    host.close(altered)
    host.restart()
    known = host.pubsub.subscription("D")
    assert (known.user, known.any_user, known.user_data, known.priority) == ("bob", False, "new", 5)
    assert (known.request_only, known.accounting_token) == (True, b"token".ljust(32))
    assert known.appl_identity_data == "ident"
    assert known.expires_at is not None
    assert reason_of(host.subscribe, "", RESUME, name="D") == MQRC.IDENTITY_MISMATCH


def test_resuming_as_it_was_writes_nothing(host: PubSubHost) -> None:
    options = DURABLE | MQSO.ALTER
    host.close(host.subscribe("a", options, name="D"))
    host.hold = True
    host.queue_manager.take_commits()
    host.subscribe("a", options, name="D")
    assert host.queue_manager.take_commits() == []


def test_an_open_subscription_is_altered_by_its_handle(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    same = host.subscribe("", int(MQSO.ALTER | MQSO.MANAGED), handle=handle, user_data="late")
    assert same is handle
    host.publish("a", b"x")
    assert b"<Sud>late</Sud>" in host.messages(handle)[0].data
    assert reason_of(host.subscribe, "b", int(MQSO.ALTER | MQSO.MANAGED), handle=handle) == MQRC.TOPIC_NOT_ALTERABLE
    assert reason_of(host.subscribe, "", int(MQSO.RESUME | MQSO.MANAGED), handle=handle) == MQRC.OPTIONS_ERROR
    host.close(handle)
    assert reason_of(host.subscribe, "", int(MQSO.ALTER | MQSO.MANAGED), handle=handle) == MQRC.HOBJ_ERROR


@pytest.mark.spec("mqi.md 17")
def test_a_provided_destination(host: PubSubHost) -> None:
    host.local("Q")
    host.define(Kind.QALIAS, "A", TARGET="Q", DEFPRTY=3)
    queue = host.queue_manager.open("A", options=MQOO.OUTPUT, owner=b"1", now=host.now)
    options = int(MQSO.CREATE | MQSO.SET_CORREL_ID)
    handle = host.subscribe("a", options, destination=queue, correl_id=ID, priority=-1)
    assert handle.queue_handle is None
    host.publish("a", b"1", priority=7)
    (message,) = host.messages("Q")
    assert (message.md.correl_id, message.md.priority) == (ID, 3)
    host.queue_manager.close(queue, 0, host.now)
    host.publish("a", b"2")
    assert host.bodies("Q") == [b"2"]
    host.close(handle)
    host.publish("a", b"3")
    assert host.bodies("Q") == []
    assert reason_of(host.subscribe, "a", options, destination=queue) == MQRC.HOBJ_ERROR


def test_a_remote_destination(host: PubSubHost) -> None:
    host.transmission("MARS")
    host.define(Kind.QREMOTE, "R", RNAME="THERE", RQMNAME="MARS")
    for names, kept in ((("R", ""), ("R", "")), (("Q", "MARS"), ("Q", "MARS"))):
        queue = host.queue_manager.open(*names, options=MQOO.OUTPUT, owner=b"1", now=host.now)
        handle = host.subscribe("a", int(MQSO.CREATE), destination=queue)
        assert handle.subscription.destination == kept
    host.publish("a", b"x", persistence=1)
    assert host.depth("MARS") == 2


def test_destinations_that_cannot_be(host: PubSubHost) -> None:
    topic = host.pubsub.open_topic("", "t", options=MQOO.OUTPUT, owner=b"1", now=host.now)
    create = int(MQSO.CREATE)
    assert reason_of(host.subscribe, "a", create, destination=topic) == MQRC.INVALID_DESTINATION
    model = "SYSTEM.DEFAULT.MODEL.QUEUE"
    temporary = host.queue_manager.open(model, options=MQOO.INPUT_SHARED, owner=b"1", now=host.now)
    durable = int(MQSO.CREATE | MQSO.DURABLE)
    assert reason_of(host.subscribe, "a", durable, destination=temporary, name="D") == MQRC.INVALID_DESTINATION
    assert reason_of(host.subscribe, "a", create, destination=temporary) == 0


def test_alter_gives_another_destination(host: PubSubHost) -> None:
    first = host.queue_manager.open(host.local("Q1"), options=MQOO.OUTPUT, owner=b"1", now=host.now)
    second = host.queue_manager.open(host.local("Q2"), options=MQOO.OUTPUT, owner=b"1", now=host.now)
    host.close(host.subscribe("a", int(MQSO.CREATE | MQSO.DURABLE), name="D", destination=first))
    host.close(host.subscribe("", int(MQSO.RESUME | MQSO.DURABLE), name="D"))
    host.publish("a", b"1")
    host.close(host.subscribe("", int(MQSO.ALTER | MQSO.DURABLE), name="D", destination=second))
    host.publish("a", b"2")
    assert (host.bodies("Q1"), host.bodies("Q2")) == ([b"1"], [b"2"])


def test_topics_that_do_not_allow_it(host: PubSubHost) -> None:
    host.define(Kind.TOPIC, "CLOSED", TOPICSTR="closed", SUB="DISABLED")
    host.define(Kind.TOPIC, "FLEETING", TOPICSTR="fleeting", DURSUB="NO")
    assert reason_of(host.subscribe, "closed/x") == MQRC.SUB_INHIBITED
    assert reason_of(host.subscribe, "fleeting/x", DURABLE, name="D") == MQRC.DURABILITY_NOT_ALLOWED
    assert reason_of(host.subscribe, "fleeting/x") == 0
    host.define(Kind.TOPIC, "M1", TOPICSTR="m1", MNDURMDL="NONE")
    host.define(Kind.TOPIC, "M2", TOPICSTR="m2", MNDURMDL=host.local("LOCAL"))
    assert reason_of(host.subscribe, "m1") == MQRC.UNKNOWN_OBJECT_NAME
    assert reason_of(host.subscribe, "m2") == MQRC.Q_TYPE_ERROR


def test_a_topics_own_model_queue(host: PubSubHost) -> None:
    host.define(Kind.QMODEL, "MODEL", DEFTYPE="PERMDYN", MAXDEPTH=7)
    host.define(Kind.TOPIC, "T", TOPICSTR="t", MDURMDL="MODEL")
    handle = host.subscribe("", DURABLE, name="D", object_name="T")
    assert handle.queue_handle.target.queue.max_depth == 7  # type: ignore[union-attr]


@pytest.mark.spec("mqi.md 3")
@pytest.mark.parametrize(
    ("options", "durable", "reason"),
    [
        (MQCO.NONE, True, 0),
        (MQCO.KEEP_SUB, True, 0),
        (MQCO.REMOVE_SUB, True, 0),
        (MQCO.QUIESCE, True, 0),
        (MQCO.NONE, False, 0),
        (MQCO.REMOVE_SUB, False, 0),
        (MQCO.KEEP_SUB, False, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        (MQCO.KEEP_SUB | MQCO.REMOVE_SUB, True, MQRC.OPTIONS_ERROR),
        (MQCO.DELETE, True, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        (MQCO.DELETE_PURGE, False, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        (0x1000, True, MQRC.OPTIONS_ERROR),
    ],
)
def test_close_options(host: PubSubHost, options: int, durable: bool, reason: int) -> None:
    handle = host.subscribe("a", DURABLE if durable else NON_DURABLE, name="D")
    assert reason_of(host.close, handle, int(options), both=False) == reason
    assert handle.closed is (reason == 0)
    stays = bool(reason) or (durable and not options & MQCO.REMOVE_SUB)
    assert (host.pubsub.subscription("D") is not None) is stays
    if not reason:
        assert reason_of(host.close, handle, both=False) == MQRC.HOBJ_ERROR


def test_removing_drops_what_is_being_got(host: PubSubHost) -> None:
    handle = host.subscribe("a", DURABLE, name="D")
    host.publish("a", b"1", persistence=1)
    host.publish("a", b"2", persistence=1)
    unit, putting = host.begin(), host.begin()
    assert host.got(handle.subscription.destination[0], unit).md.persistence == 1
    host.publish("a", b"3", putting, persistence=1)
    host.close(handle, MQCO.REMOVE_SUB)
    host.commit(unit)
    host.commit(putting)
    assert host.outcomes == [None, None]
    host.restart()
    assert host.logged() == []


def test_a_subscription_removed_in_use_leaves_no_queue_after_a_restart(host: PubSubHost) -> None:
    handle = host.subscribe("a", DURABLE, name="D")
    host.close(handle, MQCO.REMOVE_SUB, both=False)
    assert host.objects.select(Kind.QLOCAL, generic="SYSTEM.MANAGED.DURABLE.*")
    host.restart()
    host.restart()
    assert not host.objects.select(Kind.QLOCAL, generic="SYSTEM.MANAGED.DURABLE.*")


@pytest.mark.spec("mqi.md 17")
def test_expiry(host: PubSubHost) -> None:
    host.now = float(int(host.now))
    handle = host.subscribe("a", DURABLE, name="D", expiry=600)
    host.subscribe("a", DURABLE, name="E")
    assert host.queue_manager.next_timeout() == host.now + 60
    host.close(handle)
    host.restart(after=50)
    host.publish("a", persistence=1)
    assert host.pubsub.subscription("D").messages == 1
    host.now += 10
    host.publish("a", persistence=1)
    assert host.pubsub.subscription("D").messages == 1
    host.queue_manager.timeout(host.now)
    host.pump()
    assert host.pubsub.subscription("D") is None
    assert host.queue_manager.next_timeout() is None
    host.restart()
    assert host.pubsub.subscription("D") is None
    assert host.pubsub.subscription("E") is not None


def test_an_expired_name_is_free(host: PubSubHost) -> None:
    host.close(host.subscribe("a", DURABLE, name="D", expiry=10))
    host.now += 5
    assert reason_of(host.subscribe, "", RESUME, name="D") == MQRC.NO_SUBSCRIPTION
    host.close(host.subscribe("b", DURABLE, name="D", expiry=10))
    host.now += 5
    assert host.subscribe("c", DURABLE, name="D").subscription.topic == "c"


def test_the_answer_comes_when_the_subscription_is_on_disk(host: PubSubHost) -> None:
    outcomes: list[Any] = []
    host.hold = True
    request = SubscriptionRequest(DURABLE, object_string="a", name="D", application=ALICE)
    handle, pending = host.pubsub.subscribe(request, owner=b"1", now=host.now)
    on_complete(pending, outcomes.append)
    assert outcomes == []
    host.hold = False
    host.pump()
    assert outcomes == [None]
    assert not handle.closed


@pytest.mark.parametrize("replacing", [False, True])
def test_a_subscription_that_cannot_be_stored_is_not_there(host: PubSubHost, replacing: bool) -> None:
    host.publish("a", b"kept", options=MQPMO.RETAIN, persistence=1)
    if replacing:
        host.close(host.subscribe("b", JMS_DURABLE, name="D"))
    before = {each.name for each in host.objects}
    host.store.failure = StoreFull("no room")
    outcomes: list[Any] = []
    request = SubscriptionRequest(JMS_DURABLE, object_string="a", name="D", application=ALICE, replaces=True)
    handle, pending = host.pubsub.subscribe(request, owner=b"1", now=host.now)
    on_complete(pending, outcomes.append)
    host.pump()
    host.store.failure = None
    assert [error.reason for error in outcomes] == [MQRC.Q_SPACE_NOT_AVAILABLE]
    assert handle.closed
    assert {each.name for each in host.objects} == before
    if replacing:
        assert host.pubsub.subscription("D").topic == "b"
        host.publish("b", b"x", persistence=1)
        assert host.bodies(host.subscribe("", RESUME, name="D")) == [b"x"]


def test_quiescing(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    host.queue_manager.quiesce()
    assert reason_of(host.subscribe, "a", NON_DURABLE | MQSO.FAIL_IF_QUIESCING) == MQRC.Q_MGR_QUIESCING
    assert reason_of(host.subscribe, "a") == 0
    assert reason_of(host.request, handle, 1, 0x2000) == MQRC.Q_MGR_QUIESCING
    options = int(MQOO.OUTPUT | MQOO.FAIL_IF_QUIESCING)
    assert reason_of(host.pubsub.open_topic, "", "a", options=options, owner=b"1", now=host.now) == MQRC.Q_MGR_QUIESCING


@pytest.mark.spec("mqi.md 17")
def test_subscriptions_of_one_group_get_one_copy(host: PubSubHost) -> None:
    queue = host.queue_manager.open(host.local("Q"), options=MQOO.OUTPUT, owner=b"1", now=host.now)
    options = int(MQSO.CREATE | MQSO.SET_CORREL_ID | MQSO.GROUP_SUB)
    for topic in ("a/#", "a/b", "a/+"):
        host.subscribe(topic, options, destination=queue, correl_id=ID)
    assert reason_of(host.subscribe, "a/b", options, destination=queue, correl_id=ID) == MQRC.DUPLICATE_GROUP_SUB
    host.subscribe("a/b", options, destination=queue, correl_id=bytes(24))
    host.subscribe("a/b", int(MQSO.CREATE | MQSO.SET_CORREL_ID), destination=queue, correl_id=ID)
    host.publish("a/b", b"x")
    assert sorted(message.md.correl_id for message in host.messages("Q")) == [bytes(24), ID, ID]
