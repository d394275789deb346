from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub.retained import RETAINED_QUEUE
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQAT, MQCO, MQOO, MQPMO, MQRC, MQRO, MQSO, ByteOrder
from mqbridge.protocol.structures import parse_dlh
from support.queue_manager.pubsub_host import ALICE, DURABLE, NON_DURABLE, PubSubHost, body_of, reason_of, topic_of


def provided(host: PubSubHost, queue: str, topic: str, **fields: Any) -> Any:
    handle = host.queue_manager.open(queue, options=MQOO.OUTPUT, owner=b"1", now=host.now)
    options = int(MQSO.CREATE | (MQSO.DURABLE if "name" in fields else 0))
    try:
        return host.subscribe(topic, options, destination=handle, **fields)
    finally:
        host.queue_manager.close(handle, 0, host.now)


@pytest.mark.spec("mqi.md 17")
def test_what_a_subscriber_gets(host: PubSubHost) -> None:
    handle = host.subscribe("news/#", user_data="about sport")
    host.now += 1.25
    _, published = host.publish(
        "news/sport",
        b"hello",
        format="MQSTR",
        msg_type=1,
        reply_to_q="REPLY",
        report=int(MQRO.COA | MQRO.PASS_MSG_ID),
        correl_id=b"c" * 24,
        priority=5,
        expiry=600,
        put_appl_name="me",
    )
    (message,) = host.messages(handle)
    md = message.md
    assert topic_of(message) == "news/sport"
    assert body_of(message) == b"hello"
    assert b"<Sud>about sport</Sud>" in message.data
    assert b"<Ret" not in message.data
    assert (md.correl_id, len(md.msg_id)) == (handle.subscription.correl_id, 24)
    assert md.msg_id != published.md.msg_id != bytes(24)
    assert published.md.correl_id == b"c" * 24
    assert (md.msg_type, md.priority, md.expiry, md.persistence) == (1, 5, 600, 0)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("REPLY", "EARTH")
    assert md.report == MQRO.PASS_MSG_ID
    assert (md.put_appl_type, md.put_appl_name) == (MQAT.QMGR_PUBLISH, "EARTH")
    assert (md.put_date, md.put_time) == ("20270115", "08000125")
    assert md.user_identifier == "alice"
    assert len(host.bodies(host.local("REPLY"))) == 0


def test_a_publication_of_another_form_is_passed_on(host: PubSubHost) -> None:
    handle = host.subscribe("a", appl_identity_data="x", options=NON_DURABLE | MQSO.SET_IDENTITY_CONTEXT)
    topic = host.pubsub.open_topic("", "a", options=MQOO.OUTPUT, owner=b"1", now=host.now)
    message = Message.build(
        b"text", order=ByteOrder.BIG, ccsid=500, encoding=273, coded_char_set_id=500, format="MQSTR"
    )
    host.queue_manager.put(topic.target, message, PutOptions(application=ALICE), None, host.now)
    host.pump()
    (got,) = host.messages(handle)
    assert (got.order, got.ccsid, got.md.encoding) == (ByteOrder.BIG, 500, 273)
    assert (got.md.put_appl_name, got.md.appl_identity_data, got.md.format) == ("EARTH", "x", "MQHRF2")
    assert (topic_of(got), body_of(got)) == ("a", b"text")


@pytest.mark.spec("mqi.md 17")
def test_no_subscriber_is_no_error(host: PubSubHost) -> None:
    assert host.publish("a")[0] == 0
    assert host.publish("a", options=MQPMO.WARN_IF_NO_SUBS_MATCHED)[0] == MQRC.NO_SUBS_MATCHED
    host.subscribe("a")
    assert host.publish("a", options=MQPMO.WARN_IF_NO_SUBS_MATCHED)[0] == 0


def test_wildcards_in_a_publication_are_characters(host: PubSubHost) -> None:
    everything, level, plain = host.subscribe("#"), host.subscribe("a/+"), host.subscribe("a/x")
    host.publish("a/#", b"1")
    host.publish("a/+", b"2")
    assert host.bodies(everything) == [b"1", b"2"]
    assert host.bodies(level) == [b"1", b"2"]
    assert host.bodies(plain) == []


@pytest.mark.spec("mqi.md 16.1")
def test_a_publication_in_a_unit_of_work_counts_from_its_commit_on(host: PubSubHost) -> None:
    handle = host.subscribe("a")
    unit = host.begin()
    host.publish("a", b"1", unit)
    host.publish("b", b"no one", unit)
    assert host.bodies(handle) == []
    host.commit(unit)
    assert host.bodies(handle) == [b"1"]
    unit = host.begin()
    host.publish("a", b"2", unit, options=MQPMO.RETAIN)
    host.backout(unit)
    assert host.bodies(handle) == []
    assert host.bodies(host.subscribe("#")) == []


def test_the_put_is_answered_when_it_is_on_disk(host: PubSubHost) -> None:
    host.subscribe("a", DURABLE, name="D")
    outcomes: list[Any] = []
    host.publish("nobody", persistence=1, then=outcomes.append)
    assert outcomes == [None]
    host.hold = True
    host.publish("a", persistence=1, then=outcomes.append)
    assert outcomes == [None]
    host.hold = False
    host.pump()
    assert outcomes == [None, None]
    host.store.failure = StoreFull("no room")
    host.publish("a", persistence=1, then=outcomes.append)
    host.store.failure = None
    assert outcomes[2].reason == MQRC.Q_SPACE_NOT_AVAILABLE
    assert host.depth(host.pubsub.subscription("D").destination[0]) == 1


def test_persistent_publications_on_temporary_queues_are_not_persistent(host: PubSubHost) -> None:
    durable, other = host.subscribe("a", DURABLE, name="D"), host.subscribe("a")
    host.publish("a", persistence=1)
    assert host.messages(durable)[0].md.persistence == 1
    assert host.messages(other)[0].md.persistence == 0


@pytest.mark.spec("mqi.md 17")
def test_defaults_of_the_topic_and_of_an_alias(host: PubSubHost) -> None:
    handle = host.subscribe("t/#", DURABLE, name="D")
    host.define(Kind.TOPIC, "T", TOPICSTR="t", DEFPRTY=4, DEFPSIST="YES", CAPEXPRY=50)
    host.define(Kind.QALIAS, "A", TARGET="T", TARGTYPE="TOPIC", DEFPRTY=2)
    _, published = host.publish("t/x", priority=-1, persistence=2)
    host.put("A", b"by alias", priority=-1, persistence=2, expiry=40)
    first, second = (message.md for message in host.messages(handle))
    assert (published.md.priority, published.md.persistence, published.md.expiry) == (4, 1, 50)
    assert (first.priority, first.persistence, first.expiry) == (4, 1, 50)
    assert (second.priority, second.persistence, second.expiry) == (2, 0, 40)


@pytest.mark.spec("mqi.md 17")
@pytest.mark.spec("channels.md 12.1")
def test_an_alias_queue_of_a_topic(host: PubSubHost) -> None:
    handle = host.subscribe("#")
    host.define(Kind.TOPIC, "T", TOPICSTR="t")
    host.define(Kind.QALIAS, "A", TARGET="T", TARGTYPE="TOPIC")
    host.put("A", b"1")
    queue = host.queue_manager.open("A", options=MQOO.OUTPUT, owner=b"me", now=host.now)
    host.queue_manager.put(queue.target, Message.build(b"2"), PutOptions(), None, host.now)
    target = host.queue_manager.resolve("A")
    host.queue_manager.put(target, Message.build(b"3"), PutOptions(direct=True), None, host.now)
    assert [(topic_of(each), body_of(each)) for each in host.messages(handle)] == [
        ("t", b"1"),
        ("t", b"2"),
        ("t", b"3"),
    ]
    for options in (MQOO.INPUT_SHARED, MQOO.BROWSE, MQOO.SET):
        opened = reason_of(host.queue_manager.open, "A", options=options, owner=b"1", now=host.now)
        assert opened == MQRC.OPTION_NOT_VALID_FOR_TYPE
    assert reason_of(host.queue_manager.close, queue, MQCO.DELETE, host.now) == MQRC.OPTION_NOT_VALID_FOR_TYPE
    host.alter(Kind.QALIAS, "A", PUT="DISABLED")
    assert reason_of(host.put, "A") == MQRC.PUT_INHIBITED
    assert reason_of(host.queue_manager.put, queue.target, Message.build(), PutOptions(), None, host.now)
    host.alter(Kind.QALIAS, "A", PUT="ENABLED")
    host.delete(Kind.TOPIC, "T")
    assert reason_of(host.put, "A") == MQRC.UNKNOWN_ALIAS_BASE_Q


def test_a_destination_that_publishes_again_fails(host: PubSubHost) -> None:
    host.local("Q")
    provided(host, "Q", "t")
    host.define(Kind.TOPIC, "T", TOPICSTR="t")
    host.delete(Kind.QLOCAL, "Q")
    host.define(Kind.QALIAS, "Q", TARGET="T", TARGTYPE="TOPIC")
    assert host.publish("t")[0] == 0


@pytest.mark.spec("mqi.md 17")
def test_topics_that_do_not_allow_it(host: PubSubHost) -> None:
    host.define(Kind.TOPIC, "T", TOPICSTR="t", PUB="DISABLED")
    host.define(Kind.TOPIC, "U", TOPICSTR="t/u", PUB="ENABLED")
    assert reason_of(host.publish, "t/x") == MQRC.PUT_INHIBITED
    assert reason_of(host.publish, "t/u/x") == 0
    host.alter(Kind.TOPIC, "T", PUB="ASPARENT")
    assert reason_of(host.publish, "t/x") == 0
    host.alter_manager(MAXMSGL=40_000)
    assert reason_of(host.publish, "t", bytes(40_001)) == MQRC.MSG_TOO_BIG_FOR_Q_MGR
    assert reason_of(host.publish, "t", encoding=0, expiry=0) == MQRC.EXPIRY_ERROR
    both = int(MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT)
    assert reason_of(host.publish, "t", options=both) == MQRC.OPTIONS_ERROR


@pytest.mark.parametrize(
    ("name", "string", "options", "reason"),
    [
        ("", "", MQOO.OUTPUT, MQRC.TOPIC_STRING_ERROR),
        ("NONE", "", MQOO.OUTPUT, MQRC.UNKNOWN_OBJECT_NAME),
        ("", "x" * 10_241, MQOO.OUTPUT, MQRC.OBJECT_STRING_ERROR),
        ("", "a", MQOO.FAIL_IF_QUIESCING, MQRC.OPTIONS_ERROR),
        ("", "a", MQOO.INPUT_SHARED, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        ("", "a", MQOO.OUTPUT | MQOO.BROWSE, MQRC.OPTION_NOT_VALID_FOR_TYPE),
        ("", "a", MQOO.INQUIRE, 0),
        ("DEV.BASE.TOPIC", "", MQOO.OUTPUT, 0),
        ("DEV.BASE.TOPIC", "x", MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT, 0),
    ],
)
def test_opening_topics(host: PubSubHost, name: str, string: str, options: int, reason: int) -> None:
    assert reason_of(host.pubsub.open_topic, name, string, options=options, owner=b"1", now=host.now) == reason


FULL = {"MAXDEPTH": 0}


@pytest.mark.spec("mqi.md 17")
@pytest.mark.parametrize("persistent", [0, 1])
@pytest.mark.parametrize(
    ("rule", "durable_fails", "fails"),
    [
        ("ALL", True, True),
        ("ALL", False, True),
        ("ALLDUR", True, True),
        ("ALLDUR", False, False),
        ("ALLAVAIL", True, False),
        ("ALLAVAIL", False, False),
    ],
)
def test_delivery_rules(host: PubSubHost, rule: str, durable_fails: bool, fails: bool, persistent: int) -> None:
    keyword = "PMSGDLV" if persistent else "NPMSGDLV"
    host.define(Kind.TOPIC, "T", TOPICSTR="t", **{keyword: rule})
    host.local("GOOD")
    host.local("FULL", **FULL)
    provided(host, "GOOD", "t", name="G")
    failing = provided(host, "FULL", "t", **({"name": "D"} if durable_fails else {}))
    host.local("LAST")
    provided(host, "LAST", "t")
    unit = host.begin()
    expected = MQRC.PUBLICATION_FAILURE if fails else 0
    assert reason_of(host.publish, "t", b"x", unit, persistence=persistent, options=MQPMO.RETAIN) == expected
    host.put("GOOD", b"other", unit)
    host.commit(unit)
    got = [] if fails else [b"x"]
    assert host.bodies("GOOD") == [*got, b"other"]
    assert host.bodies("LAST") == got
    assert host.bodies(host.subscribe("t")) == got
    assert failing.subscription.messages == 0
    assert host.depth("FULL") == 0
    assert host.queue_manager.queue("GOOD").uncommitted == 0  # type: ignore[union-attr]


@pytest.mark.spec("mqi.md 17")
@pytest.mark.spec("channels.md 7.3")
def test_the_dead_letter_queue_counts_as_delivery(host: PubSubHost) -> None:
    host.define(Kind.TOPIC, "T", TOPICSTR="t", PMSGDLV="ALL")
    host.define(Kind.TOPIC, "U", TOPICSTR="t/u", USEDLQ="NO")
    provided(host, host.local("FULL", **FULL), "t/#", name="D")
    assert reason_of(host.publish, "t", b"x", persistence=1) == MQRC.PUBLICATION_FAILURE
    host.alter_manager(DEADQ=host.local("DLQ"))
    host.publish("t", b"x", persistence=1)
    (dead,) = host.messages("DLQ")
    header: Any = parse_dlh(dead.data, 0, ByteOrder.LITTLE)
    assert (header.record.reason, header.record.dest_q_name.rstrip()) == (MQRC.Q_FULL, b"FULL")
    assert header.record.dest_q_mgr_name.rstrip() == b"EARTH"
    assert header.record.format == b"MQHRF2  "
    assert reason_of(host.publish, "t/u", persistence=1) == MQRC.PUBLICATION_FAILURE
    host.alter(Kind.QLOCAL, "DLQ", PUT="DISABLED")
    assert reason_of(host.publish, "t", persistence=1) == MQRC.PUBLICATION_FAILURE
    host.alter(Kind.QLOCAL, "DLQ", PUT="ENABLED")
    host.delete(Kind.QLOCAL, "FULL")
    host.publish("t", b"y", persistence=1)
    header = parse_dlh(host.messages("DLQ")[0].data, 0, ByteOrder.LITTLE)
    assert header.record.reason == MQRC.UNKNOWN_OBJECT_NAME


def test_limits_of_the_unit_of_work_fail_the_whole_publication(host: PubSubHost) -> None:
    first, second = host.subscribe("a"), host.subscribe("a")
    host.alter_manager(MAXUMSGS=2)
    unit = host.begin()
    host.publish("a", b"1", unit)
    assert reason_of(host.publish, "a", b"2", unit) == MQRC.SYNCPOINT_LIMIT_REACHED
    host.commit(unit)
    assert host.bodies(first) == host.bodies(second) == [b"1"]
    host.subscribe("a")
    host.publish("a", b"3")
    assert host.bodies(first) == [b"3"]
    assert reason_of(host.publish, "a", b"4", unit) == MQRC.BACKED_OUT


@pytest.mark.parametrize("persistent", [0, 1])
def test_a_long_message_for_several(host: PubSubHost, persistent: int) -> None:
    host.alter_manager(MAXMSGL=5 << 20)
    for name in (RETAINED_QUEUE, "SYSTEM.DURABLE.MODEL.QUEUE", "SYSTEM.NDURABLE.MODEL.QUEUE"):
        host.alter(Kind.QLOCAL if name == RETAINED_QUEUE else Kind.QMODEL, name, MAXMSGL=5 << 20)
    durable = [host.subscribe("a", DURABLE, name=name) for name in "DE"]
    other = host.subscribe("a")
    writer = host.queue_manager.body_writer(persistent=bool(persistent))
    data = b"0123456789abcdef" * (320 << 10)
    for start in range(0, len(data), 700_000):
        writer.write(data[start : start + 700_000])
    host.publish("a", writer.finish(), persistence=persistent, options=MQPMO.RETAIN)
    late = host.subscribe("a")
    for handle in (*durable, other, late):
        assert host.bodies(handle) == [data]
    host.pubsub.clear_retained("a", host.now)
    host.pump()
    assert host.store.staged.kept == {}
    assert host.store.spilled.kept == {}


@pytest.mark.spec("mqi.md 17")
def test_not_own_subscriptions(host: PubSubHost) -> None:
    mine, theirs = host.subscribe("a", owner=b"me"), host.subscribe("a", owner=b"they")
    durable = host.subscribe("a", DURABLE, name="D", owner=b"me")
    host.publish("a", b"1", owner=b"me", options=MQPMO.NOT_OWN_SUBS)
    assert (host.bodies(mine), host.bodies(theirs), host.bodies(durable)) == ([], [b"1"], [])
    host.close(durable)
    host.publish("a", b"2", owner=b"me", options=MQPMO.NOT_OWN_SUBS)
    host.publish("a", b"3", owner=b"me")
    assert host.bodies(mine) == [b"3"]
    assert host.bodies(host.subscribe("", int(MQSO.RESUME | MQSO.DURABLE | MQSO.MANAGED), name="D")) == [b"2", b"3"]


@pytest.mark.spec("mqi.md 17")
def test_selectors_filter_each_publication(host: PubSubHost) -> None:
    red = host.subscribe("a", selection="colour = 'red'")
    high = host.subscribe("#", selection="JMSPriority > 4")
    topic = host.subscribe("#", selection="mqps.Top = 'b'")
    front = b"RFH " + b"\0\0\0\2" + (36 + 4 + 32).to_bytes(4, "big") + (273).to_bytes(4, "big")
    folder = b"<usr><colour>red</colour></usr>".ljust(32)
    data = front + (1208).to_bytes(4, "big") + b"MQSTR   " + bytes(4) + (1208).to_bytes(4, "big")
    data += (32).to_bytes(4, "big") + folder + b"red"
    host.publish("a", data, format="MQHRF2", encoding=273, coded_char_set_id=1208)
    host.publish("a", b"plain", priority=5)
    host.publish("b", b"b")
    assert host.bodies(red) == [b"red"]
    assert host.bodies(high) == [b"plain"]
    assert host.bodies(topic) == [b"b"]


def test_levels_intercept(host: PubSubHost) -> None:
    high, low, lowest = host.subscribe("#", level=5), host.subscribe("a", level=1), host.subscribe("a", level=0)
    host.publish("a", b"1")
    host.publish("a", b"2", level=4)
    host.publish("a", b"3", level=0)
    assert (host.bodies(high), host.bodies(low), host.bodies(lowest)) == ([b"1"], [b"2"], [b"3"])


@pytest.mark.spec("mqi.md 17")
def test_topic_objects_that_block_wildcards(host: PubSubHost) -> None:
    host.define(Kind.TOPIC, "T", TOPICSTR="a/b", WILDCARD="BLOCK")
    every, level, below = host.subscribe("#"), host.subscribe("a/+"), host.subscribe("a/b/#")
    characters = host.subscribe("a/*", NON_DURABLE | MQSO.WILDCARD_CHAR)
    plain = host.subscribe("a/b")
    host.publish("a/b", b"1", options=MQPMO.RETAIN)
    host.publish("a/c", b"2")
    assert host.bodies(every) == host.bodies(level) == host.bodies(characters) == [b"2"]
    assert host.bodies(below) == host.bodies(plain) == [b"1"]
    assert host.bodies(host.subscribe("a/#")) == []
    assert host.bodies(host.subscribe("a/b/#")) == [b"1"]


def test_the_older_forms_of_properties(host: PubSubHost) -> None:
    for name, form in (("N", "NONE"), ("R", "RFH2"), ("C", "COMPAT")):
        attributes = {"TOPICSTR": "a", "DEST": host.local(name), "PSPROP": form}
        on_complete(host.pubsub.administration.define(name, attributes, host.now, like="", replace=False), host.then())
        host.pump()
    host.publish("a", b"x", format="MQSTR")
    assert host.messages("N")[0].data == b"x"
    assert b"<psc><Command>Publish</Command><Topic>a</Topic></psc>" in host.messages("R")[0].data
    compat = host.messages("C")[0]
    assert compat.md.format == "MQHRF"
    assert b'MQPSCommand Publish MQPSTopic "a"' in compat.data


def test_a_thousand_subscribers(host: PubSubHost) -> None:
    handles = [host.subscribe("a/b" if number % 2 else "a/#") for number in range(1000)]
    host.publish("a/b", b"x")
    assert all(host.depth(handle.subscription.destination[0]) == 1 for handle in handles)
    for handle in handles:
        host.close(handle)
    assert host.publish("a/b", options=MQPMO.WARN_IF_NO_SUBS_MATCHED)[0] == MQRC.NO_SUBS_MATCHED
